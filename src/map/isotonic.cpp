// Top-label isotonic regression: the monotone step function of confidence closest in squares to the
// targets. theta = [s-1 thresholds, s values]: value j holds from threshold j-1 up to threshold j.
#include "map/isotonic.hpp"

#include <algorithm>
#include <cstdint>

#include "core/radix_sort.hpp"

namespace credence::map {
namespace {

/// Sorts by confidence; ties stay in order. A whole number of 32 bits tells nearly all of them
/// apart and is fast to sort by; what it cannot tell apart is sorted out afterwards.
void sort_by_confidence(std::vector<TopLabel>& examples) {
  const auto key = [](const TopLabel& example) {
    return static_cast<std::uint32_t>(example.confidence * 0x1.fffffffep31);
  };
  core::radix_sort(examples, key);
  for (auto first = examples.begin(); first != examples.end();) {
    auto last = first + 1;
    while (last != examples.end() && key(*last) == key(*first)) ++last;
    if (last - first > 1) {
      std::stable_sort(first, last, [](const TopLabel& a, const TopLabel& b) {
        return a.confidence < b.confidence;
      });
    }
    first = last;
  }
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

/// Sums up the examples with the confidence of the first, and takes them off.
Pool pool_ties(std::span<const TopLabel>& sorted) {
  const double tied = sorted.front().confidence;
  double sum = 0.0;
  std::size_t count = 0;
  for (; count < sorted.size() && sorted[count].confidence == tied; ++count) {
    sum += sorted[count].target;
  }
  sorted = sorted.subspan(count);
  Pool pool{tied, tied, 0.0, 0.0, 0.0};
  pool.add(static_cast<double>(count), sum);
  return pool;
}

/// Pool adjacent violators. Invariant: means of the kept pools increase strictly.
std::vector<Pool> pool_violators(std::span<const TopLabel> sorted) {
  std::vector<Pool> kept;
  while (!sorted.empty()) {
    Pool next = pool_ties(sorted);
    for (; !kept.empty() && kept.back().mean >= next.mean; kept.pop_back()) {
      next.low = kept.back().low;
      next.add(kept.back().weight, kept.back().sum);
    }
    kept.push_back(next);
  }
  return kept;
}

/// Pools whose values a prior would put out of order are joined.
void smooth(std::vector<Pool>& pools, double step_prior) {
  std::vector<Pool> kept;
  for (Pool next : pools) {
    next.mean = smoothed_mean(next.sum, next.weight, step_prior);
    for (; !kept.empty() && kept.back().mean >= next.mean; kept.pop_back()) {
      next.low = kept.back().low;
      next.add(kept.back().weight, kept.back().sum);
      next.mean = smoothed_mean(next.sum, next.weight, step_prior);
    }
    kept.push_back(next);
  }
  pools = std::move(kept);
}

/// What the steps leave of the examples, walking along both.
double mean_square(Params theta, std::span<const TopLabel> sorted) {
  const std::size_t thresholds = theta.size() / 2;
  double sum = 0.0;
  std::size_t step = 0;
  for (const TopLabel& example : sorted) {
    while (step < thresholds && theta[step] <= example.confidence) ++step;
    const double gap = theta[thresholds + step] - example.target;
    sum += gap * gap;
  }
  return sum / static_cast<double>(sorted.size());
}

}  // namespace

/// Thresholds lie midway between neighbouring confidences and are rounded to float32, the precision
/// in which models are served. Steps narrower than that vanish.
TopLabelFit Math<TopLabelIsotonic>::fit(const TopLabelIsotonic& map,
                                        std::vector<TopLabel> examples) {
  sort_by_confidence(examples);
  std::vector<Pool> pools = pool_violators(examples);
  if (map.step_prior > 0.0) smooth(pools, map.step_prior);
  std::vector<double> theta, values{std::clamp(pools.front().mean, 0.0, 1.0)};
  for (std::size_t j = 1; j < pools.size(); ++j) {
    const double middle = pools[j - 1].high + 0.5 * (pools[j].low - pools[j - 1].high);
    const double threshold = static_cast<float>(middle);
    const double value = std::clamp(pools[j].mean, 0.0, 1.0);
    if (!theta.empty() && theta.back() == threshold) {
      values.back() = value;
    } else {
      theta.push_back(threshold);
      values.push_back(value);
    }
  }
  theta.insert(theta.end(), values.begin(), values.end());
  return {theta, mean_square(theta, examples)};
}

double Math<TopLabelIsotonic>::value(const TopLabelIsotonic&, Params theta, double confidence) {
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
