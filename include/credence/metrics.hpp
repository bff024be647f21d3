// The metrics: their catalogue, their options and their values for probabilities against votes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "credence/dataset.hpp"
#include "credence/matrix.hpp"

namespace credence {

namespace metrics {
class Scored;  // what one pass over the probabilities leaves behind; opaque to callers
}

/// The most bins that can be asked for.
inline constexpr int kMaxBins = 1'000'000;

struct MetricOptions {
  int bins = 15;          ///< confidence bins: bin b is (b/B, (b+1)/B], the first closed at 0
  int entropy_bins = 10;  ///< equal-frequency bins of annotation entropy for the pointwise error
  /// Annotators drawn per example for the Monte Carlo metrics; 0 leaves those metrics empty.
  int draws = 100;
  std::uint64_t seed = 42;  ///< of those draws: draw s of row i depends on (seed, i, s) alone
  /// Keep what examples() and bootstrap_rescored() need: about 45 bytes per example.
  bool keep_examples = false;
  /// Keep what bootstrap() needs as well: about 150 bytes per example and, for the interval
  /// of the classwise errors, 6 bytes per probability (where that is at most 50 million of them).
  bool keep_rows = false;
  /// Keep also what redrawing the votes needs (BootstrapOptions::annotators): a copy of the votes
  /// and the probability of every class voted for.
  bool keep_votes = false;
  int threads = 0;  ///< for the draws; 0: as many as the machine has; changes no result
  /// Keep confidence, agreement and entropy of every row until the end. Without, what needs sorted
  /// rows is empty (aece_*, smooth_ece, pointwise_by_entropy), and EvaluationSums stay small.
  bool list_rows = true;
  /// Resamples that are added up together with the rows, for the intervals of EvaluationSums: no
  /// row is kept, and pieces merge. Row i of all is drawn as bootstrap() draws it, so the number of
  /// all rows has to be known. Evaluator takes no notice of it.
  struct Resampling {
    int resamples = 0;  ///< 0: none
    std::uint64_t seed = 42;
    std::uint64_t rows = 0;
    bool operator==(const Resampling&) const = default;
  };
  Resampling resampling = {};
};

/// The most draws that can be asked for.
inline constexpr int kMaxDraws = 1'000'000;
/// The most resamples.
inline constexpr int kMaxResamples = 1'000'000;

/// One bin of the reliability diagram; the means of an empty bin are 0.
struct ReliabilityBin {
  std::size_t count = 0;
  double confidence = 0.0;  ///< mean confidence
  double agreement = 0.0;   ///< mean share of annotators who chose the predicted class
  double accuracy = 0.0;    ///< mean of [predicted = voted]
};

struct EntropyBin {
  std::size_t count = 0;
  double entropy = 0.0;         ///< mean H(pi)/log K
  double error = 0.0;           ///< mean |confidence - agreement|
  double standard_error = 0.0;  ///< of that mean; NaN when the bin holds a single row
  /// What it would be by chance if the probabilities were exactly right; where that was computed.
  std::optional<double> perfect = {};
};

/// Rows for which two annotators were predicted to disagree about equally often.
struct DisagreementBin {
  std::size_t count = 0;
  double predicted = 0.0;       ///< mean predicted probability that two annotators disagree
  double observed = 0.0;        ///< mean share of pairs of annotators that do
  double standard_error = 0.0;  ///< of observed - predicted; NaN when the bin holds a single row
};

/// A named value; empty when the votes cannot give it (for example m = 1 for brier_unbiased).
struct MetricValue {
  std::string_view name;
  std::optional<double> value;
  std::optional<double> monte_carlo_error = {};  ///< standard error from the number of draws
};

struct Evaluation {
  MetricOptions protocol;
  std::size_t rows = 0;
  std::size_t classes = 0;
  std::size_t infinite_nll_rows = 0;  ///< rows with probability 0 for a class somebody chose
  /// Rows with two votes or more: brier_unbiased and annotator_disagreement are means over these
  /// alone. 0 when the votes are shares or fractional weights, whose number of voters is unknown.
  std::size_t repeated_rows = 0;
  /// What ece_expected would show on average, with so many examples and votes in each bin, if the
  /// model were perfectly calibrated: chance does not cancel within bins, so never 0.
  double ece_by_chance = 0.0;
  std::vector<MetricValue> metrics;         ///< in the order of metric_table()
  std::vector<ReliabilityBin> reliability;  ///< one per confidence bin
  /// Equal-frequency bins of entropy, ascending; rows of equal entropy share a bin, so there may be
  /// fewer than asked for.
  std::vector<EntropyBin> pointwise_by_entropy;
  /// Equal-frequency bins of predicted disagreement, as many as of entropy, ascending; empty where
  /// nothing was predicted, no example has two votes, or rows are not listed.
  std::vector<DisagreementBin> disagreement_bins;
  std::shared_ptr<const metrics::Scored> kept;  ///< the rows, when MetricOptions asked to keep them
  /// The value of a metric; a name that is not in metric_table() is an Error(usage).
  std::optional<double> operator[](std::string_view name) const;
  /// How far a Monte Carlo metric may be off for having drawn only so often; empty for others.
  std::optional<double> monte_carlo_error(std::string_view name) const;
};

/// The scores of single examples, in row order; they live as long as the evaluation.
struct ExampleScores {
  std::span<const std::uint32_t> predicted;
  std::span<const double> confidence;  ///< of the predicted class
  std::span<const double> agreement;   ///< share of annotators who chose it
  std::span<const double> nll, brier;  ///< against the annotators' distribution; nll may be +inf
  std::span<const double> entropy;     ///< of the annotators' distribution, in nats
  std::span<const unsigned char> hit;  ///< [predicted = voted]
};

/// An Error(usage) when the rows were not kept.
ExampleScores examples(const Evaluation& evaluation);

enum class Direction { lower, higher, neither };

std::string_view to_string(Direction direction);

/// The place of the best value, the first of equals. Empty when no value is there, or when neither
/// direction is better.
std::optional<std::size_t> best_place(Direction better,
                                      std::span<const std::optional<double>> values);

/// The catalogue of metrics, from which help, docs and tests list them.
struct Metric {
  std::string_view name;
  Direction better;
  bool percent = false;  ///< a share of examples or of probability, which people read in per cent
  std::string_view meaning;
  std::string_view definition;  ///< one line, in the letters of docs/metrics.md
  Evidence needs;               ///< the least that gives it a meaning of its own
  bool monte_carlo;             ///< depends on draws and seed, and has a Monte Carlo error
  bool interval;                ///< bootstrap() can give an interval
  std::string_view why_no_interval;
  std::string_view former_name = {};  ///< still understood, and in JSON beside the name
};
std::span<const Metric> metric_table();
/// The present name of a metric, given that or its former one.
std::string_view present_name(std::string_view name);
/// The former name; empty for most.
std::string_view former_name(std::string_view name);

/// How far annotators agree with each other, whatever the model says. Over the rows with two votes
/// or more; empty when there are none or when the votes are shares or fractional weights.
struct ReaderAgreement {
  /// Chance that two annotators of one example chose the same class, averaged over examples.
  std::optional<double> pairwise;
  /// Krippendorff's alpha for nominal data: 1 is full agreement, 0 what chance gives. Empty when
  /// everybody chose one and the same class.
  std::optional<double> krippendorff_alpha;
  std::size_t pairable_rows = 0;
};
ReaderAgreement reader_agreement(const Votes& votes);

/// Expected calibration error alone, at the speed of memory: confidence and agreement of the
/// predicted class, one pair per example.
double ece_expected(std::span<const double> confidence, std::span<const double> agreement,
                    int bins = 15);

/// The same for softmax(inverse_temperature * logits) without storing a probability, for
/// monitoring: one pass over the scores in float32 (the result is within 1e-7 of the exact one), in
/// double for rows so near a bin's edge that float32 cannot tell the side.
double ece_expected_from_logits(Scores logits, const Votes& votes, double inverse_temperature,
                                int bins = 15);

}  // namespace credence
