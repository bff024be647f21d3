#include <memory>

#include "commands/commands.hpp"
#include "help_format.hpp"
#include "option_helpers.hpp"
#include "verbs.hpp"

namespace credence::cli {

Action declare_evaluate(CLI::App& verb) {
  verb.description("Score a calibrator, or anybody's probabilities, against annotations");
  verb.footer(
      "Examples:\n"
      "  credence evaluate model.json --logits test.npy --votes test-votes.csv\n"
      "  credence evaluate --probs theirs.csv --votes test-votes.csv --reliability\n"
      "  credence evaluate --logits test.npy --votes test-votes.csv --format json   uncalibrated\n"
      "Choose between calibrators by nll, not by ece: ece can be small for useless confidences.");
  const auto options = std::make_shared<EvaluateOptions>();
  verb.add_option(
          "model", options->model,
          "calibrator written by 'credence fit'; without it the scores are judged as they are")
      ->group(kMayBeLeftOut)
      ->type_name("FILE");
  format_option(verb, options->format, {"text", "json", "csv"});
  verb.add_flag("--reliability", options->reliability,
                "print the bins of the reliability diagram too")
      ->group(kResult);
  dataset_options(verb, options->data);
  metric_options(verb, options->metrics);
  verb.add_option("--seed", options->bootstrap.seed, "of the resamples (42)")
      ->type_name("N")
      ->check(whole_number(0, UINT64_MAX))
      ->group(kTuning);
  bootstrap_options(verb, options->bootstrap, "Intervals");
  threads_option(verb, options->threads);
  return [options] {
    check_standard_input(options->data, options->model);
    run_evaluate(*options);
  };
}

}  // namespace credence::cli
