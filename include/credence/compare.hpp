// The main job: fit every method on one part of the data, judge them on the other, recommend one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "credence/bootstrap.hpp"
#include "credence/calibrator.hpp"
#include "credence/dataset.hpp"
#include "credence/diagrams.hpp"
#include "credence/evaluate.hpp"
#include "credence/evaluation_sums.hpp"
#include "credence/fit.hpp"
#include "credence/loss_parts.hpp"
#include "credence/row_work.hpp"
#include "credence/split.hpp"
#include "credence/verdict.hpp"

namespace credence {

/// Share done in [0, 1] and what is being done; return false to stop with Error(cancelled).
using ProgressFunction = std::function<bool(double, const std::string&)>;

struct CompareOptions {
  std::vector<std::string> methods;  ///< empty: every catalogued one that the evidence allows
  std::string reference = "ts";      ///< compared in any case; differences are taken against it
  double calibration_share = 0.5;
  std::vector<std::uint64_t> seeds{42};       ///< one split each
  std::vector<std::size_t> calibration_rows;  ///< a given split instead of share and seeds
  std::uint32_t folds = 5;                    ///< of the cross-validation that recommends
  bool oracle = false;                        ///< add oracle-ts, fitted on the evaluation rows
  /// Choose only among methods that never change the predicted class.
  bool keep_predictions = false;
  /// Fit the recommended method (and the candidate, where that is another) again on all rows of the
  /// data, for use; scores are always those of the fit to the calibration rows. Only where the rows
  /// are split here: test data that came apart stay apart.
  bool final_fit = false;
  /// Fit also how sure each method's predictions are (second_order.hpp), and score that.
  bool second_order = false;
  int refits = 0;  ///< resamples that refit every method too; 0: intervals for the fitted ones only
  Gauge gauge = Gauge::log_probs;
  MetricOptions metrics;
  BootstrapOptions bootstrap;
  int threads = 0;  ///< changes no result
  ProgressFunction progress = {};
};

/// nll on rows that a fit has not seen, within the calibration rows.
struct CrossValidation {
  std::optional<double> nll;  ///< empty when a fit failed or some row's nll is infinite
  double standard_error = 0.0;
  std::string problem;  ///< why it is empty
};

struct MethodResult {
  std::string name;
  bool oracle = false;  ///< fitted on the evaluation rows: a bound, not a candidate
  Calibrator calibrator;
  CrossValidation cross_validation;
  Evaluation evaluation;
  std::vector<Estimate> estimates;  ///< metric by metric
  /// This method minus each of the references, from the same resamples.
  std::vector<std::vector<Estimate>> differences;
  /// The same two with the fit resampled as well (refits > 0), otherwise empty.
  std::vector<Estimate> refit_estimates;
  std::vector<std::vector<Estimate>> refit_differences;
  /// Share of rows predicted otherwise than uncalibrated; empty when rows were not kept.
  std::optional<double> changed_predictions;
  MethodDiagrams diagrams;

  std::size_t parameters() const;
};

struct SplitResult {
  std::uint64_t seed = 0;
  Split split;  ///< empty parts when the two came as separate data, or rows are elsewhere
  std::size_t calibration_rows = 0;   ///< of the split; 0 when the two came as separate data
  std::vector<MethodResult> methods;  ///< by nll on the evaluation rows, best first
  std::vector<std::string>
      references;  ///< that differences are taken against; the chosen one first
  Verdict verdict = Verdict::keep;
  std::string recommended;  ///< what the verdict advises: the candidate, the model as it is, or
                            ///< the default for few rows
  std::string candidate;    ///< chosen on the calibration rows, never the model as it is
  std::string why;          ///< how the candidate came about
  std::string keeper;       ///< the best method that keeps every prediction
  Decisions decisions;      ///< what the candidate changes; no rows when they were not kept
  bool by_chance = false;   ///< predictions agree with annotators no more than chance would
  /// With too few: about how many examples would do; empty when the votes cannot tell.
  std::optional<std::size_t> examples_needed;
  std::vector<std::string> left_out;    ///< methods with more parameters than calibration rows
  std::size_t resampled_units = 0;      ///< examples, or groups; 0 without intervals
  std::string no_intervals;             ///< why there are none although they were asked for
  std::optional<LossParts> loss_parts;  ///< of the first split alone
  const MethodResult& method(std::string_view name) const;
  const MethodResult* find(std::string_view name) const;
};

/// What the annotations are like, of one part of the data.
struct AnnotationSummary {
  std::size_t rows = 0, classes = 0, groups = 0, ties = 0;
  Evidence evidence = Evidence::none;
  bool shares = false;  ///< the number of votes behind the shares is unknown
  double votes_per_example = 0.0, fewest_votes = 0.0, most_votes = 0.0;
  double mean_entropy = 0.0;  ///< of the annotators' distribution, divided by log K
  std::size_t repeated_rows = 0;
  ReaderAgreement agreement;
};
AnnotationSummary summarise_annotations(const Dataset& data);
AnnotationSummary summary_of(const AnnotationSums& sums, const RowsInfo& info);

/// Mean and spread of a metric over the splits.
struct Spread {
  std::string_view metric;
  std::size_t splits = 0;                 ///< that have a value
  std::optional<double> mean, deviation;  ///< deviation: divisor n - 1, empty for one split
};
struct MethodSpread {
  std::string name;
  std::size_t times_recommended = 0;
  std::vector<Spread> metrics;
};

struct Comparison {
  CompareOptions protocol;
  bool separate_data = false;
  AnnotationSummary calibration, evaluation;  ///< of the first split
  VoteDiagrams evaluation_votes;              ///< of the first split
  std::vector<SplitResult> splits;
  std::vector<MethodSpread> spread;  ///< over the splits, in the order of the first one
  std::vector<std::string> warnings;
  /// With final_fit: what was recommended and the candidate on the first split, fitted to all rows.
  std::vector<Calibrator> final_calibrators;
};

/// Splits `data` once per seed and compares on each.
Comparison compare(const Dataset& data, const CompareOptions& options = {});
/// Calibration and evaluation data of their own; seeds only drive draws and folds.
Comparison compare(const Dataset& calibration, const Dataset& evaluation,
                   const CompareOptions& options = {});

/// How rows elsewhere are compared.
struct RowsElsewhere {
  /// Bytes that lists of rows may take while metrics are computed: metrics that sort rows are empty
  /// where those of one method would take more.
  std::size_t listed_bytes = std::size_t{1} << 28;
  /// Bytes for the sums of fits that share a pass; a method whose sums alone take more (isotonic
  /// steps: 32 bytes per row) is left out.
  std::size_t sums_bytes = kSumsBytes;
  /// Told the tags of every split, by its number, before anything is fitted.
  std::function<void(std::size_t split, std::span<const std::uint8_t> tags)> split_made = {};
};
/// Splits rows that somebody else has and compares on each split: the split, the calibrators, the
/// metrics and the advice of compare() on the same rows in memory. What needs single rows is left
/// out: intervals, examples and the larger diagrams.
Comparison compare(RowWorker& rows, const CompareOptions& options = {},
                   const RowsElsewhere& elsewhere = {});

/// Scores what `apply` makes of the rows of a dataset, block by block: the probabilities of all
/// rows are never in memory at once.
using ApplyBlock = std::function<void(Scores scores, MutRows probabilities)>;
/// `second_order`, where there is one, is that of the calibrator. Rows are shared out among
/// options.threads threads, all of which call `apply`.
Evaluation score(const ApplyBlock& apply, const Dataset& data, const MetricOptions& options,
                 const SecondOrder* second_order = nullptr);
TopErrors score_top(const ApplyBlock& apply, const Dataset& data, const MetricOptions& options);
/// The sums of some rows: those of the votes from `votes_from` on, the first number `first_row` of
/// all. What they fill stays in a near cache.
EvaluationSums score_rows(const ApplyBlock& apply, const MetricOptions& options,
                          std::uint64_t first_row, Scores scores, const Votes& votes,
                          std::size_t votes_from, const SecondOrder* second_order = nullptr);
Evaluation score(const Calibrator& calibrator, const Dataset& data, const MetricOptions& options);

}  // namespace credence
