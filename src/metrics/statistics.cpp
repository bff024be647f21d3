#include "metrics/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace credence::metrics {
namespace {

/// The slots of one cell.
struct Cell {
  std::array<double, Functional::kMost> sums{};
};

}  // namespace

double Functional::value(const Layout& layout, std::span<const double> slots,
                         double divisor) const {
  const double* from[kMost] = {};
  std::size_t used = 0;
  for (; used < kMost && of[used] != Statistic::none; ++used) {
    from[used] = slots.data() + layout.first(of[used]);
  }
  Cell cell;
  double total = 0.0;
  for (std::size_t c = 0; c < layout.cells(of[0]); ++c) {
    for (std::size_t s = 0; s < used; ++s) cell.sums[s] = from[s][c];
    total += term(cell.sums.data());
  }
  return total / (slots[layout.first(per)] * divisor);
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
      const double above = term(cell.sums.data());
      cell.sums[s] = here - step;
      const double below = term(cell.sums.data());
      cell.sums[s] = here;
      gradient[layout.first(of[s]) + c] += (above - below) / (2.0 * step) * scale;
    }
  }
  gradient[layout.first(per)] -= value(layout, slots, divisor) / count;
}

}  // namespace credence::metrics
