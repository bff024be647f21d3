#include <memory>

#include "commands/commands.hpp"
#include "option_helpers.hpp"
#include "verbs.hpp"

namespace credence::cli {

Action declare_fit(CLI::App& verb) {
  verb.description("Fit a calibrator to scores and annotations");
  verb.footer(
      "Examples:\n"
      "  credence fit --method slts --logits logits.npy --votes votes.csv -o model.json\n"
      "  credence fit --method 'dirichlet-soft then ts' --probs probs.csv --votes votes.csv "
      "-o model.json\n"
      "  credence fit --method ls-ts --logits logits.npy --labels labels.csv -o - > model.json\n"
      "The file depends on the data and the method alone, not on --threads or --chunk-rows.");
  const auto options = std::make_shared<FitCommandOptions>();
  verb.add_option("-m,--method", options->method,
                  "a method, TARGET+MAP, or 'A then B' ('credence methods' lists all)")
      ->type_name("METHOD")
      ->group(kResult);
  verb.add_option("-o,--output", options->output, "where the calibrator goes; '-': standard output")
      ->type_name("FILE")
      ->group(kResult);
  format_option(verb, options->format, {"text", "json"});
  dataset_options(verb, options->data);
  verb.add_option("--gauge", options->gauge,
                  "what the map reads: log-probs, the same answer for logits and probabilities; or "
                  "raw, the scores as given (log-probs)")
      ->type_name("GAUGE")
      ->check(CLI::IsMember({"log-probs", "raw"}))
      ->group(kTuning);
  verb.add_option("--seed", options->seed, "of the sampled target (42)")
      ->type_name("N")
      ->check(whole_number(0, UINT64_MAX))
      ->group(kTuning);
  verb.add_option("--draws", options->draws, "annotations drawn per example, sampled target (1)")
      ->type_name("N")
      ->check(whole_number(1, 1000000))
      ->group(kTuning);
  verb.add_option("--epsilon", options->epsilon, "smoothing weight of fixed-ls (0.1)")
      ->type_name("X")
      ->check(number(0.0, 1.0, "a number from 0 to 1"))
      ->group(kTuning);
  const auto penalty = number(0.0, 1e300, "a number of 0 or more");
  verb.add_option("--lambda", options->lambda,
                  "penalty on off-diagonal weights, matrix map (0.001)")
      ->type_name("X")
      ->check(penalty)
      ->group(kTuning);
  verb.add_option("--mu", options->mu, "penalty on biases, matrix map (0.001)")
      ->type_name("X")
      ->check(penalty)
      ->group(kTuning);
  verb.add_option("--bins", options->bins, "bins of the histogram map (15)")
      ->type_name("N")
      ->check(whole_number(1, 100000))
      ->group(kTuning);
  verb.add_option("--max-passes", options->max_passes, "stop after so many passes (500)")
      ->type_name("N")
      ->check(whole_number(1, 1000000))
      ->group(kTuning);
  threads_option(verb, options->threads);
  verb.add_option("--chunk-rows", options->chunk_rows,
                  "rows a thread takes at a time; 0: choose (0)")
      ->type_name("N")
      ->check(whole_number(0, std::uint64_t{1} << 40))
      ->group(kTuning);
  return [options] { run_fit(*options); };
}

}  // namespace credence::cli
