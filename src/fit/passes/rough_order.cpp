#include "fit/passes/rough_order.hpp"

#include <algorithm>
#include <bit>

#include "core/array_kernels.hpp"

namespace credence::fit_detail {
/// Let e_k = 2^-y_k be the others' exponentials and s their sum. Difference, log2 e and product are
/// rounded, so that y is off by 3 y 2^-24, and e by less than (2.1 y + 8) 2^-24 of itself; the
/// average of y with weights e is at most log2(K / s). Adding up costs 2^-24 for each number that a
/// lane takes, and leaving out two bits 8 of these. Double is off by a few units of 2^-52 per
/// class.
RoughOthers::RoughOthers(std::size_t classes)
    : in_sum_(static_cast<double>(classes < core::kLongRow ? classes : classes / 32 + 8) + 24.0 +
              kPerPower * static_cast<double>(std::bit_width(classes))),
      in_double_((static_cast<double>(classes) + 16.0) * 0x1p-52) {}

RoughOrder::RoughOrder(std::vector<RoughRow> rows, std::size_t classes)
    : rows_(std::move(rows)), rough_(classes) {
  core::radix_sort(rows_, [](const RoughRow& row) { return row.key; });
  // The lower ends fall with confidence; the upper ones do but where the power of 2 changes.
  double low = rough_.range(rows_.front().others()).low;
  for (std::uint32_t i = 1, first = 0; i <= rows_.size(); ++i) {
    const OthersRange next = i < rows_.size() ? rough_.range(rows_[i].others()) : OthersRange{};
    if (i < rows_.size() && next.high >= low) {
      low = std::min(low, next.low);
      continue;
    }
    if (i - first > 1) runs_.push_back({first, i});
    first = i;
    low = next.low;
  }
}

RowRun RoughOrder::run_at(std::size_t place) const {
  const auto p = static_cast<std::uint32_t>(place);
  const auto after = std::ranges::upper_bound(runs_, p, {}, &RowRun::first);
  if (after != runs_.begin() && p < (after - 1)->end) return *(after - 1);
  return {p, p + 1};
}

std::size_t RoughOrder::place_of(double confidence) const {
  const auto others = static_cast<float>(std::max(0.0, 1.0 / confidence - 1.0));
  return static_cast<std::size_t>(
      std::ranges::lower_bound(rows_, RoughRow::of(others, 0).key, {}, &RoughRow::key) -
      rows_.begin());
}

bool RoughOrder::may_be_at(std::size_t place, double confidence) const {
  const double others = 1.0 / confidence - 1.0;
  const OthersRange range = rough_.range(rows_[place].others());
  return range.low <= others && others <= range.high;
}

}  // namespace credence::fit_detail
