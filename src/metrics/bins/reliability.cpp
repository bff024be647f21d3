// The bins of the reliability diagram.
#include "metrics/sums/totals.hpp"

namespace credence::metrics {

std::vector<ReliabilityBin> reliability(const Totals& t) {
  std::vector<ReliabilityBin> result(static_cast<std::size_t>(t.options().bins));
  for (std::size_t i = 0; i < t.bins.cells.size(); ++i) {
    const BinTotals& totals = t.bins.totals[i];
    result[t.bins.cells[i]] = {static_cast<std::size_t>(totals.count),
                               totals.confidence / totals.count, totals.agreement / totals.count,
                               totals.hit / totals.count};
  }
  return result;
}

}  // namespace credence::metrics
