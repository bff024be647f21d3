// The targets of a few rows as one list of entries. How many a row has is not to be foreseen, so a
// loop over each row's own entries costs the processor a wrong guess per row.
#pragma once

#include <vector>

#include "credence/target.hpp"

namespace credence::fit_detail {

class EntryList {
 public:
  struct Entry {
    std::uint32_t row;  ///< of those listed
    std::uint32_t label;
    double share;
  };

  /// Rows first .. first + rows - 1, one after the other; valid until the next call.
  const std::vector<Entry>& list(const Targets& targets, std::size_t first, std::size_t rows) {
    const std::size_t begin = targets.begin(first), count = targets.begin(first + rows) - begin;
    entries_.resize(count);
    if (count == 0) return entries_;
    const TargetRow all = targets.row(first);
    const std::uint32_t* const classes = all.classes.data();
    const double* const weights = all.weights.data();
    steps_.assign(count + 1, 0);
    totals_.resize(rows);
    for (std::size_t r = 0; r < rows; ++r) {
      totals_[r] = targets.total(first + r);
      if (r > 0) ++steps_[targets.begin(first + r) - begin];
    }
    std::uint32_t row = 0;
    for (std::size_t e = 0; e < count; ++e) {
      row += steps_[e];
      entries_[e] = {row, classes[e], weights[e] / totals_[row]};
    }
    return entries_;
  }

 private:
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> steps_;  ///< how many rows begin at an entry
  std::vector<double> totals_;
};

}  // namespace credence::fit_detail
