// Maps that move the largest probability only: isotonic steps and histogram bins. They solve
// themselves from one (confidence, target at the predicted class) per example.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "credence/map.hpp"
#include "credence/matrix.hpp"
#include "map/about.hpp"

namespace credence::map {

/// What a top-label map learns from an example.
struct TopLabel {
  double confidence;
  double target;  ///< q at the predicted class
};

/// The parameters that fit best, and the mean square that they leave.
struct TopLabelFit {
  std::vector<double> theta;
  double loss;
};

/// The mean of some targets and of a prior's: half of its examples are right.
inline double smoothed_mean(double sum, double count, double step_prior) {
  return (sum + 0.5 * step_prior) / (count + step_prior);
}

/// A map that gives the calibrated confidence.
template <class M>
concept Direct = requires(const M& map, Params theta, double confidence) {
  { Math<M>::value(map, theta, confidence) } -> std::same_as<double>;
};

/// It is fitted from all examples at once, or from sums over them.
template <class M>
concept FittedToExamples = Direct<M> && requires(const M& map, std::vector<TopLabel> examples) {
  { Math<M>::fit(map, std::move(examples)) } -> std::same_as<TopLabelFit>;
};
template <class M>
concept FittedToSums = Direct<M> && requires(const M& map, const TopLabel& example, double* sums,
                                             const std::vector<double>& totals) {
  { Math<M>::count_sums(map) } -> std::same_as<std::size_t>;
  { Math<M>::add(map, example, sums) } -> std::same_as<void>;
  { Math<M>::fit(map, totals) } -> std::same_as<TopLabelFit>;
};

/// Largest probability of softmax(u) per row of a tile, and its class (lowest index on ties).
void tile_top(const double* u, std::size_t classes, double* confidence, std::uint32_t* top);

/// One number per row of a tile.
using TopColumn = std::array<double, 64>;
/// Where the other classes together underflow beside the top, they are compared among themselves.
inline constexpr double kLost = 1e-280;
/// The largest logit of each row becomes nothing beside the others.
void remove_top(double* u, std::size_t classes, std::size_t stride, const TopColumn& top);

/// Probabilities become log-probabilities, in place. A probability of 0 becomes the smallest normal
/// float32, as it does in score files.
void log_of_probabilities(double* p, std::size_t count);

}  // namespace credence::map
