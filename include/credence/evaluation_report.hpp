// Scoring a calibrator, or anybody's probabilities, against annotations, with intervals.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "credence/bootstrap.hpp"
#include "credence/evaluate.hpp"
#include "credence/evaluation_sums.hpp"
#include "credence/io.hpp"
#include "credence/row_files.hpp"
#include "credence/subgroups.hpp"

namespace credence::report {

struct EvaluationOptions {
  MetricOptions metrics;
  BootstrapOptions bootstrap;
  int threads = 0;  ///< changes no result
  /// Share done of the resampling; return false to stop with Error(cancelled).
  std::function<bool(double)> progress = {};
  /// Told the rows that are done while files are read in passes; return false to stop.
  std::function<bool(std::size_t)> rows_done = {};
};

/// What was scored, for the protocol.
struct Subject {
  std::string method;  ///< of the calibrator; "as given" for probabilities
  std::string gauge;
  std::string score_kind;
  std::string fitted_fingerprint;  ///< of the rows the calibrator was fitted on
  /// About how many of the scored rows the calibrator was fitted on; empty where unknown.
  std::optional<std::size_t> fitted_rows;
  bool overlap_unknown = false;    ///< scores are too coarse to tell rows apart
  std::string calibrator_classes;  ///< how the calibrator's classes were matched
};

struct EvaluationResult {
  EvaluationOptions options;
  Subject subject;
  io::LoadedDataset loaded;  ///< without rows where they were read in passes
  io::DataFacts facts;
  Evaluation evaluation;
  std::optional<BootstrapResult> intervals;
  std::string no_intervals;            ///< why there are none
  std::optional<Subgroups> subgroups;  ///< where the dataset names some
};

/// Scores `model`, or without one the scores as they are: as probabilities where the dataset has
/// kept them (load_dataset with keep_probabilities), through their softmax otherwise. `model_name`
/// and `score_name` are for messages.
EvaluationResult evaluate(io::LoadedDataset loaded, ScoreKind kind,
                          std::optional<io::LoadedCalibrator> model, const std::string& model_name,
                          const std::string& score_name, const EvaluationOptions& options);

/// The same for rows that are read in passes, with `memory` bytes for what is kept of them: metrics
/// that sort all rows only where 24 bytes for each fit; no studentised intervals, none with
/// annotators redrawn, and none of metrics over equally filled bins.
EvaluationResult evaluate(io::FileRows& rows, ScoreKind kind,
                          std::optional<io::LoadedCalibrator> model, const std::string& model_name,
                          const std::string& score_name, std::size_t memory,
                          const EvaluationOptions& options);

/// The calibration errors of the predicted class that evaluate() would give, without the rest: for
/// monitoring, and for large data.
TopErrors top_errors(const io::LoadedDataset& loaded, ScoreKind kind,
                     std::optional<io::LoadedCalibrator> model, const std::string& model_name,
                     const std::string& score_name, const MetricOptions& options);

/// The same straight from plain arrays in files, which are read once and never held: nothing is
/// said of fingerprints or overlap. Empty where that cannot be done, because files have another
/// form, values are bad or the calibrator is no temperature; reading them whole then serves, and
/// says what is wrong. Null: the scores as they are.
std::optional<TopErrors> top_errors(const io::DatasetFiles& files, const Calibrator* calibrator,
                                    const MetricOptions& options);

/// The same of probabilities that were checked, where they are, and votes that go with them row by
/// row. Empty for arrays of another kind than plain float32 and float64.
std::optional<TopErrors> top_errors(const io::NumberArray& probabilities, const Votes& votes,
                                    const MetricOptions& options);

/// The sums of these rows, of which the first is number `first_row` of all; merged with those of
/// the other rows (evaluation_sums.hpp) they give what evaluate() would.
EvaluationSums evaluation_sums(const io::LoadedDataset& loaded, ScoreKind kind,
                               std::optional<io::LoadedCalibrator> model,
                               const std::string& model_name, const std::string& score_name,
                               std::uint64_t first_row, const MetricOptions& options);

/// Fingerprint of the rows that were scored.
std::string fingerprint_of(const EvaluationResult& result);

/// What a careful reader should know besides the numbers.
std::vector<std::string> cautions(const EvaluationResult& result);

/// The estimate of a metric, or nothing when no interval was made.
const Estimate* estimate_of(const EvaluationResult& result, std::size_t metric);

/// The subgroups in one sentence: the worst, or that none is beyond chance.
std::string subgroups_in_words(const Subgroups& subgroups);
/// How far confidence is off in each of them, as SVG.
std::string subgroups_figure(const EvaluationResult& result);

/// Everything, as the program's `evaluate` prints it for other programs.
std::string evaluation_json(const EvaluationResult& result);

}  // namespace credence::report
