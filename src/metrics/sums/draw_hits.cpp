#include "metrics/sums/draw_hits.hpp"

#include <algorithm>
#include <cmath>

#include "metrics/numbers/sum.hpp"

namespace credence::metrics {
namespace {

/// Mean of the values of the draws, with its standard error (none for a single draw).
Point average_of_draws(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  Sum sum, squares;
  for (const double value : values) sum.add(value);
  const double mean = sum.value() / count;
  for (const double value : values) squares.add((value - mean) * (value - mean));
  if (values.size() < 2) return {mean, {}};
  return {mean, std::sqrt(squares.value() / (count - 1.0) / count)};
}

}  // namespace

void add_hits(const DrawHits& right, std::size_t draws, DrawHits& left) {
  DrawHits both;
  std::ranges::set_union(left.cells, right.cells, std::back_inserter(both.cells));
  both.hits.assign(both.cells.size() * draws, 0);
  for (const DrawHits* part : {&std::as_const(left), &right}) {
    std::size_t place = 0;
    for (std::size_t i = 0; i < part->cells.size(); ++i) {
      while (both.cells[place] != part->cells[i]) ++place;
      for (std::size_t s = 0; s < draws; ++s) {
        both.hits[place * draws + s] += part->hits[i * draws + s];
      }
    }
  }
  left = std::move(both);
}

Point error_of_draws(std::span<const std::uint32_t> cells, std::span<const double> gaps,
                     const DrawHits& hits, const MetricOptions& options, double divisor) {
  const auto draws = static_cast<std::size_t>(options.draws);
  const std::vector<std::uint64_t> none(draws, 0);
  std::vector<double> values(draws, 0.0);
  std::size_t next = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool drawn = next < hits.cells.size() && hits.cells[next] == cells[i];
    const std::uint64_t* const of_cell = drawn ? hits.hits.data() + next++ * draws : none.data();
    for (std::size_t s = 0; s < draws; ++s) {
      values[s] += std::abs(gaps[i] - static_cast<double>(of_cell[s]));
    }
  }
  for (double& value : values) value /= divisor;
  return average_of_draws(values);
}

}  // namespace credence::metrics
