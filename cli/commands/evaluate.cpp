// `credence evaluate`: the metrics of a calibrator, or of anybody's file of probabilities.
#include "credence/evaluate.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "commands/evaluate_result.hpp"
#include "progress.hpp"

namespace credence::cli {
namespace {

EvaluateResult score(const EvaluateOptions& options) {
  const io::ScoreFile file = score_file(options.data);
  if (!has_annotations(options.data)) {
    throw Error(ErrorCode::usage, "no annotations given to score against",
                "name them with --votes FILE, or with --labels FILE when only voted labels are "
                "known");
  }
  std::optional<io::LoadedCalibrator> model;
  if (!options.model.empty()) model = io::load_calibrator(options.model);
  const bool as_stored = !model && file.kind == ScoreKind::probs;
  io::LoadedDataset loaded = load(options.data, as_stored);
  Progress progress("scoring");
  report::EvaluationOptions how{
      .metrics = options.metrics, .bootstrap = options.bootstrap, .threads = options.threads};
  how.progress = [&progress](double done) {
    progress.update(fmt::format("resampling, {:.0f} %", 100.0 * done));
    return true;
  };
  return report::evaluate(std::move(loaded), file.kind, std::move(model), options.model, file.path,
                          how);
}

}  // namespace

void run_evaluate(const EvaluateOptions& options) {
  const EvaluateResult result = score(options);
  print_notes(report::cautions(result));
  switch (options.format) {
    case Format::json:
      return print(report::evaluation_json(result));
    case Format::csv:
      return print(as_csv(result, options));
    default:
      return print(as_text(result, options));
  }
}

}  // namespace credence::cli
