#include "metrics/sums/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace credence::metrics {
namespace {

/// The slots of one cell.
struct Cell {
  std::array<double, Functional::kMost> sums{};

  double term(const Functional& functional) const {
    const double* from[Functional::kMost];
    for (std::size_t s = 0; s < sums.size(); ++s) from[s] = &sums[s];
    double total = 0.0;
    functional.term(from, 1, &total);
    return total;
  }
};

}  // namespace

double Functional::value(const Layout& layout, std::span<const double> slots,
                         double divisor) const {
  double out;
  values(layout, slots, 1, divisor, &out);
  return out;
}

void Functional::values(const Layout& layout, std::span<const double> slots, std::size_t lanes,
                        double divisor, double* out) const {
  const auto at = [&](Statistic s, std::size_t cell) {
    return slots.data() + (layout.first(s) + cell) * lanes;
  };
  std::fill_n(out, lanes, 0.0);
  for (std::size_t c = 0; c < layout.cells(of[0]); ++c) {
    const double* from[kMost] = {};
    for (std::size_t s = 0; s < kMost && of[s] != Statistic::none; ++s) from[s] = at(of[s], c);
    term(from, lanes, out);
  }
  const double* const count = at(per, 0);
  for (std::size_t l = 0; l < lanes; ++l) out[l] /= count[l] * divisor;
}

void Functional::differentiate(const Layout& layout, std::span<const double> slots, double divisor,
                               std::span<double> gradient) const {
  const double count = slots[layout.first(per)], scale = 1.0 / (count * divisor);
  for (std::size_t c = 0; c < layout.cells(of[0]); ++c) {
    Cell cell;
    for (std::size_t s = 0; s < kMost && of[s] != Statistic::none; ++s) {
      cell.sums[s] = slots[layout.first(of[s]) + c];
    }
    for (std::size_t s = 0; s < kMost && of[s] != Statistic::none; ++s) {
      // A millionth of a row, or of the sum: far below what one row changes, far above rounding.
      const double here = cell.sums[s], step = 1e-6 * std::max(1.0, std::abs(here));
      cell.sums[s] = here + step;
      const double above = cell.term(*this);
      cell.sums[s] = here - step;
      const double below = cell.term(*this);
      cell.sums[s] = here;
      gradient[layout.first(of[s]) + c] += (above - below) / (2.0 * step) * scale;
    }
  }
  gradient[layout.first(per)] -= value(layout, slots, divisor) / count;
}

}  // namespace credence::metrics
