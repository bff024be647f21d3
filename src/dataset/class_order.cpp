#include "credence/class_order.hpp"

#include <algorithm>
#include <array>
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

/// The share of an example's annotators who chose class k.
double share_of(const Dataset& data, std::size_t row, std::uint32_t k) {
  const VoteRow votes = data.votes.row(row);
  double weight = 0.0;
  for (std::size_t v = 0; v < votes.classes.size(); ++v) {
    weight = votes.classes[v] == k ? votes.weights[v] : weight;
  }
  return weight / data.votes.total(row);
}

/// The class that each predicted one looks like.
std::vector<std::uint32_t> best_order(const Dataset& data, const Sample& looked_at) {
  dataset::CrossTable table(data.classes_count());
  for (std::size_t s = 0; s < looked_at.rows.size(); ++s) {
    const std::size_t i = looked_at.rows[s];
    const VoteRow votes = data.votes.row(i);
    for (std::size_t v = 0; v < votes.classes.size(); ++v) {
      table.at(looked_at.predicted[s], votes.classes[v]) += votes.weights[v] / data.votes.total(i);
    }
  }
  return table.best_order();
}

/// The predicted classes of every `step`-th row.
std::vector<std::uint32_t> tops_of(Scores scores, std::size_t step) {
  constexpr std::size_t kRows = 64;
  const std::size_t count = (scores.rows() + step - 1) / step, classes = scores.cols();
  std::vector<std::uint32_t> tops(count);
  if (classes >= core::kLongRow) {
    for (std::size_t s = 0; s < count; ++s) {
      const std::size_t top =
          core::array_kernels().top_of_row(scores.row(s * step).data(), classes);
      tops[s] = static_cast<std::uint32_t>(top);
    }
    return tops;
  }
  std::array<float, kRows * core::kLongRow> gathered;
  for (std::size_t first = 0; first < count; first += kRows) {
    const std::size_t here = std::min(kRows, count - first);
    for (std::size_t s = 0; s < here; ++s) {
      std::ranges::copy(scores.row((first + s) * step), gathered.begin() + s * classes);
    }
    core::array_kernels().top_of_rows(gathered.data(), here, classes, tops.data() + first);
  }
  return tops;
}

Sample sample(const Dataset& data) {
  const std::size_t step = dataset::class_order_step(data.rows());
  Sample result;
  result.predicted = tops_of(data.scores, step);
  result.rows.reserve(result.predicted.size());
  result.agreement.reserve(result.predicted.size());
  dataset::ClearDiagonal diagonal(data.classes_count());
  for (const std::uint32_t top : result.predicted) {
    const std::size_t row = result.rows.size() * step;
    const double agreement = share_of(data, row, top);
    diagonal.add(top, agreement);
    result.rows.push_back(row);
    result.agreement.push_back(agreement);
  }
  if (diagonal.is_clear()) {
    result.best.resize(data.classes_count());
    std::iota(result.best.begin(), result.best.end(), 0U);
  } else {
    result.best = best_order(data, result);
  }
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
