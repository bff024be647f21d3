// A results file as it was read back: everything that pages and figures show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "credence/metrics.hpp"

namespace credence::report {

using Maybe = std::optional<double>;

struct ReadEstimate {
  Maybe value, standard_error, low, high;
};
using ReadEstimates = std::map<std::string, ReadEstimate, std::less<>>;

struct ReadMetric {
  std::string name, meaning, definition, needs, why_no_interval;
  Direction better = Direction::neither;
};

struct ReadBin {
  double from = 0.0, to = 0.0;
  std::size_t count = 0;
  Maybe confidence, agreement, accuracy;
  Maybe agreement_error, accuracy_error, agreement_noise, accuracy_noise;
};

struct ReadEntropyBin {
  std::size_t count = 0;
  double entropy = 0.0, error = 0.0;
  Maybe standard_error;
};

struct ReadMapBin {
  double before = 0.0, after = 0.0, low = 0.0, high = 0.0;
};

struct ReadDensity {
  std::size_t columns = 0, rows = 0;
  std::vector<double> counts;
};

struct ReadStage {
  std::string target, map, stop;
  std::vector<std::string> notes;
};

struct ReadMethod {
  std::string name;
  bool recommended = false, oracle = false;
  Maybe temperature, changed_predictions, cross_validated, cross_validation_error;
  std::string cross_validation_problem;
  std::size_t parameters = 0, infinite_nll_rows = 0;
  std::vector<ReadStage> stages;
  ReadEstimates metrics;
  std::map<std::string, ReadEstimates, std::less<>> differences;  ///< by reference
  std::vector<ReadBin> reliability;
  std::vector<ReadEntropyBin> by_entropy;
  std::vector<ReadMapBin> confidence_map;
  std::optional<ReadDensity> density;

  /// Nothing where the file has no such metric.
  ReadEstimate metric(std::string_view name) const;
};

struct ReadSplit {
  std::uint64_t seed = 0;
  std::optional<std::size_t> calibration_rows;
  std::size_t evaluation_rows = 0, resampled_units = 0;
  std::string recommended, why;
  std::vector<std::string> references;
  std::vector<ReadMethod> methods;  ///< best nll first

  const ReadMethod* find(std::string_view name) const;
};

struct ReadAnnotations {
  std::size_t rows = 0, classes = 0, ties = 0, repeated_rows = 0;
  std::optional<std::size_t> groups;
  std::string evidence;
  bool shares = false;
  double votes_per_example = 0.0, fewest_votes = 0.0, most_votes = 0.0, entropy = 0.0;
  Maybe pairwise, alpha;
  std::vector<double> entropy_histogram;
  std::vector<std::pair<double, std::size_t>> votes_histogram;
  std::vector<double> annotator_shares, voted_shares;
  std::vector<double> confusion;  ///< row-major, empty when left out
  std::vector<std::size_t> confusion_rows;
};

struct ReadProtocol {
  std::string split, gauge, score_kind, fingerprint, joined_by, classes_matched;
  Maybe calibration_share;
  std::vector<std::uint64_t> seeds;
  std::size_t folds = 0, bins = 0, entropy_bins = 0, draws = 0, draw_seed = 0;
  std::size_t resamples = 0, refits = 0;
  double level = 0.0;
  std::string interval, units, multiplicity;
  bool annotators_resampled = false;
  std::vector<std::string> class_names, notes;
};

struct ReadSpread {
  std::string name;
  std::size_t times_recommended = 0;
  struct Value {
    Maybe mean, deviation;
    std::size_t splits = 0;
  };
  std::map<std::string, Value, std::less<>> metrics;
};

/// A metric of a method along a setting of `ablate`.
struct ReadAblationPoint {
  std::string study, method;
  double setting = 0.0;
  std::size_t calibration_rows = 0;
  Maybe temperature;
  std::map<std::string, Maybe, std::less<>> metrics;
};
struct ReadAblation {
  std::string origin;
  std::vector<std::string> command;
  std::vector<ReadAblationPoint> points;
};

/// Single examples of the first split, thinned out evenly.
struct ReadExamples {
  std::size_t available = 0;       ///< in the file
  std::vector<std::string> names;  ///< ids, or row numbers
  std::vector<double> votes;
  std::vector<std::string> predicted, voted;  ///< by the first method
  struct Method {
    std::string name;
    std::vector<double> confidence, agreement;
    std::vector<bool> correct;
  };
  std::vector<Method> methods;
};

/// Points of `simulate toy`, for its picture.
struct ReadToyPoint {
  double x = 0.0, y = 0.0;
  std::string cluster;
  bool ambiguous = false;
};

struct Results {
  std::string origin;
  std::string program;
  std::vector<std::string> command;
  std::string recommended, why;
  std::vector<std::string> words, warnings;
  ReadAnnotations calibration, evaluation;
  ReadProtocol protocol;
  std::vector<ReadMetric> metrics;
  std::vector<ReadSplit> splits;  ///< at least one
  std::vector<ReadSpread> over_splits;
  std::vector<ReadAblation> ablations;
  std::optional<ReadExamples> examples;
  std::vector<ReadToyPoint> toy;

  const ReadSplit& first() const { return splits.front(); }
  const ReadMethod& chosen() const;
  const ReadMetric* metric(std::string_view name) const;
  /// The name of class k, or its number.
  std::string class_name(std::size_t k) const;
  std::vector<std::string> class_names() const;
};

/// The candidate (never the oracle) with the best value; nullptr when none has one.
const ReadMethod* best(const ReadSplit& split, const ReadMetric& metric);
/// Not worse than the best within noise: the interval of the paired difference reaches zero.
bool among_best(const ReadSplit& split, const ReadMethod& method, const ReadMetric& metric);

}  // namespace credence::report
