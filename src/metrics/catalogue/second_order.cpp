// How well it is known how far annotators scatter about the prediction (docs/second-order.md).
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/sort_pairs.hpp"
#include "metrics/bins/equal_mass.hpp"
#include "metrics/catalogue/definition.hpp"
#include "metrics/numbers/sum.hpp"

namespace credence::metrics {

namespace {

bool has_certainties(const Totals& t) { return t.all.has_certainties && has_repeated_rows(t); }
bool has_finite_certainties(const Totals& t) {
  return has_certainties(t) && t.infinite_nll_rows == 0;
}

}  // namespace

extern const Definition kDmNll{
    .metric = {.name = "dm_nll",
               .better = Direction::lower,
               .meaning = "nats per example for all its votes, given the predicted concentration",
               .definition = "mean -log DirichletMultinomial(c; s p) over rows with m >= 2",
               .needs = Evidence::distributions,
               .monte_carlo = false,
               .interval = true,
               .why_no_interval = {}},
    .functional = mean_over_repeated(Statistic::dm_nll),
    .available = has_finite_certainties};

extern const Definition kPredictedDisagreement{
    .metric = {.name = "predicted_disagreement",
               .better = Direction::neither,
               .meaning = "predicted probability that two annotators disagree; to be compared with "
                          "annotator_disagreement",
               .definition = "mean predicted P(two annotators differ) over rows with m >= 2",
               .needs = Evidence::distributions,
               .monte_carlo = false,
               .interval = true,
               .why_no_interval = {}},
    .functional = mean_over_repeated(Statistic::predicted_disagreement),
    .available = has_certainties};

std::vector<DisagreementBin> disagreement_bins(const Totals& t) {
  std::vector<DisagreementBin> result;
  if (!has_certainties(t)) return result;
  std::vector<std::pair<double, double>> sorted(t.all.predicted_disagreement.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    sorted[i] = {t.all.predicted_disagreement[i], t.all.observed_disagreement[i]};
  }
  core::sort_pairs(sorted);
  for (const MassBin& bin : equal_mass_bins(sorted, t.options().entropy_bins)) {
    const auto count = static_cast<double>(bin.last - bin.first);
    Sum predicted, observed, squares;
    for (std::size_t i = bin.first; i < bin.last; ++i) {
      predicted.add(sorted[i].first);
      observed.add(sorted[i].second);
    }
    const double gap = (observed.value() - predicted.value()) / count;
    for (std::size_t i = bin.first; i < bin.last; ++i) {
      const double off = sorted[i].second - sorted[i].first - gap;
      squares.add(off * off);
    }
    const double error = count > 1.0 ? std::sqrt(squares.value() / (count - 1.0) / count)
                                     : std::numeric_limits<double>::quiet_NaN();
    result.push_back(
        {bin.last - bin.first, predicted.value() / count, observed.value() / count, error});
  }
  return result;
}

}  // namespace credence::metrics
