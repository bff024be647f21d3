// The bins of the reliability diagram.
#include "metrics/scored.hpp"

namespace credence::metrics {

std::vector<ReliabilityBin> reliability(const Scored& s) {
  std::vector<ReliabilityBin> result(s.bins.count());
  for (std::size_t i = 0; i < s.rows(); ++i) {
    ReliabilityBin& bin = result[s.bins.index(s.confidence[i])];
    ++bin.count;
    bin.confidence += s.confidence[i];
    bin.agreement += s.agreement[i];
    bin.accuracy += static_cast<double>(s.hit[i]);
  }
  for (ReliabilityBin& bin : result) {
    if (bin.count == 0) continue;
    const auto count = static_cast<double>(bin.count);
    bin.confidence /= count;
    bin.agreement /= count;
    bin.accuracy /= count;
  }
  return result;
}

}  // namespace credence::metrics
