// Equal-width bins of [0, 1]: bin b is (b/B, (b+1)/B], the first closed at 0.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace credence::core {

/// The bin of `x` among B, without a table of edges: the same answer as UnitBins::index, for
/// callers that ask once.
inline std::size_t unit_bin(double x, std::size_t bins) {
  if (!(x >= 0.0 && x <= 1.0)) [[unlikely]]
    return x > 1.0 ? bins - 1 : 0;
  const auto scale = static_cast<double>(bins);
  const auto above = static_cast<std::size_t>(static_cast<int>(x * scale));
  if (above == 0) return 0;
  return above - (above == bins || x <= static_cast<double>(above) / scale ? 1 : 0);
}

class UnitBins {
 public:
  explicit UnitBins(int bins)
      : count_(static_cast<std::size_t>(bins)), scale_(bins), edges_(count_ + 1) {
    for (std::size_t b = 0; b <= count_; ++b) edges_[b] = static_cast<double>(b) / scale_;
    edges_.front() = std::numeric_limits<double>::quiet_NaN();  // nothing lies below the first bin
    edges_.back() = std::numeric_limits<double>::infinity();
  }

  std::size_t count() const { return count_; }

  /// The bin of `x`, decided by comparing with the float64 edges b/B alone. If x > fl(b/B) then x
  /// also exceeds the real b/B (otherwise fl(b/B) would not be its nearest double), so fl(x B) is
  /// never below b: truncation is right or one too high, and one comparison settles it. Values
  /// outside [0, 1], even NaN, land in the first or last bin rather than outside the array.
  std::size_t index(double x) const {
    if (!(x >= 0.0 && x <= 1.0)) [[unlikely]]
      return x > 1.0 ? count_ - 1 : 0;
    const auto above = static_cast<std::size_t>(static_cast<int>(x * scale_));
    return above - (x <= edges_[above] ? 1 : 0);
  }

 private:
  std::size_t count_;
  double scale_;
  std::vector<double> edges_;
};

/// Sums over the rows of each bin, added to in pieces. Four interleaved sets of sums hide the
/// latency of adding to the same bin again and again; which set a row uses depends on its index
/// only, so the pieces must be multiples of kLanes long, except the last.
class BinSums {
 public:
  static constexpr std::size_t kLanes = 4;
  explicit BinSums(const UnitBins& bins) : bins_(&bins), lanes_(kLanes * bins.count(), 0.0) {}

  /// Adds gap(i) to the bin of confidence[i].
  template <class Gap>
  void add(std::span<const double> confidence, const Gap& gap) {
    const std::size_t n = confidence.size();
    double* const sums = lanes_.data();
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      // All four places before the first addition, so that no load waits for a store.
      std::size_t place[kLanes];
      double term[kLanes];
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        place[lane] = bins_->index(confidence[i + lane]) * kLanes + lane;
        term[lane] = gap(i + lane);
      }
      for (std::size_t lane = 0; lane < kLanes; ++lane) sums[place[lane]] += term[lane];
    }
    for (; i < n; ++i) sums[bins_->index(confidence[i]) * kLanes + i % kLanes] += gap(i);
  }

  std::vector<double> values() const {
    std::vector<double> result(bins_->count());
    for (std::size_t b = 0; b < result.size(); ++b) {
      const double* four = lanes_.data() + b * kLanes;
      result[b] = (four[0] + four[1]) + (four[2] + four[3]);
    }
    return result;
  }

 private:
  const UnitBins* bins_;
  std::vector<double> lanes_;
};

/// Sum over the rows of each bin of gap(i).
template <class Gap>
std::vector<double> bin_sums(const UnitBins& bins, std::span<const double> confidence,
                             const Gap& gap) {
  BinSums sums(bins);
  sums.add(confidence, gap);
  return sums.values();
}

}  // namespace credence::core
