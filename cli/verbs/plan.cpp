#include <memory>

#include "commands/commands.hpp"
#include "option_helpers.hpp"
#include "verbs.hpp"

namespace credence::cli {

Action declare_plan(CLI::App& verb) {
  verb.description("Predict how sure you would be with other numbers of examples and votes");
  verb.footer(
      "Examples:\n"
      "  credence plan --logits pilot.npy --votes pilot-votes.csv\n"
      "  credence plan --logits pilot.npy --votes votes.csv --examples 500,2000 "
      "--votes-per-example 1,3\n"
      "The pilot needs two votes or more on a part of its examples to tell what votes add.");
  const auto options = std::make_shared<PlanCommandOptions>();
  dataset_options(verb, options->data);
  verb.add_option("--examples", options->examples,
                  "numbers of examples to plan for (a quarter to four times the pilot)")
      ->type_name("LIST")
      ->delimiter(',')
      ->check(whole_number(1, 1000000000000))
      ->group(kTuning);
  verb.add_option("--votes-per-example", options->votes_per_example,
                  "votes per example to plan for (1,2,3,5,10)")
      ->type_name("LIST")
      ->delimiter(',')
      ->check(whole_number(1, 1000000))
      ->group(kTuning);
  verb.add_option("--level", options->level, "level of the intervals (0.95)")
      ->type_name("X")
      ->check(number(0.5, 0.9999, "a number from 0.5 to 0.9999"))
      ->group(kTuning);
  verb.add_option("--bins", options->bins, "bins of confidence (15)")
      ->type_name("N")
      ->check(whole_number(1, 100000))
      ->group(kTuning);
  verb.add_option("-o,--output", options->output, "write the plan as JSON; '-': standard output")
      ->type_name("FILE")
      ->group(kResult);
  format_option(verb, options->format, {"text", "json", "csv", "markdown"});
  threads_option(verb, options->threads);
  return [options] { run_plan(*options); };
}

}  // namespace credence::cli
