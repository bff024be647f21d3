// `credence evaluate`: the metrics of a calibrator, or of anybody's file of probabilities.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "aligned_calibrator.hpp"
#include "commands/evaluate_result.hpp"
#include "credence/compare.hpp"
#include "progress.hpp"

namespace credence::cli {
namespace {

/// Intervals are left out when they would need more memory than this.
constexpr double kIntervalBytes = 1e9;

Calibrator uncalibrated(const Dataset& data) {
  Calibrator calibrator;
  calibrator.method = "uncalibrated";
  calibrator.classes = data.classes;
  calibrator.class_count = data.classes_count();
  calibrator.stages.push_back({.target = NoTarget{}, .map = Identity{}, .theta = {}, .report = {}});
  return calibrator;
}

/// True when intervals are wanted and can be had; otherwise says why not.
bool intervals_wanted(EvaluateResult& result, const EvaluateOptions& options) {
  if (options.bootstrap.resamples == 0) return false;
  const Dataset& data = result.loaded.data;
  if (data.rows() < 2) {
    result.no_intervals = "no intervals: a single example does not show how examples differ";
  } else if (resampling_bytes(data.votes.rows(), data.votes.classes()) > kIntervalBytes) {
    result.no_intervals = fmt::format(
        "no intervals: {} examples of {} classes would need more than 1 GB to resample (--rows "
        "takes a part)",
        grouped(data.votes.rows()), grouped(data.votes.classes()));
  }
  return result.no_intervals.empty();
}

void resample(EvaluateResult& result, const EvaluateOptions& options) {
  if (!result.evaluation.kept) return;
  Progress progress("resampling");
  BootstrapOptions how = options.bootstrap;
  how.threads = options.threads;
  how.progress = [&](double done) {
    progress.update(fmt::format("resampling, {:.0f} %", 100.0 * done));
    return true;
  };
  result.intervals = bootstrap({&result.evaluation, 1}, result.loaded.data.groups, {}, how);
}

EvaluateResult score(const EvaluateOptions& options) {
  const io::ScoreFile file = score_file(options.data);
  if (!has_annotations(options.data)) {
    throw Error(ErrorCode::usage, "no annotations given to score against",
                "name them with --votes FILE, or with --labels FILE when only voted labels are "
                "known");
  }
  const bool as_stored = options.model.empty() && file.kind == ScoreKind::probs;
  std::optional<io::LoadedCalibrator> model;
  if (!options.model.empty()) model = io::load_calibrator(options.model);

  EvaluateResult result;
  result.loaded = load(options.data, as_stored);
  const bool resample = intervals_wanted(result, options);
  MetricOptions protocol = options.metrics;
  protocol.keep_rows = resample;
  protocol.keep_votes = resample && options.bootstrap.annotators;
  protocol.threads = options.threads;
  result.subject.score_kind = std::string(to_string(file.kind));
  const Dataset& data = result.loaded.data;
  const Progress progress("scoring");
  if (as_stored) {
    result.subject.method = "as given";
    result.evaluation = evaluate(result.loaded.probabilities.view(), data.votes, protocol);
    return result;
  }
  if (!model) model = io::LoadedCalibrator{uncalibrated(data), {}};
  AlignedCalibrator aligned(std::move(*model), options.model, data.classes_count(), data.classes,
                            file.kind, file.path);
  result.subject.method = aligned.calibrator().method;
  result.subject.gauge = aligned.calibrator().gauge == Gauge::raw ? "raw" : "log_probs";
  result.subject.fitted_fingerprint = aligned.info().fingerprint;
  if (!options.model.empty()) result.subject.calibrator_classes = std::string(aligned.matched());
  result.evaluation = credence::score(
      [&](Scores scores, MutRows out) { aligned.apply(scores, out, options.threads); }, data,
      protocol);
  return result;
}

void print_cautions(const EvaluateResult& result) {
  print_notes(result.loaded.join.notes);
  if (!result.no_intervals.empty()) print_note(result.no_intervals);
  const Dataset& data = result.loaded.data;
  if (data.evidence() == Evidence::voted) {
    print_note(
        "only voted labels are known: metrics against annotators equal those against the "
        "vote");
  }
  if (result.evaluation.infinite_nll_rows > 0) {
    print_note(
        fmt::format("{} examples have probability 0 for a class that somebody chose: nll is "
                    "infinite",
                    grouped(result.evaluation.infinite_nll_rows)));
  }
  if (!result.subject.fitted_fingerprint.empty() &&
      result.subject.fitted_fingerprint == data.fingerprint()) {
    print_note("these are the rows the calibrator was fitted on; expect worse on others");
  }
}

}  // namespace

void run_evaluate(const EvaluateOptions& options) {
  EvaluateResult result = score(options);
  resample(result, options);
  print_cautions(result);
  switch (options.format) {
    case Format::json:
      return print(as_json(result, options));
    case Format::csv:
      return print(as_csv(result, options));
    default:
      return print(as_text(result, options));
  }
}

}  // namespace credence::cli
