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
    metrics_.push_back(i);
    points_.push_back(*evaluation.metrics[i].value);
  }
  std::vector<double> slots(layout_.slots(), 0.0), plain(metrics_.size());
  for (std::size_t j = 0; j < pairs_.slot.size(); ++j) slots[pairs_.slot[j]] += pairs_.value[j];
  offsets_.assign(metrics_.size(), 0.0);
  values(slots, plain);
  for (std::size_t j = 0; j < metrics_.size(); ++j) offsets_[j] = points_[j] - plain[j];
  if (with_influences) fill_influences(units, slots);
}

void ResampleSubject::values(std::span<const double> slots, std::span<double> out) const {
  const auto all = definitions();
  for (std::size_t j = 0; j < metrics_.size(); ++j) {
    const Definition& definition = *all[metrics_[j]];
    out[j] = definition.functional.value(layout_, slots, definition.divisor(scored_->classes)) +
             offsets_[j];
  }
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
        influence[use.metric] += use.derivative * pairs_.value[p];
      }
    }
  }
}

double influence_error(double units, double sum, double squares) {
  const double spread = squares - sum * sum / units;
  return std::sqrt(std::max(spread, 0.0) * units / (units - 1.0));
}

}  // namespace credence::metrics
