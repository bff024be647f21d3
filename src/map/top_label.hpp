// Maps that move the largest probability only: isotonic steps and histogram bins. They solve
// themselves from one (confidence, target at the predicted class) per example.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
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

/// The parameters that fit best, and the mean square that they leave.
struct TopLabelFit {
  std::vector<double> theta;
  double loss;
};
TopLabelFit fit_top_label(const TopLabelIsotonic& map, std::vector<TopLabel> examples);
TopLabelFit fit_top_label(const TopLabelHistogram& map, std::vector<TopLabel> examples);

/// The calibrated confidence.
double top_label_value(const TopLabelIsotonic& map, Params theta, double confidence);
double top_label_value(const TopLabelHistogram& map, Params theta, double confidence);

/// Largest probability of softmax(u) per row of a tile, and its class (lowest index on ties).
void tile_top(const double* u, std::size_t classes, double* confidence, std::uint32_t* top);

/// Confidences become calibrated confidences, in place.
using Recalibrate = std::function<void(std::span<double> confidence)>;

/// A tile of logits becomes probabilities: the largest of each row is recalibrated, the others
/// share the rest in proportion. The stride is core::tile_rows(K), or 1 for a single row.
void replace_top(double* u, std::size_t classes, std::size_t stride,
                 const Recalibrate& recalibrate);

}  // namespace credence::map
