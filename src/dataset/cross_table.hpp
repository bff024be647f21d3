// Predicted classes and what annotators chose instead: the table that tells a swapped order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace credence::dataset {

/// Every how many-th of `rows` is looked at: more than 65,536 do not change the answer.
inline std::size_t class_order_step(std::size_t rows) {
  constexpr std::size_t kMostRows = std::size_t{1} << 16U;
  return std::max<std::size_t>((rows + kMostRows - 1) / kMostRows, 1);
}

/// Numbers by cell, 0 at first: a hash table with open addressing, since most cells are met once or
/// twice and a node for each would cost more than all the rest.
class CellMap {
 public:
  double& at(std::uint64_t cell) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    Slot& slot = find(cell);
    if (slot.cell == kEmpty) {
      slot.cell = cell;
      ++used_;
    }
    return slot.number;
  }
  /// Calls body(cell, number).
  template <class Body>
  void for_each(const Body& body) const {
    for (const Slot& slot : slots_) {
      if (slot.cell != kEmpty) body(slot.cell, slot.number);
    }
  }

 private:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t cell = kEmpty;
    double number = 0.0;
  };

  Slot& find(std::uint64_t cell) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (cell * 0x9e3779b97f4a7c15U >> 32U) & mask;
    while (slots_[at].cell != kEmpty && slots_[at].cell != cell) at = (at + 1) & mask;
    return slots_[at];
  }
  void grow() {
    std::vector<Slot> before(std::max<std::size_t>(4 * slots_.size(), 1024));
    before.swap(slots_);
    for (const Slot& slot : before) {
      if (slot.cell != kEmpty) find(slot.cell) = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

/// Whether annotators chose every class that is predicted at least as often as all others together.
/// Then no order of the classes is better than the present one, and no table need be made.
class ClearDiagonal {
 public:
  explicit ClearDiagonal(std::size_t classes) : own_(classes, 0.0), others_(classes, 0.0) {}

  /// A row of which `share` chose the predicted class.
  void add(std::uint32_t predicted, double share) {
    own_[predicted] += share;
    others_[predicted] += 1.0 - share;
  }
  void add(const ClearDiagonal& more) {
    for (std::size_t k = 0; k < own_.size(); ++k) {
      own_[k] += more.own_[k];
      others_[k] += more.others_[k];
    }
  }
  /// Nothing can be chosen more often than class k where that is predicted.
  bool is_clear(std::size_t k) const {
    constexpr double kRounding = 1e-9;
    return !(others_[k] > 0.0 && own_[k] < (1.0 + kRounding) * others_[k]);
  }
  bool is_clear() const {
    for (std::size_t k = 0; k < own_.size(); ++k) {
      if (!is_clear(k)) return false;
    }
    return true;
  }

 private:
  std::vector<double> own_, others_;
};

/// How often annotators chose each class where the model predicts another: shares, summed over
/// rows.
class CrossTable {
 public:
  static constexpr std::size_t kMostSolved = 512;  ///< n^3 steps: a tenth of a second

  explicit CrossTable(std::size_t classes)
      : classes_(classes), dense_(classes <= kMostSolved ? classes * classes : 0, 0.0) {}

  double& at(std::uint32_t predicted, std::uint32_t chosen) {
    const std::uint64_t cell = std::uint64_t{predicted} * classes_ + chosen;
    return dense_.empty() ? sparse_.at(cell) : dense_[cell];
  }

  /// No class is chosen more often than the predicted one, so that no order of the classes is
  /// better than the present one. Rows that predict a clear class (ClearDiagonal) may be left out.
  bool keeps_the_diagonal() const;
  /// The class that each predicted one looks like.
  std::vector<std::uint32_t> best_order() const;

 private:
  std::size_t classes_;
  std::vector<double> dense_;
  CellMap sparse_;
};

}  // namespace credence::dataset
