// Top-label isotonic regression: the monotone step function of confidence closest in squares to the
// targets. theta = [s-1 thresholds, s values]: value j holds from threshold j-1 up to threshold j.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "core/radix_sort.hpp"
#include "map/top_label.hpp"

namespace credence::map {
namespace {

/// Thresholds are float32, the precision in which models are served, so that confidences between
/// two neighbouring float32 numbers cannot be told apart: they are ties.
float cell(double confidence) {
  const auto near = static_cast<float>(confidence);
  // One number down without a branch, which would be a coin toss. Confidences are positive.
  const auto above = static_cast<std::uint32_t>(static_cast<double>(near) > confidence);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(near) - above);
}

/// Examples pooled into one level of the step function.
struct Pool {
  double low, high;  ///< smallest and largest confidence
  double weight, sum, mean;

  void add(double more_weight, double more_sum) {
    weight += more_weight;
    sum += more_sum;
    mean = sum / weight;
  }
};

/// Sums up the examples with the confidences of the first, and takes them off.
Pool pool_ties(std::span<const TopLabel>& sorted) {
  const float tied = cell(sorted.front().confidence);
  Pool pool{sorted.front().confidence, sorted.front().confidence, 0.0, 0.0, 0.0};
  double sum = 0.0;
  std::size_t count = 0;
  for (; count < sorted.size() && cell(sorted[count].confidence) == tied; ++count) {
    pool.low = std::min(pool.low, sorted[count].confidence);
    pool.high = std::max(pool.high, sorted[count].confidence);
    sum += sorted[count].target;
  }
  pool.add(static_cast<double>(count), sum);
  sorted = sorted.subspan(count);
  return pool;
}

/// Pool adjacent violators. Invariant: means of the kept pools increase strictly.
std::vector<Pool> pool_violators(std::span<const TopLabel> sorted) {
  std::vector<Pool> kept;
  while (!sorted.empty()) {
    kept.push_back(pool_ties(sorted));
    while (kept.size() > 1 && kept[kept.size() - 2].mean >= kept.back().mean) {
      const Pool last = kept.back();
      kept.pop_back();
      kept.back().high = last.high;
      kept.back().add(last.weight, last.sum);
    }
  }
  return kept;
}

/// Midway between two pools; as a float32 it still has each of them on its own side.
float threshold_between(const Pool& below, const Pool& above) {
  const auto middle = static_cast<float>(below.high + 0.5 * (above.low - below.high));
  const float least = std::nextafter(cell(below.high), 2.0f);
  return std::clamp(middle, least, cell(above.low));
}

}  // namespace

std::vector<double> fit_top_label(const TopLabelIsotonic&, std::vector<TopLabel>& examples) {
  // Confidences are positive, and the bits of positive numbers sort as the numbers do.
  core::radix_sort(examples, [](const TopLabel& example) {
    return std::bit_cast<std::uint32_t>(cell(example.confidence));
  });
  const std::vector<Pool> pools = pool_violators(examples);
  std::vector<double> theta;
  theta.reserve(2 * pools.size());
  for (std::size_t j = 1; j < pools.size(); ++j) {
    theta.push_back(threshold_between(pools[j - 1], pools[j]));
  }
  for (const Pool& pool : pools) theta.push_back(std::clamp(pool.mean, 0.0, 1.0));
  return theta;
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
