#include "credence/class_order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/array_kernels.hpp"
#include "dataset/cross_table.hpp"

namespace credence {
namespace {

// Where the columns are right, classes that the model confuses may still look swapped by a little.
// Columns that are really swapped lose nearly all of a class.
constexpr double kLargeGain = 0.1;
constexpr double kChanceLevel = 1e-3;  // of taking noise for an order, over all orders together

/// Predicted class of every row that is looked at, and what its annotators say.
struct Sample {
  std::vector<std::size_t> rows;
  std::vector<std::uint32_t> predicted;
  std::vector<double> agreement;  ///< the share who chose the predicted class
  std::vector<std::uint32_t> best;
};

Sample sample(const Dataset& data) {
  const std::size_t step = dataset::class_order_step(data.rows());
  Sample result;
  const std::size_t count = (data.rows() + step - 1) / step;
  result.rows.reserve(count);
  result.predicted.reserve(count);
  result.agreement.reserve(count);
  dataset::CrossTable table(data.classes_count());
  for (std::size_t i = 0; i < data.rows(); i += step) {
    const auto row = data.scores.row(i);
    const auto top =
        static_cast<std::uint32_t>(core::array_kernels().top_of_row(row.data(), row.size()));
    const VoteRow votes = data.votes.row(i);
    double agreement = 0.0;
    for (std::size_t v = 0; v < votes.classes.size(); ++v) {
      const double share = votes.weights[v] / data.votes.total(i);
      table.at(top, votes.classes[v]) += share;
      if (votes.classes[v] == top) agreement = share;
    }
    result.rows.push_back(i);
    result.predicted.push_back(top);
    result.agreement.push_back(agreement);
  }
  result.best = table.best_order();
  return result;
}

}  // namespace

ClassOrder likely_class_order(const Dataset& data) {
  ClassOrder order;
  const Sample looked_at = sample(data);
  const auto n = static_cast<double>(looked_at.rows.size());
  order.rows = looked_at.rows.size();
  order.looks_like = looked_at.best;

  double squares = 0.0, moved = 0.0;
  for (std::size_t s = 0; s < looked_at.rows.size(); ++s) {
    const std::uint32_t k = looked_at.predicted[s];
    const double now = looked_at.agreement[s];
    const double then =
        order.looks_like[k] == k ? now : data.votes.share(looked_at.rows[s], order.looks_like[k]);
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
