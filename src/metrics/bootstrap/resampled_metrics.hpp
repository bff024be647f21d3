// The metrics of an evaluation that can be resampled, as functions of sums.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "metrics/catalogue/definition.hpp"

namespace credence::metrics {

class ResampledMetrics {
 public:
  /// `plain`: the sums with weights of 1, added up as resamples are, by slot.
  ResampledMetrics(const Layout& layout, const Evaluation& evaluation,
                   std::span<const double> plain);

  /// Indices into definitions() of the metrics that can be resampled.
  std::span<const std::size_t> indices() const { return indices_; }
  std::size_t size() const { return indices_.size(); }
  double point(std::size_t j) const { return points_[j]; }
  const Definition& definition(std::size_t j) const { return *definitions()[indices_[j]]; }
  double divisor(std::size_t j) const { return definition(j).divisor(classes_); }

  /// Writes the value of each metric for the sums slots[slot * lanes + lane] to
  /// out[metric * lanes + lane]. Where the value on the rows as they are is computed more exactly
  /// than from sums, the difference is carried over, so that weights of 1 give the value back.
  void values(std::span<const double> slots, std::size_t lanes, std::span<double> out) const;

 private:
  Layout layout_;
  std::size_t classes_;
  std::vector<std::size_t> indices_;
  std::vector<std::size_t> same_as_;  ///< the first of them with the same function of sums
  std::vector<double> points_, offsets_;
};

}  // namespace credence::metrics
