#include "credence/class_order.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "dataset/assignment.hpp"

namespace credence {
namespace {

constexpr std::size_t kMostSolved = 512;      // n^3 steps: a tenth of a second
constexpr std::size_t kMostRows = 1U << 16U;  // more do not change the answer
// Where the columns are right, classes that the model confuses may still look swapped by a little.
// Columns that are really swapped lose nearly all of a class.
constexpr double kLargeGain = 0.1;
constexpr double kChanceLevel = 1e-3;  // of taking noise for an order, over all orders together

/// Predicted class of every row that is looked at.
struct Sample {
  std::vector<std::size_t> rows;
  std::vector<std::uint32_t> predicted;
};

Sample sample(const Dataset& data) {
  const std::size_t step = (data.rows() + kMostRows - 1) / kMostRows;
  Sample result;
  for (std::size_t i = 0; i < data.rows(); i += std::max<std::size_t>(step, 1)) {
    const auto row = data.scores.row(i);
    result.rows.push_back(i);
    result.predicted.push_back(
        static_cast<std::uint32_t>(std::ranges::max_element(row) - row.begin()));
  }
  return result;
}

std::vector<std::uint32_t> solve(const Dataset& data, const Sample& sample) {
  const std::size_t classes = data.classes_count();
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> table;
  for (std::size_t s = 0; s < sample.rows.size(); ++s) {
    const VoteRow votes = data.votes.row(sample.rows[s]);
    for (std::size_t v = 0; v < votes.classes.size(); ++v) {
      table[{sample.predicted[s], votes.classes[v]}] +=
          votes.weights[v] / data.votes.total(sample.rows[s]);
    }
  }
  if (classes > kMostSolved) {
    std::vector<dataset::Entry> entries;
    for (const auto& [cell, gain] : table) entries.push_back({cell.first, cell.second, gain});
    return dataset::greedy_assignment(std::move(entries), classes);
  }
  Matrix<double> gains(classes, classes);
  for (const auto& [cell, gain] : table) gains(cell.first, cell.second) = gain;
  return dataset::best_assignment(std::as_const(gains).view());
}

}  // namespace

ClassOrder likely_class_order(const Dataset& data) {
  ClassOrder order;
  const Sample looked_at = sample(data);
  const auto n = static_cast<double>(looked_at.rows.size());
  order.rows = looked_at.rows.size();
  order.looks_like = solve(data, looked_at);

  double squares = 0.0, moved = 0.0;
  for (std::size_t s = 0; s < looked_at.rows.size(); ++s) {
    const std::uint32_t k = looked_at.predicted[s];
    const double now = data.votes.share(looked_at.rows[s], k);
    const double then = data.votes.share(looked_at.rows[s], order.looks_like[k]);
    order.agreement += now / n;
    order.best_agreement += then / n;
    squares += (then - now) * (then - now);
    moved += order.looks_like[k] != k ? 1.0 : 0.0;
  }
  if (order.gain() <= 0.0) {
    std::iota(order.looks_like.begin(), order.looks_like.end(), 0U);
    order.best_agreement = order.agreement;
    return order;
  }
  // The gain of one order over another is a mean of n differences. The best of the c! orders of the
  // classes that are predicted at all exceeds 0 by chance with probability c! exp(-z^2 / 2) at most
  // when z is the number of standard errors.
  std::vector<bool> seen(data.classes_count(), false);
  for (const std::uint32_t k : looked_at.predicted) seen[k] = true;
  const auto classes = static_cast<double>(std::ranges::count(seen, true));
  const double orders = std::lgamma(classes + 1.0);
  const double z = std::sqrt(2.0 * (orders - std::log(kChanceLevel)));
  order.chance_gain = z * std::sqrt(squares) / n;
  order.decisive =
      order.gain() > order.chance_gain && order.gain() * n >= kLargeGain * std::max(moved, 1.0);
  return order;
}

}  // namespace credence
