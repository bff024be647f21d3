#include "map/step_pools.hpp"

#include <algorithm>
#include <utility>

#include "core/radix_sort.hpp"

namespace credence::map {
namespace {

/// The fraction with the smallest denominator from low / unit to high / unit.
double simplest_fraction(std::uint64_t low, std::uint64_t high, std::uint64_t unit) {
  std::uint64_t low_unit = unit, high_unit = unit;
  // Convergents of the continued fraction that both ends begin with.
  std::uint64_t p = 1, q = 0, p_before = 0, q_before = 1;
  for (;;) {
    const std::uint64_t whole = low / low_unit;
    const bool ends = whole * low_unit == low || whole < high / high_unit;
    const std::uint64_t digit = whole * low_unit == low ? whole : whole + (ends ? 1 : 0);
    p_before = std::exchange(p, digit * p + p_before);
    q_before = std::exchange(q, digit * q + q_before);
    if (ends) return static_cast<double>(p) / static_cast<double>(q);
    const std::uint64_t low_rest = low - whole * low_unit, high_rest = high - whole * high_unit;
    low = std::exchange(high_unit, high_rest);
    high = std::exchange(low_unit, low_rest);
    std::swap(low_unit, high_unit);
  }
}

/// Whether the mean of `left` is at least that of `right`, exactly.
bool is_no_rise(const Pool& left, const Pool& right) {
  return left.sum * right.weight >= right.sum * left.weight;
}

double value_of(const Pool& pool, double step_prior) {
  if (step_prior <= 0.0) return mean_of(pool);
  const auto weight = static_cast<double>(pool.weight);
  return smoothed_mean(static_cast<double>(pool.sum) / kWholeTarget, weight, step_prior);
}

}  // namespace

double mean_of(const Pool& pool) {
  constexpr std::uint64_t kRounding = 1U << 7U;  // 2^-53, twice what a share is off by at most
  const auto mean = static_cast<std::uint64_t>(pool.sum / pool.weight);
  return simplest_fraction(mean - std::min(mean, kRounding), mean + kRounding,
                           static_cast<std::uint64_t>(kWholeTarget));
}

void push_pool(std::vector<Pool>& kept, Pool next) {
  for (; !kept.empty() && is_no_rise(kept.back(), next); kept.pop_back()) next.join(kept.back());
  kept.push_back(next);
}

void smooth_pools(std::vector<Pool>& pools, double step_prior) {
  if (step_prior <= 0.0) return;
  std::vector<Pool> kept;
  for (Pool next : pools) {
    while (!kept.empty() && value_of(kept.back(), step_prior) >= value_of(next, step_prior)) {
      next.join(kept.back());
      kept.pop_back();
    }
    kept.push_back(next);
  }
  pools = std::move(kept);
}

/// Thresholds lie midway between neighbouring confidences and are rounded to float32, the precision
/// in which models are served. Steps narrower than that vanish.
std::vector<double> steps_of(std::span<const Pool> pools, double step_prior) {
  const auto value = [&](const Pool& pool) {
    return std::clamp(value_of(pool, step_prior), 0.0, 1.0);
  };
  std::vector<double> theta, values{value(pools.front())};
  for (std::size_t j = 1; j < pools.size(); ++j) {
    const double middle = pools[j - 1].high + 0.5 * (pools[j].low - pools[j - 1].high);
    const double threshold = static_cast<float>(middle);
    if (!theta.empty() && theta.back() == threshold) {
      values.back() = value(pools[j]);
    } else {
      theta.push_back(threshold);
      values.push_back(value(pools[j]));
    }
  }
  theta.insert(theta.end(), values.begin(), values.end());
  return theta;
}

double mean_square(std::span<const double> theta, const RowsBelow& all, WholeSum squares,
                   const std::function<RowsBelow(double threshold)>& below) {
  const std::size_t thresholds = theta.size() / 2;
  double rest = static_cast<double>(squares) / kWholeTarget;
  RowsBelow before;
  for (std::size_t step = 0; step <= thresholds; ++step) {
    const RowsBelow end = step < thresholds ? below(theta[step]) : all;
    const double value = theta[thresholds + step];
    const double sum = static_cast<double>(end.sum - before.sum) / kWholeTarget;
    rest += value * (value * static_cast<double>(end.weight - before.weight) - 2.0 * sum);
    before = end;
  }
  return std::max(rest, 0.0) / static_cast<double>(all.weight);
}

/// A whole number of 32 bits tells nearly all confidences apart and is fast to sort by; what it
/// cannot tell apart is sorted out afterwards.
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

Pool pool_ties(std::span<const TopLabel>& sorted) {
  const double tied = sorted.front().confidence;
  Pool pool{tied, tied, 0, 0};
  for (; pool.weight < sorted.size() && sorted[pool.weight].confidence == tied; ++pool.weight) {
    pool.sum += whole_target(sorted[pool.weight].target);
  }
  sorted = sorted.subspan(pool.weight);
  return pool;
}

}  // namespace credence::map
