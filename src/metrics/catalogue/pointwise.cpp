// Distance between confidence and agreement, example by example.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/sort_pairs.hpp"
#include "metrics/bins/equal_mass.hpp"
#include "metrics/catalogue/definition.hpp"
#include "metrics/numbers/sum.hpp"

namespace credence::metrics {

extern const Definition kPointwise{
    .metric = {.name = "pointwise",
               .better = Direction::lower,
               .percent = true,
               .meaning = "mean distance between confidence and agreement, row by row",
               .definition = "mean |conf - r|",
               .needs = Evidence::annotations,
               .monte_carlo = false,
               .interval = true,
               .why_no_interval = {}},
    .functional = mean_of(Statistic::pointwise)};

std::vector<EntropyBin> pointwise_by_entropy(const Totals& t) {
  // A single class has no entropy to normalise; every row is then unanimous.
  const double most = t.classes > 1 ? std::log(static_cast<double>(t.classes)) : 1.0;
  std::vector<std::pair<double, double>> sorted(t.all.entropy.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    sorted[i] = {t.all.entropy[i] / most, std::abs(t.all.confidence[i] - t.all.agreement[i])};
  }
  core::sort_pairs(sorted);

  std::vector<EntropyBin> result;
  for (const MassBin& bin : equal_mass_bins(sorted, t.options().entropy_bins)) {
    const auto count = static_cast<double>(bin.last - bin.first);
    Sum entropy, error, squares;
    for (std::size_t i = bin.first; i < bin.last; ++i) {
      entropy.add(sorted[i].first);
      error.add(sorted[i].second);
    }
    const double mean = error.value() / count;
    for (std::size_t i = bin.first; i < bin.last; ++i) {
      squares.add((sorted[i].second - mean) * (sorted[i].second - mean));
    }
    const double standard_error = bin.last - bin.first > 1
                                      ? std::sqrt(squares.value() / (count - 1.0) / count)
                                      : std::numeric_limits<double>::quiet_NaN();
    result.push_back({bin.last - bin.first, entropy.value() / count, mean, standard_error});
  }
  return result;
}

}  // namespace credence::metrics
