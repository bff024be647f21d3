// One evaluation in memory made ready for resampling: what its rows add to which sums, and how much
// each unit moves each metric.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "metrics/bootstrap/packed_rows.hpp"
#include "metrics/bootstrap/resampled_metrics.hpp"

namespace credence::metrics {

/// Rows gathered into units that are drawn as a whole.
struct Units {
  std::size_t count = 0;
  std::vector<std::uint32_t> of_row;
  /// Every row its own unit, or one unit per distinct group, in order of first appearance.
  Units(std::size_t rows, std::span<const std::uint32_t> groups);
};

/// The single sums to which every row adds what it adds under another evaluation of the same votes.
Omitted shared_scalars(const Scored& s, const Scored& base);

class ResampleSubject {
 public:
  /// `base`: another evaluation of the same votes, if there is one. What rows add to most single
  /// sums is the same under many calibrators, and is then added up for the base alone.
  ResampleSubject(const Evaluation& evaluation, const Units& units, bool with_influences,
                  const ResampleSubject* base = nullptr);

  const Scored& scored() const { return *scored_; }
  const Layout& layout() const { return layout_; }
  const ResampledMetrics& metrics() const { return *metrics_; }
  /// sums[slot * kLanes + lane] over the rows, each weighed as its unit; `of_base` are those of the
  /// base.
  void add_up(const std::uint8_t* weight, const std::vector<double>& of_base,
              std::vector<double>& sums) const;

  /// influence[unit * metrics().size() + j]: how much metric j moves per unit of weight of the
  /// unit, to first order; they add up to 0.
  std::span<const double> influences() const { return influences_; }

 private:
  void fill_influences(const Units& units, std::span<const double> slots);

  const Scored* scored_;
  Layout layout_;
  Omitted shared_;  ///< single sums that are as in the base
  PackedRows rows_;
  std::vector<double> plain_;  ///< sums with weights of 1, in every lane
  std::optional<ResampledMetrics> metrics_;
  std::vector<double> influences_;
};

/// Standard error of a metric from sums over units: of w, of w influence and of w influence^2.
double influence_error(double units, double sum, double squares);

}  // namespace credence::metrics
