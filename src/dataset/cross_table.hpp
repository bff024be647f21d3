// Predicted classes and what annotators chose instead: the table that tells a swapped order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace credence::dataset {

/// Every how many-th of `rows` is looked at: more than 65,536 do not change the answer.
inline std::size_t class_order_step(std::size_t rows) {
  constexpr std::size_t kMostRows = std::size_t{1} << 16U;
  return std::max<std::size_t>((rows + kMostRows - 1) / kMostRows, 1);
}

/// How often annotators chose each class where the model predicts another: shares, summed over
/// rows.
class CrossTable {
 public:
  static constexpr std::size_t kMostSolved = 512;  ///< n^3 steps: a tenth of a second

  explicit CrossTable(std::size_t classes)
      : classes_(classes), dense_(classes <= kMostSolved ? classes * classes : 0, 0.0) {}

  double& at(std::uint32_t predicted, std::uint32_t chosen) {
    const std::uint64_t cell = std::uint64_t{predicted} * classes_ + chosen;
    return dense_.empty() ? sparse_[cell] : dense_[cell];
  }

  /// Adds the table of other rows.
  void add(const CrossTable& other) {
    for (std::size_t cell = 0; cell < dense_.size(); ++cell) dense_[cell] += other.dense_[cell];
    for (const auto& [cell, gain] : other.sparse_) sparse_[cell] += gain;
  }
  /// No class is chosen more often than the predicted one, so that no order of the classes is
  /// better than the present one.
  bool keeps_the_diagonal() const;
  /// The class that each predicted one looks like.
  std::vector<std::uint32_t> best_order() const;

 private:
  std::size_t classes_;
  std::vector<double> dense_;
  std::unordered_map<std::uint64_t, double> sparse_;
};

}  // namespace credence::dataset
