// The results of a comparison as one value: what results.json holds and what report, figures and
// tables show. A number that is not finite has no place in the file, so it is missing here too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "credence/calibrator.hpp"
#include "credence/diagrams.hpp"
#include "credence/loss_parts.hpp"
#include "credence/metrics.hpp"
#include "credence/verdict.hpp"

namespace credence {
struct Comparison;
}

namespace credence::report {

using Maybe = std::optional<double>;

/// Values by name, in the order in which they are written.
template <class T>
struct ByName : std::vector<std::pair<std::string, T>> {
  using std::vector<std::pair<std::string, T>>::vector;

  const T* find(std::string_view name) const {
    for (const auto& [known, value] : *this) {
      if (known == name) return &value;
    }
    return nullptr;
  }
};

/// Where the data came from and how to do it again: what a Comparison cannot know.
struct Provenance {
  std::string program;               ///< name and version
  std::vector<std::string> command;  ///< arguments that give the same results, without threads
  std::string score_kind, joined_by, classes_matched, fingerprint;
  std::vector<std::string> class_names;
  std::vector<std::string> notes;  ///< of reading and joining, in words of the command line
  bool operator==(const Provenance&) const = default;
};

struct EstimateRecord {
  Maybe value, standard_error, low, high;
  bool operator==(const EstimateRecord&) const = default;
};
using Estimates = ByName<EstimateRecord>;  ///< by metric

struct MetricRecord {
  std::string name, needs, meaning, definition, why_no_interval;
  Direction better = Direction::neither;
  bool operator==(const MetricRecord&) const = default;
};
/// The metrics of this program.
std::vector<MetricRecord> metric_records();

/// A bin of the reliability diagram; an empty one has no means.
struct BinRecord {
  double from = 0.0, to = 0.0;
  std::size_t count = 0;
  Maybe confidence, agreement, accuracy;
  std::optional<BinSpread> spread;  ///< empty when the examples were not kept
  bool operator==(const BinRecord&) const = default;
};

struct EntropyBinRecord {
  std::size_t count = 0;
  double entropy = 0.0, error = 0.0;
  Maybe standard_error;
  Maybe perfect;  ///< what a perfect method would show; of the candidate alone
  bool operator==(const EntropyBinRecord&) const = default;
};

struct DisagreementBinRecord {
  std::size_t count = 0;
  double predicted = 0.0, observed = 0.0;
  Maybe standard_error;
  bool operator==(const DisagreementBinRecord&) const = default;
};

struct StageRecord {
  std::string target, map;
  Stop stop = Stop::direct;
  std::size_t parameters = 0, passes = 0;
  Maybe loss, gradient_norm;
  std::vector<std::string> notes;
  bool operator==(const StageRecord&) const = default;
};

/// nll on held-out calibration rows, or why there is none.
struct HeldOutRecord {
  Maybe nll, standard_error;
  std::string problem;
  bool operator==(const HeldOutRecord&) const = default;
};

struct MethodRecord {
  std::string name;
  std::size_t rank = 0;  ///< by nll, from 1
  bool recommended = false, oracle = false;
  Maybe temperature;
  std::size_t parameters = 0;
  std::vector<StageRecord> stages;
  HeldOutRecord held_out;
  std::optional<Selection> selection;  ///< where the program chose among candidates
  Estimates metrics;
  ByName<Maybe> monte_carlo_errors;
  ByName<Estimates> differences;  ///< by reference
  Maybe changed_predictions, ece_by_chance;
  std::size_t infinite_nll_rows = 0, repeated_rows = 0;
  std::vector<BinRecord> reliability;
  std::vector<EntropyBinRecord> by_entropy;
  std::vector<DisagreementBinRecord> disagreement;  ///< empty where it was not predicted
  std::vector<ConfidenceMapBin> confidence_map;
  std::optional<ErrorDensity> error_density;
  Estimates refit_metrics;  ///< empty without refits
  ByName<Estimates> refit_differences;
  bool operator==(const MethodRecord&) const = default;

  /// Nothing where there is no such metric.
  EstimateRecord metric(std::string_view name) const;
  /// This method minus `reference`; nothing where they were not compared.
  EstimateRecord difference(std::string_view reference, std::string_view metric) const;
};

struct SplitRecord {
  std::uint64_t seed = 0;
  std::optional<std::size_t> calibration_rows;  ///< empty when the data came in two parts
  std::size_t evaluation_rows = 0, resampled_units = 0;
  Verdict verdict = Verdict::ship;  ///< older files knew no other
  std::string recommended, candidate, why;
  std::vector<std::string> references;
  std::vector<MethodRecord> methods;    ///< best nll first
  std::optional<LossParts> loss_parts;  ///< of the first split; older files have none
  bool operator==(const SplitRecord&) const = default;

  const MethodRecord* find(std::string_view name) const;
};

struct AnnotationRecord {
  std::size_t rows = 0, classes = 0, ties = 0, repeated_rows = 0;
  std::optional<std::size_t> groups;
  std::string evidence;
  bool shares = false;
  double votes_per_example = 0.0, fewest_votes = 0.0, most_votes = 0.0, entropy = 0.0;
  Maybe pairwise, alpha;
  std::optional<VoteDiagrams> votes;  ///< of the evaluation rows; older files have none
  bool operator==(const AnnotationRecord&) const = default;
};

struct ProtocolRecord {
  std::string split, gauge;
  Maybe calibration_share;
  std::vector<std::uint64_t> seeds;
  std::string selected_by, selection_rule, selection_rows;
  std::size_t folds = 0;
  std::size_t bins = 0, entropy_bins = 0, draws = 0;
  std::uint64_t draw_seed = 0;
  std::size_t resamples = 0, refits = 0;
  double level = 0.0;
  std::string interval, units, multiplicity;
  bool annotators_resampled = false;
  bool operator==(const ProtocolRecord&) const = default;
};

struct SpreadRecord {
  Maybe mean, deviation;
  std::size_t splits = 0;  ///< that have a value
  bool operator==(const SpreadRecord&) const = default;
};
struct MethodSpreadRecord {
  std::string name;
  std::size_t times_recommended = 0;
  ByName<SpreadRecord> metrics;
  bool operator==(const MethodSpreadRecord&) const = default;
};

/// A method at one setting and seed of `ablate`.
struct AblationMethodRecord {
  std::string method;
  Maybe temperature;
  ByName<Maybe> metrics;
  bool operator==(const AblationMethodRecord&) const = default;
};
struct AblationSettingRecord {
  std::string study;
  double setting = 0.0;
  std::uint64_t seed = 0;
  std::size_t calibration_rows = 0;
  double votes_per_example = 0.0;
  std::vector<AblationMethodRecord> methods;
  bool operator==(const AblationSettingRecord&) const = default;
};
/// What results.json of `ablate` holds.
struct AblationRecord {
  std::string origin;  ///< the file it was read from
  Provenance provenance;
  AnnotationRecord data;
  std::vector<std::uint64_t> seeds;
  double calibration_share = 0.0;
  std::string split, gauge;
  std::size_t bins = 0, draws = 0;
  std::uint64_t draw_seed = 0;
  std::vector<MetricRecord> metrics;
  std::vector<AblationSettingRecord> results;
  bool operator==(const AblationRecord&) const = default;
};

/// Single examples of the first split.
struct ExampleRecords {
  std::size_t available = 0;       ///< before they were thinned out
  std::vector<std::string> names;  ///< ids, or row numbers
  std::vector<double> votes;
  std::vector<std::string> predicted, voted;  ///< by the first method
  struct Method {
    std::string name;
    std::vector<double> confidence, agreement;
    std::vector<bool> correct;
    bool operator==(const Method&) const = default;
  };
  std::vector<Method> methods;
  bool operator==(const ExampleRecords&) const = default;
};

/// A point of `simulate toy`, for its picture.
struct ToyPointRecord {
  double x = 0.0, y = 0.0;
  std::string cluster;
  bool ambiguous = false;
  bool operator==(const ToyPointRecord&) const = default;
};

struct Results {
  std::string origin = "results.json";  ///< the file it was read from, for messages
  Provenance provenance;
  Verdict verdict = Verdict::ship;
  std::string recommended;  ///< what to use: a method, or "uncalibrated"
  std::string candidate;    ///< the method chosen on calibration rows; empty in older files
  std::string why;
  std::string keeper;  ///< the best method that keeps every prediction, where that is known
  std::optional<Decisions> decisions;
  std::optional<std::size_t> examples_needed;  ///< where there were too few to choose
  std::vector<std::string> words;              ///< the answer, most important first
  std::vector<std::string> warnings;
  AnnotationRecord calibration, evaluation;
  ProtocolRecord protocol;
  std::vector<MetricRecord> metrics;
  std::vector<SplitRecord> splits;  ///< at least one
  std::vector<MethodSpreadRecord> over_splits;

  // Shown with the comparison, from files of their own.
  std::vector<AblationRecord> ablations;
  std::optional<ExampleRecords> examples;
  std::vector<ToyPointRecord> toy;
  bool operator==(const Results&) const = default;

  const SplitRecord& first() const { return splits.front(); }
  /// The candidate: what is shown beside the model as it is, recommended or not.
  const MethodRecord& chosen() const;
  const MetricRecord* metric(std::string_view name) const;
  const MethodSpreadRecord* spread(std::string_view method) const;
  /// Mean and spread of a metric; nullptr where a split has no value, because a mean over the
  /// others would flatter the method.
  const SpreadRecord* over_all_splits(std::string_view method, std::string_view metric) const;
  /// The name of class k, or its number.
  std::string class_name(std::size_t k) const;
  std::vector<std::string> class_names() const;
};

/// Everything about a comparison that is worth keeping.
Results results_of(const Comparison& comparison, const Provenance& provenance);

/// The file results.json (see docs/results-file.md): the same bytes for any number of threads.
std::string results_json(const Results& results, int threads = 1);
/// A text of `compare`, read strictly: what is missing or of another kind, or of a later version,
/// is an Error that names `origin` and the path within it.
Results parse_results(std::string_view text, const std::string& origin);

/// The candidate (never the oracle) with the best value; nullptr when none has one.
const MethodRecord* best(const SplitRecord& split, const MetricRecord& metric);
/// Not worse than the best within noise: the interval of the paired difference reaches zero. False
/// for methods without a value, and for the oracle.
bool among_best(const SplitRecord& split, const MethodRecord& method, const MetricRecord& metric);

}  // namespace credence::report
