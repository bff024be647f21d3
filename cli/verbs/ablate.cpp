#include <memory>

#include "commands/commands.hpp"
#include "option_helpers.hpp"
#include "verbs.hpp"

namespace credence::cli {
namespace {

constexpr const char* kStudies = "Studies";

}  // namespace

Action declare_ablate(CLI::App& verb) {
  verb.description("Show how results change with fewer rows, votes or draws, and with smoothing");
  verb.footer(
      "Examples:\n"
      "  credence ablate --logits logits.npy --votes votes.csv -o out\n"
      "  credence ablate --study size,votes --seeds 42..51 --logits logits.npy --votes votes.csv "
      "-o out\n"
      "Studies: size (share of the calibration rows), votes (per calibration example), draws (of "
      "mcts),\n"
      "smoothing (rules that need no annotations). With -o an interrupted run goes on where it "
      "stopped\n"
      "when the same command is given again, and ends with the same files.");
  const auto options = std::make_shared<AblateCommandOptions>();
  dataset_options(verb, options->data);
  verb.add_option("--study", options->studies,
                  "size, votes, draws, smoothing, separated by commas (all that the votes allow)")
      ->type_name("LIST")
      ->delimiter(',')
      ->group(kStudies);
  verb.add_option("--seeds", options->seeds, "one split per seed (42..46)")
      ->type_name("LIST")
      ->group(kStudies);
  verb.add_option("--shares", options->shares,
                  "shares of the calibration rows (0.05,0.1,0.2,0.3,0.5,0.7,1)")
      ->type_name("LIST")
      ->delimiter(',')
      ->check(number(1e-6, 1.0, "a share above 0 and up to 1"))
      ->group(kStudies);
  verb.add_option("--votes-per-example", options->votes_per_example,
                  "numbers of votes (1,2,3,5,10,20,50,... up to all)")
      ->type_name("LIST")
      ->delimiter(',')
      ->check(whole_number(1, 1000000))
      ->group(kStudies);
  verb.add_option("--draws-per-example", options->draws_settings,
                  "annotations drawn by mcts (1,5,20,50,200)")
      ->type_name("LIST")
      ->delimiter(',')
      ->check(whole_number(1, 1000000))
      ->group(kStudies);
  verb.add_option("--share", options->share, "share of the rows that calibrates (0.5)")
      ->type_name("X")
      ->check(number(1e-9, 1.0 - 1e-9, "a number between 0 and 1"))
      ->group(kStudies);
  verb.add_option("-o,--output", options->output, "folder for the results")
      ->type_name("DIR")
      ->group(kResult);
  format_option(verb, options->format, {"text", "json", "csv", "markdown"});
  metric_options(verb, options->metrics);
  gauge_option(verb, options->gauge);
  threads_option(verb, options->threads);
  return [options] { run_ablate(*options); };
}

}  // namespace credence::cli
