#include "metrics/bootstrap/resampled_metrics.hpp"

#include <algorithm>

namespace credence::metrics {

ResampledMetrics::ResampledMetrics(const Layout& layout, const Evaluation& evaluation,
                                   std::span<const double> plain)
    : layout_(layout), classes_(evaluation.classes) {
  const auto all = definitions();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool has_sums =
        all[i]->functional.term != nullptr && layout_.cells(all[i]->functional.of[0]) > 0;
    if (!all[i]->metric.interval || !has_sums || !evaluation.metrics[i].value) continue;
    std::size_t first = 0;  // a Monte Carlo metric and its expectation are resampled alike
    while (first < indices_.size() && !all[indices_[first]]->resampled_like(*all[i])) ++first;
    same_as_.push_back(first);
    indices_.push_back(i);
    points_.push_back(*evaluation.metrics[i].value);
  }
  offsets_.assign(size(), 0.0);
  std::vector<double> of_plain(size());
  values(plain, 1, of_plain);
  for (std::size_t j = 0; j < size(); ++j) offsets_[j] = points_[j] - of_plain[j];
}

void ResampledMetrics::values(std::span<const double> slots, std::size_t lanes,
                              std::span<double> out) const {
  for (std::size_t j = 0; j < size(); ++j) {
    double* const value = out.data() + j * lanes;
    if (same_as_[j] < j) {
      std::copy_n(out.data() + same_as_[j] * lanes, lanes, value);
    } else {
      definition(j).functional.values(layout_, slots, lanes, divisor(j), value);
    }
  }
  for (std::size_t j = 0; j < size(); ++j) {
    for (std::size_t l = 0; l < lanes; ++l) out[j * lanes + l] += offsets_[j];
  }
}

}  // namespace credence::metrics
