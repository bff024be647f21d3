// A running sum whose error does not grow with the number of terms.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace credence::metrics {

/// Neumaier's compensated sum (Neumaier 1974). Terms are added one by one in row order, so the
/// result depends on the rows alone, not on how they were cut into blocks.
class Sum {
 public:
  void add(double term) {
    const double next = sum_ + term;
    lost_ += std::abs(sum_) >= std::abs(term) ? (sum_ - next) + term : (term - next) + sum_;
    sum_ = next;
  }
  double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0.0;
  double lost_ = 0.0;
};

/// Many of them side by side, to the same bits. What an addition loses is found without comparing
/// (Knuth 1969), so that a processor adds several at a time.
template <std::size_t N>
class SumRow {
 public:
  void add(const std::array<double, N>& terms) {
    for (std::size_t i = 0; i < N; ++i) {
      const double before = sum_[i], next = before + terms[i], of_term = next - before;
      lost_[i] += (before - (next - of_term)) + (terms[i] - of_term);
      sum_[i] = next;
    }
  }
  /// The sums, after which they begin again.
  std::array<double, N> take() {
    std::array<double, N> values;
    for (std::size_t i = 0; i < N; ++i) values[i] = sum_[i] + lost_[i];
    sum_ = lost_ = {};
    return values;
  }

 private:
  std::array<double, N> sum_{}, lost_{};
};

}  // namespace credence::metrics
