#include "metrics/rows/share_table.hpp"

#include <algorithm>

namespace credence::metrics {

std::int64_t ShareTable::entropy_steps_of(std::span<const double> shares) {
  logs_.assign(shares.begin(), shares.end());
  take_logs(logs_);
  std::int64_t steps = 0;
  for (std::size_t v = 0; v < shares.size(); ++v) steps += entropy_steps(shares[v], logs_[v]);
  return steps;
}

void ShareTable::fill(std::size_t m) {
  for (std::size_t c = 0; c <= m; ++c) {
    const double share = static_cast<double>(c) / static_cast<double>(m);
    auto known = std::ranges::find(numbered_, share);
    if (known == numbered_.end() && numbered_.size() < ChanceCounter::kNumbered) {
      known = numbered_.insert(known, share);
    }
    const auto number = static_cast<std::uint32_t>(known - numbered_.begin());
    rows_[m].push_back({.share = share,
                        .variance = share * (1.0 - share),
                        .looked_up = true,
                        .entropy_steps = entropy_steps_of({&share, 1}),
                        .number = number});
  }
}

}  // namespace credence::metrics
