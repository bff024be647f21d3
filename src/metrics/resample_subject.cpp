#include "metrics/resample_subject.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace credence::metrics {

Units::Units(std::size_t rows, std::span<const std::uint32_t> groups) : of_row(rows) {
  if (groups.empty()) {
    for (std::size_t i = 0; i < rows; ++i) of_row[i] = static_cast<std::uint32_t>(i);
    count = rows;
    return;
  }
  std::unordered_map<std::uint32_t, std::uint32_t> number;
  for (std::size_t i = 0; i < rows; ++i) {
    of_row[i] = number.emplace(groups[i], static_cast<std::uint32_t>(number.size())).first->second;
  }
  count = number.size();
}

ResampleSubject::ResampleSubject(const Evaluation& evaluation, const Units& units,
                                 bool with_influences)
    : scored_(evaluation.kept.get()),
      layout_(scored_->layout(scored_->has_cells())),
      pairs_(row_pairs(*scored_, layout_)) {
  const auto all = definitions();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool has_sums =
        all[i]->functional.term != nullptr && layout_.cells(all[i]->functional.of[0]) > 0;
    if (!all[i]->metric.interval || !has_sums || !evaluation.metrics[i].value) continue;
    std::size_t first = 0;  // a Monte Carlo metric and its expectation are resampled alike
    while (first < metrics_.size() && !all[metrics_[first]]->resampled_like(*all[i])) ++first;
    same_as_.push_back(first);
    metrics_.push_back(i);
    points_.push_back(*evaluation.metrics[i].value);
  }
  // Weights of 1, added as resamples are.
  const std::vector<std::uint8_t> ones(units.count * kLanes, 1);
  std::vector<double> sums(layout_.slots() * kLanes, 0.0), slots(layout_.slots());
  add_weighted_rows(ones.data(), weighed(units), sums);
  for (std::size_t s = 0; s < slots.size(); ++s) slots[s] = sums[s * kLanes];
  std::vector<double> plain(metrics_.size());
  offsets_.assign(metrics_.size(), 0.0);
  values(slots, plain);
  for (std::size_t j = 0; j < metrics_.size(); ++j) offsets_[j] = points_[j] - plain[j];
  if (with_influences) fill_influences(units, slots);
}

void ResampleSubject::values(std::span<const double> slots, std::span<double> out) const {
  const auto all = definitions();
  for (std::size_t j = 0; j < metrics_.size(); ++j) {
    const Definition& definition = *all[metrics_[j]];
    out[j] = same_as_[j] < j ? out[same_as_[j]]
                             : definition.functional.value(layout_, slots,
                                                           definition.divisor(scored_->classes));
  }
  for (std::size_t j = 0; j < metrics_.size(); ++j) out[j] += offsets_[j];
}

void ResampleSubject::fill_influences(const Units& units, std::span<const double> slots) {
  // The derivatives by slot, a few for each: most metrics read few slots.
  struct Use {
    std::size_t metric;
    double derivative;
  };
  std::vector<std::vector<Use>> uses(layout_.slots());
  std::vector<double> gradient(layout_.slots());
  for (std::size_t j = 0; j < metrics_.size(); ++j) {
    const Definition& definition = *definitions()[metrics_[j]];
    std::fill(gradient.begin(), gradient.end(), 0.0);
    definition.functional.differentiate(layout_, slots, definition.divisor(scored_->classes),
                                        gradient);
    for (std::size_t s = 0; s < gradient.size(); ++s) {
      if (gradient[s] != 0.0) uses[s].push_back({j, gradient[s]});
    }
  }
  influences_.assign(units.count * metrics_.size(), 0.0);
  for (std::size_t i = 0; i < units.of_row.size(); ++i) {
    double* const influence = influences_.data() + units.of_row[i] * metrics_.size();
    for (std::size_t p = pairs_.first[i]; p < pairs_.first[i + 1]; ++p) {
      for (const Use& use : uses[pairs_.slot[p]]) {
        influence[use.metric] += use.derivative * static_cast<double>(pairs_.value[p]);
      }
    }
  }
}

double influence_error(double units, double sum, double squares) {
  const double spread = squares - sum * sum / units;
  return std::sqrt(std::max(spread, 0.0) * units / (units - 1.0));
}

}  // namespace credence::metrics
