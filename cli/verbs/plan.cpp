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
  add_option(verb, Option::planned_examples, options->examples, kTuning);
  add_option(verb, Option::planned_votes, options->votes_per_example, kTuning);
  add_option(verb, Option::level, options->level, kTuning);
  add_option(verb, Option::bins, options->bins, kTuning);
  add_option(verb, Option::plan_output, options->output, kResult);
  format_option(verb, options->format, {"text", "json", "csv", "markdown"});
  threads_option(verb, options->threads);
  return [options] { run_plan(*options); };
}

}  // namespace credence::cli
