// Bins that hold equally many examples, as far as equal values allow.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace credence::metrics {

/// A run of rows [first, last) of the sorted pairs that form one bin.
struct MassBin {
  std::size_t first, last;
};

/// Cuts pairs, sorted ascending by their first member, into at most `bins` bins. A run of equal
/// values that starts at rank s (from 0) among n goes whole into bin floor(s B / n): equal values
/// are never split, sizes differ by at most 1 when all values differ, and giving every row twice
/// changes no bin. Bins that stay empty are left out.
std::vector<MassBin> equal_mass_bins(std::span<const std::pair<double, double>> sorted, int bins);

}  // namespace credence::metrics
