// Top-label isotonic regression: the monotone step function of confidence closest in squares to the
// targets. theta = [s-1 thresholds, s values]: value j holds from threshold j-1 up to threshold j.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "map/top_label.hpp"

namespace credence::map {
namespace {

/// Examples pooled into one level of the step function.
struct Pool {
  double low, high;  ///< smallest and largest confidence
  double weight, sum;
  double mean() const { return sum / weight; }
};

std::vector<Pool> pool_ties(const TopLabelData& data) {
  std::vector<std::size_t> order(data.confidence.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return data.confidence[a] < data.confidence[b];
  });
  std::vector<Pool> pools;
  for (const std::size_t i : order) {
    const double confidence = data.confidence[i];
    if (pools.empty() || pools.back().high < confidence) {
      pools.push_back({confidence, confidence, 0.0, 0.0});
    }
    pools.back().weight += 1.0;
    pools.back().sum += data.target[i];
  }
  return pools;
}

/// Pool adjacent violators. Invariant: means of the kept pools increase strictly.
std::vector<Pool> pool_violators(const std::vector<Pool>& ties) {
  std::vector<Pool> kept;
  for (const Pool& next : ties) {
    kept.push_back(next);
    while (kept.size() > 1 && kept[kept.size() - 2].mean() >= kept.back().mean()) {
      const Pool last = kept.back();
      kept.pop_back();
      kept.back().high = last.high;
      kept.back().weight += last.weight;
      kept.back().sum += last.sum;
    }
  }
  return kept;
}

}  // namespace

/// Thresholds lie midway between neighbouring confidences and are rounded to float32, the precision
/// in which models are served. Steps narrower than that vanish.
std::vector<double> fit_top_label(const TopLabelIsotonic&, const TopLabelData& data) {
  const std::vector<Pool> pools = pool_violators(pool_ties(data));
  std::vector<double> thresholds, values{std::clamp(pools.front().mean(), 0.0, 1.0)};
  for (std::size_t j = 1; j < pools.size(); ++j) {
    const double middle = pools[j - 1].high + 0.5 * (pools[j].low - pools[j - 1].high);
    const double threshold = static_cast<float>(middle);
    const double value = std::clamp(pools[j].mean(), 0.0, 1.0);
    if (!thresholds.empty() && thresholds.back() == threshold) {
      values.back() = value;
    } else {
      thresholds.push_back(threshold);
      values.push_back(value);
    }
  }
  thresholds.insert(thresholds.end(), values.begin(), values.end());
  return thresholds;
}

double top_label_value(const TopLabelIsotonic&, Params theta, double confidence) {
  const std::size_t thresholds = theta.size() / 2;
  // The first threshold above, by halving without a branch: which half is a coin toss each time.
  const double* low = theta.data();
  for (std::size_t left = thresholds; left > 0;) {
    const std::size_t half = (left + 1) / 2;
    low += low[half - 1] <= confidence ? half : 0;
    left -= half;
  }
  return theta[thresholds + static_cast<std::size_t>(low - theta.data())];
}

}  // namespace credence::map
