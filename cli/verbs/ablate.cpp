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
  add_option(verb, Option::study, options->studies, kStudies);
  add_option(verb, Option::study_seeds, options->seeds, kStudies);
  add_option(verb, Option::shares, options->shares, kStudies);
  add_option(verb, Option::study_votes, options->votes_per_example, kStudies);
  add_option(verb, Option::study_draws, options->draws_settings, kStudies);
  add_option(verb, Option::share, options->share, kStudies);
  add_option(verb, Option::results_folder, options->output, kResult);
  format_option(verb, options->format, {"text", "json", "csv", "markdown"});
  metric_options(verb, options->metrics);
  gauge_option(verb, options->gauge);
  threads_option(verb, options->threads);
  return [options] { run_ablate(*options); };
}

}  // namespace credence::cli
