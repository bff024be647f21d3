#include "credence/class_order.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/array_kernels.hpp"
#include "dataset/cross_table.hpp"
#include "dataset/share_at.hpp"

namespace credence {
namespace {

// Where the columns are right, classes that the model confuses may still look swapped by a little.
// Columns that are really swapped lose nearly all of a class.
constexpr double kLargeGain = 0.1;
constexpr double kChanceLevel = 1e-3;  // of taking noise for an order, over all orders together

/// Every `step`-th row, the class predicted for it, and the share of annotators who chose that.
struct Sample {
  std::size_t step = 1;
  std::vector<std::uint32_t> predicted;
  std::vector<double> agreement;
  dataset::ClearDiagonal diagonal;  ///< where all of it is clear, no order can be better

  std::size_t row(std::size_t s) const { return s * step; }
};

/// The class that each predicted one looks like.
std::vector<std::uint32_t> best_order(const Dataset& data, const Sample& looked_at) {
  dataset::CrossTable table(data.classes_count());
  const auto tabulate = [&](bool clear) {
    for (std::size_t s = 0; s < looked_at.predicted.size(); ++s) {
      const std::uint32_t predicted = looked_at.predicted[s];
      if (looked_at.diagonal.is_clear(predicted) != clear) continue;
      const std::size_t i = looked_at.row(s);
      const VoteRow votes = data.votes.row(i);
      for (std::size_t v = 0; v < votes.classes.size(); ++v) {
        table.at(predicted, votes.classes[v]) += votes.weights[v] / data.votes.total(i);
      }
    }
  };
  tabulate(false);
  if (!table.keeps_the_diagonal()) tabulate(true);
  return table.best_order();
}

/// The predicted classes of every `step`-th row.
std::vector<std::uint32_t> tops_of(Scores scores, std::size_t step) {
  constexpr std::size_t kRows = 64;
  const std::size_t count = (scores.rows() + step - 1) / step, classes = scores.cols();
  std::vector<std::uint32_t> tops(count);
  if (step == 1) {
    core::array_kernels().top_of_rows(scores.data(), count, classes, tops.data());
    return tops;
  }
  if (classes >= core::kLongRow) {
    for (std::size_t s = 0; s < count; ++s) {
      core::array_kernels().top_of_rows(scores.row(s * step).data(), 1, classes, &tops[s]);
    }
    return tops;
  }
  std::array<float, kRows * core::kLongRow> gathered;
  for (std::size_t first = 0; first < count; first += kRows) {
    const std::size_t here = std::min(kRows, count - first);
    for (std::size_t s = 0; s < here; ++s) {
      std::copy_n(scores.row((first + s) * step).data(), classes, gathered.data() + s * classes);
    }
    core::array_kernels().top_of_rows(gathered.data(), here, classes, tops.data() + first);
  }
  return tops;
}

Sample sample(const Dataset& data, std::span<const std::uint32_t> predicted) {
  Sample result{.step = dataset::class_order_step(data.rows()),
                .predicted = {},
                .agreement = {},
                .diagonal = dataset::ClearDiagonal(data.classes_count())};
  if (predicted.size() == data.rows()) {
    for (std::size_t i = 0; i < data.rows(); i += result.step) {
      result.predicted.push_back(predicted[i]);
    }
  } else {
    result.predicted = tops_of(data.scores, result.step);
  }
  result.agreement.resize(result.predicted.size());
  const dataset::ShareAt share(data.votes);
  for (std::size_t s = 0; s < result.predicted.size(); ++s) {
    const double agreement = share(result.row(s), result.predicted[s]);
    result.diagonal.add(result.predicted[s], agreement);
    result.agreement[s] = agreement;
  }
  return result;
}

}  // namespace

ClassOrder likely_class_order(const Dataset& data, std::span<const std::uint32_t> predicted) {
  ClassOrder order;
  const Sample looked_at = sample(data, predicted);
  order.rows = looked_at.predicted.size();
  order.looks_like.resize(data.classes_count());
  std::iota(order.looks_like.begin(), order.looks_like.end(), 0U);
  const auto n = static_cast<double>(order.rows);
  if (looked_at.diagonal.is_clear()) {
    for (const double share : looked_at.agreement) order.agreement += share;
    order.agreement /= n;
    order.best_agreement = order.agreement;
    return order;
  }
  order.looks_like = best_order(data, looked_at);

  double squares = 0.0, moved = 0.0;
  for (std::size_t s = 0; s < order.rows; ++s) {
    const std::uint32_t k = looked_at.predicted[s];
    const double now = looked_at.agreement[s];
    const double then =
        order.looks_like[k] == k ? now : data.votes.share(looked_at.row(s), order.looks_like[k]);
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
