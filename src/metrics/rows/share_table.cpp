#include "metrics/rows/share_table.hpp"

#include <algorithm>

namespace credence::metrics {

Share ShareTable::computed(double c, double m) {
  const double share = c / m;
  double log = share;
  take_logs({&log, 1});
  return {.share = share,
          .variance = share * (1.0 - share),
          .entropy_steps = entropy_steps(share, log),
          .number = ChanceCounter::kNumbered};
}

void ShareTable::fill(std::size_t m) {
  for (std::size_t c = 0; c <= m; ++c) {
    Share share = computed(static_cast<double>(c), static_cast<double>(m));
    auto known = std::ranges::find(numbered_, share.share);
    if (known == numbered_.end() && numbered_.size() < ChanceCounter::kNumbered) {
      known = numbered_.insert(known, share.share);
    }
    if (known != numbered_.end()) {
      share.number = static_cast<std::uint32_t>(known - numbered_.begin());
    }
    rows_[m].push_back(share);
  }
}

}  // namespace credence::metrics
