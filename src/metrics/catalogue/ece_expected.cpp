// Calibration error against the annotators' shares.
#include <cmath>
#include <string>

#include "credence/error.hpp"
#include "metrics/catalogue/definition.hpp"

namespace credence {

double ece_expected(std::span<const double> confidence, std::span<const double> agreement,
                    int bins) {
  if (confidence.size() != agreement.size() || confidence.empty()) {
    throw Error(ErrorCode::usage, "ece_expected: " + std::to_string(confidence.size()) +
                                      " confidences and " + std::to_string(agreement.size()) +
                                      " agreements; wanted one agreement per confidence");
  }
  if (bins < 1 || bins > kMaxBins) {
    throw Error(ErrorCode::usage, "ece_expected: " + std::to_string(bins) + " bins; wanted 1 to " +
                                      std::to_string(kMaxBins));
  }
  const auto gap = [&](std::size_t i) { return confidence[i] - agreement[i]; };
  double total = 0.0;
  for (const double sum : core::bin_sums(core::UnitBins(bins), confidence, gap)) {
    total += std::abs(sum);
  }
  return total / static_cast<double>(confidence.size());
}

namespace metrics {

extern const Definition kEceExpected{
    .metric = {.name = "ece_expected",
               .better = Direction::lower,
               .percent = true,
               .meaning = "calibration error of the top class against the annotators' shares",
               .definition = "sum_b |sum_{i in b} (conf - r)| / n",
               .needs = Evidence::annotations,
               .monte_carlo = false,
               .interval = true,
               .why_no_interval = {}},
    .functional = magnitudes_of(Statistic::bin_gap),
    .of_gaps = OfGaps::magnitude};

}  // namespace metrics
}  // namespace credence
