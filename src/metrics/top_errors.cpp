// The calibration errors of the predicted class alone: one pass over the probabilities that looks
// for the largest, and nothing per class.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/error.hpp"
#include "metrics/checks.hpp"
#include "metrics/definition.hpp"

namespace credence {
namespace {

double sum_of_magnitudes(const std::vector<double>& sums) {
  double total = 0.0;
  for (const double sum : sums) total += std::abs(sum);
  return total;
}

}  // namespace

TopErrors top_errors(Scores probabilities, const Votes& votes, MetricOptions options) {
  metrics::check_options(votes, options);
  const std::size_t n = probabilities.rows();
  if (n != votes.rows() || probabilities.cols() != votes.classes()) {
    throw Error(ErrorCode::data, fmt::format("probabilities are {} x {}, votes {} x {}", n,
                                             probabilities.cols(), votes.rows(), votes.classes()));
  }
  options.keep_rows = options.keep_votes = false;
  // What the draws look at; the rest of it stays empty.
  metrics::Scored scored(votes, options);
  for (std::size_t i = 0; i < n; ++i) {
    const auto p = probabilities.row(i);
    metrics::check_row(p, i);
    // Ties go to the lowest index, as they do for votes.
    const auto top = static_cast<std::uint32_t>(std::max_element(p.begin(), p.end()) - p.begin());
    scored.confidence.push_back(static_cast<double>(p[top]));
    scored.agreement.push_back(votes.share(i, top));
    scored.hit.push_back(votes.voted(i) == top ? 1 : 0);
  }
  const auto rows = static_cast<double>(n);
  const auto against = [&](const auto& truth) {
    return sum_of_magnitudes(
               core::bin_sums(scored.bins, scored.confidence,
                              [&](std::size_t i) { return scored.confidence[i] - truth(i); })) /
           rows;
  };
  TopErrors errors;
  errors.ece_voted = against([&](std::size_t i) { return static_cast<double>(scored.hit[i]); });
  errors.ece_expected = against([&](std::size_t i) { return scored.agreement[i]; });
  if (options.draws > 0) {
    const metrics::Point drawn = metrics::kEceTrue.point(scored);
    errors.ece_true = drawn.value;
    errors.ece_true_error = drawn.monte_carlo_error;
  }
  return errors;
}

}  // namespace credence
