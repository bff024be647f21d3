#include "dataset/cross_table.hpp"

#include <numeric>
#include <utility>

#include "credence/matrix.hpp"
#include "dataset/assignment.hpp"

namespace credence::dataset {

bool CrossTable::keeps_the_diagonal() const {
  std::vector<double> own(classes_, 0.0), most(classes_, 0.0);
  const auto look = [&](std::uint64_t cell, double gain) {
    const std::size_t row = cell / classes_;
    if (cell % classes_ == row) own[row] = gain;
    most[row] = std::max(most[row], gain);
  };
  for (std::size_t cell = 0; cell < dense_.size(); ++cell) look(cell, dense_[cell]);
  sparse_.for_each(look);
  return own == most;
}

std::vector<std::uint32_t> CrossTable::best_order() const {
  if (keeps_the_diagonal()) {
    std::vector<std::uint32_t> order(classes_);
    std::iota(order.begin(), order.end(), 0U);
    return order;
  }
  if (!dense_.empty()) return best_assignment(Rows(dense_.data(), classes_, classes_));
  std::vector<Entry> entries;
  sparse_.for_each([&](std::uint64_t cell, double gain) {
    entries.push_back({static_cast<std::uint32_t>(cell / classes_),
                       static_cast<std::uint32_t>(cell % classes_), gain});
  });
  return greedy_assignment(std::move(entries), classes_);
}

}  // namespace credence::dataset
