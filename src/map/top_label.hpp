// Maps that move the largest probability only: isotonic steps and histogram bins. They solve
// themselves from one (confidence, target at the predicted class) per example.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "credence/map.hpp"
#include "credence/matrix.hpp"

namespace credence::map {

/// What a top-label map learns from an example.
struct TopLabel {
  double confidence;
  double target;  ///< q at the predicted class
};

template <class M>
concept Direct = std::same_as<M, TopLabelIsotonic> || std::same_as<M, TopLabelHistogram>;

inline bool has_steps(const MapSpec& map) {
  return std::visit([]<class M>(const M&) { return Direct<M>; }, map);
}

/// A step is a mean of targets: where all examples of one agreed it is 1 (or 0), and the other
/// classes (or the predicted one) get probability 0. The smooth maps never do.
inline bool can_give_zero(const MapSpec& map) { return has_steps(map); }

/// The parameters that fit best, and the mean square that they leave.
struct TopLabelFit {
  std::vector<double> theta;
  double loss;
};
TopLabelFit fit_top_label(const TopLabelIsotonic& map, std::vector<TopLabel> examples);

/// A histogram is fitted from this many sums over examples, to which each adds.
std::size_t histogram_sums(const TopLabelHistogram& map);
void add_to_histogram(const TopLabelHistogram& map, const TopLabel& example, double* sums);
TopLabelFit fit_histogram(const TopLabelHistogram& map, const std::vector<double>& sums);

/// The calibrated confidence.
double top_label_value(const TopLabelIsotonic& map, Params theta, double confidence);
double top_label_value(const TopLabelHistogram& map, Params theta, double confidence);

/// Largest probability of softmax(u) per row of a tile, and its class (lowest index on ties).
void tile_top(const double* u, std::size_t classes, double* confidence, std::uint32_t* top);

/// A tile of logits becomes probabilities: the largest of each row is recalibrated, the others
/// share the rest in proportion.
template <Direct M>
void replace_top(const M& map, Params theta, std::size_t classes, double* u);

/// The same for a single row; u is used up.
template <Direct M>
void replace_top_of_row(const M& map, Params theta, std::size_t classes, double* u, double* p);

/// Probabilities become log-probabilities, in place. A probability of 0 becomes the smallest normal
/// float32, as it does in score files.
void log_of_probabilities(double* p, std::size_t count);

}  // namespace credence::map
