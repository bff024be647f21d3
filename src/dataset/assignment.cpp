#include "dataset/assignment.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace credence::dataset {
namespace {

constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();

}  // namespace

std::vector<std::uint32_t> best_assignment(Rows gains) {
  const std::size_t n = gains.rows();
  // Costs are negative gains. The potentials keep every reduced cost at 0 or above, and at 0 on
  // the assigned cells; row n is the start of each path.
  std::vector<double> row_potential(n, 0.0), column_potential(n, 0.0);
  std::vector<std::uint32_t> row_of(n, kFree);  // by column
  for (std::size_t first = 0; first < n; ++first) {
    std::vector<double> shortest(n, std::numeric_limits<double>::infinity());
    std::vector<std::uint32_t> before(n, kFree);  // column before each on its path; kFree: `first`
    std::vector<bool> done(n, false);
    std::uint32_t row = static_cast<std::uint32_t>(first), last = kFree;
    double reached = 0.0;
    std::size_t found = n;
    while (found == n) {
      std::size_t nearest = n;
      // A row looks at its own column first, and a later column must be truly nearer: the diagonal
      // wins all ties.
      for (std::size_t at = 0; at < n; ++at) {
        const std::size_t j = at == 0 ? row : (at <= row ? at - 1 : at);
        if (done[j]) continue;
        const double length = reached - gains(row, j) - row_potential[row] - column_potential[j];
        if (length < shortest[j]) {
          shortest[j] = length;
          before[j] = last;
        }
        if (nearest == n || shortest[j] < shortest[nearest]) nearest = j;
      }
      done[nearest] = true;
      reached = shortest[nearest];
      last = static_cast<std::uint32_t>(nearest);
      if (row_of[nearest] == kFree) {
        found = nearest;
      } else {
        row = row_of[nearest];
      }
    }
    row_potential[first] += reached;
    for (std::size_t j = 0; j < n; ++j) {
      if (!done[j]) continue;
      if (row_of[j] != kFree) row_potential[row_of[j]] += reached - shortest[j];
      column_potential[j] -= reached - shortest[j];
    }
    for (std::size_t j = found; j != kFree; j = before[j]) {
      row_of[j] = before[j] == kFree ? static_cast<std::uint32_t>(first) : row_of[before[j]];
    }
  }
  std::vector<std::uint32_t> column_of(n);
  for (std::size_t j = 0; j < n; ++j) column_of[row_of[j]] = static_cast<std::uint32_t>(j);
  double best = 0.0, diagonal = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    best += gains(i, column_of[i]);
    diagonal += gains(i, i);
  }
  if (best <= diagonal) std::iota(column_of.begin(), column_of.end(), 0U);
  return column_of;
}

std::vector<std::uint32_t> greedy_assignment(std::vector<Entry> entries, std::size_t size) {
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    if (a.gain != b.gain) return a.gain > b.gain;
    const bool a_own = a.row == a.column, b_own = b.row == b.column;
    if (a_own != b_own) return a_own;
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  std::vector<std::uint32_t> column_of(size, kFree);
  std::vector<bool> taken(size, false);
  const auto take = [&](std::uint32_t row, std::uint32_t column) {
    if (column_of[row] != kFree || taken[column]) return;
    column_of[row] = column;
    taken[column] = true;
  };
  for (const Entry& entry : entries) take(entry.row, entry.column);
  for (std::uint32_t k = 0; k < size; ++k) take(k, k);
  std::uint32_t next = 0;
  for (std::uint32_t& column : column_of) {
    if (column != kFree) continue;
    while (taken[next]) ++next;
    column = next;
    taken[next] = true;
  }
  return column_of;
}

}  // namespace credence::dataset
