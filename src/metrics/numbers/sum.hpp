// A running sum whose error does not grow with the number of terms.
#pragma once

#include <cmath>

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

}  // namespace credence::metrics
