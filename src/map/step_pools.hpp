// Pooling adjacent violators in whole numbers: which rows end up together, and how many and how
// much they are, does not depend on the order in which rows of a pool come. So rows need to be in
// order only where steps begin (fit/passes/isotonic_rows.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "map/top_label.hpp"

namespace credence::map {

/// Sums of targets in steps of 2^-60: exact, whatever is added first. Those of 2^32 rows, times
/// their number, fit into it.
__extension__ typedef unsigned __int128 WholeSum;

inline constexpr double kWholeTarget = 0x1p60;

/// Of a share, in [0, 1].
inline std::uint64_t whole_target(double target) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(target * kWholeTarget));
}

/// Neighbouring rows, and what their targets add up to.
struct Pool {
  double low, high;  ///< smallest and largest confidence, where these are known
  std::uint64_t weight;
  WholeSum sum;

  /// Takes in those before.
  void join(const Pool& before) {
    low = before.low;
    weight += before.weight;
    sum += before.sum;
  }
};

/// The mean target. Shares of votes are rounded, so sums of them are off in the last digits, and a
/// value that should tie with another class would not: this is the double nearest to the simplest
/// fraction that rounding leaves possible, which is that of the votes.
double mean_of(const Pool& pool);

/// Adds the next pool: means of the kept ones rise strictly.
void push_pool(std::vector<Pool>& kept, Pool next);

/// Joins pools whose values a prior would put out of order.
void smooth_pools(std::vector<Pool>& pools, double step_prior);

/// theta = [s-1 thresholds, s values] of pools whose edges are known.
std::vector<double> steps_of(std::span<const Pool> pools, double step_prior);

/// Rows and the sum of their targets.
struct RowsBelow {
  std::uint64_t weight = 0;
  WholeSum sum = 0;
};

/// The mean square that steps leave of rows whose squared targets add up to `squares`;
/// below(threshold) is what lies below.
double mean_square(std::span<const double> theta, const RowsBelow& all, WholeSum squares,
                   const std::function<RowsBelow(double threshold)>& below);

/// By confidence; ties stay in order.
void sort_by_confidence(std::vector<TopLabel>& examples);

/// Takes the examples with the confidence of the first off, as a pool.
Pool pool_ties(std::span<const TopLabel>& sorted);

}  // namespace credence::map
