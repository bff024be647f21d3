// Concentrations, and what follows from them for one example.
#include "credence/second_order.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/dirichlet_multinomial.hpp"
#include "core/kernels.hpp"
#include "credence/error.hpp"
#include "fit/second_order/second_order_line.hpp"

namespace credence {
namespace {

/// Logarithms are taken this many at a time.
constexpr std::size_t kLanes = 8;

}  // namespace

namespace fit_detail {

double log_spread(std::span<const double> probabilities) {
  // 1 - q of the largest class is the sum of the others: no digits are lost where it is nearly 1.
  const auto top = std::max_element(probabilities.begin(), probabilities.end());
  double others = 0.0, spread = 0.0;
  for (auto q = probabilities.begin(); q != probabilities.end(); ++q) {
    if (q == top) continue;
    others += *q;
    spread += *q * (1.0 - *q);
  }
  spread += *top * others;
  return core::log_of(std::clamp(spread, kLeastSpread, 1.0));
}

double at(const LogLine& line, double log_spread) {
  return std::clamp(line.intercept + line.slope * log_spread, -kMostLog, kMostLog);
}

}  // namespace fit_detail

Certainty certainty(const SecondOrder& model, std::span<const double> probabilities) {
  const double x = fit_detail::log_spread(probabilities);
  const core::Odds s = core::odds_of(fit_detail::at(model.concentration, x));
  return {.concentration = s.yes / s.no,
          .disagreement = core::odds_of(fit_detail::at(model.disagreement, x)).yes};
}

Matrix<double> certainties_of(const SecondOrder* model, Rows probabilities) {
  if (model == nullptr) return {};
  Matrix<double> out(probabilities.rows(), kCertaintyColumns);
  for (std::size_t i = 0; i < probabilities.rows(); ++i) {
    certainty_row(*model, probabilities.row(i), {}, out.view().row(i));
  }
  return out;
}

const SecondOrder* second_order_of(const Calibrator& calibrator) {
  return calibrator.second_order ? &*calibrator.second_order : nullptr;
}

double effective_votes(double votes, double concentration) {
  // Divided by s, so that an infinite one gives the votes themselves.
  const double r = 1.0 / concentration;
  return votes * (1.0 + r) / (1.0 + votes * r);
}

ShareInterval next_share(double probability, double concentration, int votes, double level) {
  if (votes < 1 || votes > kMaxNextVotes || !(level > 0.0 && level < 1.0) ||
      !(concentration > 0.0)) {
    throw Error(ErrorCode::usage,
                "an interval for the next votes needs a number of them, a level "
                "between 0 and 1 and a positive concentration");
  }
  if (!(probability > 0.0)) return {0.0, 0.0};
  if (!(probability < 1.0)) return {1.0, 1.0};
  // P(c + 1) / P(c) = (m - c) (a + c r) / ((c + 1) (b + (m - c - 1) r)) for shares a and b = 1 - a.
  const auto m = static_cast<std::size_t>(votes);
  const double a = probability, b = 1.0 - probability, r = 1.0 / concentration;
  std::vector<double> log((m + kLanes) / kLanes * kLanes, 1.0), share(m + 1);
  for (std::size_t c = 0; c < m; ++c) {
    const auto given = static_cast<double>(c), left = static_cast<double>(m - c);
    log[c + 1] = left / (given + 1.0) * ((a + given * r) / (b + (left - 1.0) * r));
  }
  core::kernels().f64.log_positive(log.data(), log.size());
  for (std::size_t c = 0; c < m; ++c) log[c + 1] += log[c];
  core::kernels().softmax_row_f64(log.data(), m + 1, share.data());
  const double outside = 0.5 * (1.0 - level);
  std::size_t low = 0, high = m;
  for (double below = share[low]; low < m && below <= outside; below += share[++low]) {
  }
  for (double above = share[high]; high > low && above <= outside; above += share[--high]) {
  }
  return {static_cast<double>(low) / static_cast<double>(m),
          static_cast<double>(high) / static_cast<double>(m)};
}

std::size_t certainty_columns(std::size_t classes, const NextVotes& next) {
  return kCertaintyColumns + (next.votes > 0 ? 2 * classes : 0);
}

void certainty_row(const SecondOrder& model, std::span<const double> probabilities,
                   const NextVotes& next, std::span<double> out) {
  const Certainty sure = certainty(model, probabilities);
  out[0] = sure.concentration;
  out[1] = sure.disagreement;
  if (next.votes == 0) return;
  const std::size_t classes = probabilities.size();
  for (std::size_t k = 0; k < classes; ++k) {
    const ShareInterval share =
        next_share(probabilities[k], sure.concentration, next.votes, next.level);
    out[kCertaintyColumns + k] = share.low;
    out[kCertaintyColumns + classes + k] = share.high;
  }
}

}  // namespace credence
