#include "metrics/bootstrap/resample_subject.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "metrics/bootstrap/resample_weights.hpp"

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

namespace {

Layout layout_of(const Scored& s) { return s.layout(s.has_cells()); }

}  // namespace

Omitted shared_scalars(const Scored& s, const Scored& base) {
  Omitted shared{};
  for (std::size_t i = 0; i < kScalars; ++i) {
    const auto statistic = static_cast<Statistic>(i);
    std::size_t row = 0;
    while (row < s.rows() && s.scalar(statistic, row) == base.scalar(statistic, row)) ++row;
    shared[i] = row == s.rows();
  }
  return shared;
}

ResampleSubject::ResampleSubject(const Evaluation& evaluation, const Units& units,
                                 bool with_influences, const ResampleSubject* base)
    : scored_(evaluation.kept.get()),
      layout_(layout_of(*scored_)),
      shared_(base == nullptr ? Omitted{} : shared_scalars(*scored_, base->scored())),
      rows_(*scored_, layout_, shared_, units.of_row) {
  // Weights of 1, added as resamples are.
  const std::vector<std::uint8_t> ones(units.count * kLanes, 1);
  add_up(ones.data(), base == nullptr ? plain_ : base->plain_, plain_);
  std::vector<double> slots(layout_.slots());
  for (std::size_t s = 0; s < slots.size(); ++s) slots[s] = plain_[s * kLanes];
  metrics_.emplace(layout_, evaluation, slots);
  if (with_influences) fill_influences(units, slots);
}

void ResampleSubject::add_up(const std::uint8_t* weight, const std::vector<double>& of_base,
                             std::vector<double>& sums) const {
  sums.assign(layout_.slots() * kLanes, 0.0);
  rows_.add_up(weight, sums.data());
  for (std::size_t s = 0; s < kScalars; ++s) {
    if (shared_[s]) std::copy_n(of_base.data() + s * kLanes, kLanes, sums.data() + s * kLanes);
  }
}

void ResampleSubject::fill_influences(const Units& units, std::span<const double> slots) {
  const RowPairs pairs = row_pairs(*scored_, layout_);
  // The derivatives by slot, a few for each: most metrics read few slots.
  struct Use {
    std::size_t metric;
    double derivative;
  };
  std::vector<std::vector<Use>> uses(layout_.slots());
  std::vector<double> gradient(layout_.slots());
  const std::size_t metrics = metrics_->size();
  for (std::size_t j = 0; j < metrics; ++j) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    metrics_->definition(j).functional.differentiate(layout_, slots, metrics_->divisor(j),
                                                     gradient);
    for (std::size_t s = 0; s < gradient.size(); ++s) {
      if (gradient[s] != 0.0) uses[s].push_back({j, gradient[s]});
    }
  }
  influences_.assign(units.count * metrics, 0.0);
  for (std::size_t i = 0; i < units.of_row.size(); ++i) {
    double* const influence = influences_.data() + units.of_row[i] * metrics;
    for (std::size_t p = pairs.first[i]; p < pairs.first[i + 1]; ++p) {
      for (const Use& use : uses[pairs.slot[p]]) {
        influence[use.metric] += use.derivative * static_cast<double>(pairs.value[p]);
      }
    }
  }
}

double influence_error(double units, double sum, double squares) {
  const double spread = squares - sum * sum / units;
  return std::sqrt(std::max(spread, 0.0) * units / (units - 1.0));
}

}  // namespace credence::metrics
