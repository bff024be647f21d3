#include "metrics/bins/equal_mass.hpp"

namespace credence::metrics {

std::vector<MassBin> equal_mass_bins(std::span<const std::pair<double, double>> sorted, int bins) {
  std::vector<MassBin> result;
  const std::size_t n = sorted.size(), b = static_cast<std::size_t>(bins);
  std::size_t current = 0;
  for (std::size_t run = 0; run < n;) {
    std::size_t end = run + 1;
    while (end < n && sorted[end].first == sorted[run].first) ++end;
    const std::size_t bin = run * b / n;
    if (result.empty() || bin != current) result.push_back({run, run});
    result.back().last = end;
    current = bin;
    run = end;
  }
  return result;
}

}  // namespace credence::metrics
