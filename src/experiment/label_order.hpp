// Rows in an order that a seed decides, label by label, without holding the whole order: keys are
// recomputed from row numbers, and only those of one stretch of keys are sorted at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/radix_sort.hpp"
#include "core/random.hpp"

namespace credence::experiment {

/// `scan(emit)` calls emit(number, place, label) for rows in ascending order of number and place,
/// the same in every call. Calls visit(place, position) once for each, position being that in the
/// order: by label, within a label by (key of the number, number). At most about `most` rows are
/// held at a time, and once more while they are sorted.
template <class Scan, class Visit>
void in_label_order(std::uint64_t seed, std::uint64_t stream, std::size_t most, const Scan& scan,
                    const Visit& visit) {
  const std::uint64_t own = core::mix64(seed ^ stream);
  std::vector<std::size_t> next;  // by label: where its next row stands
  std::size_t rows = 0;
  scan([&](std::size_t, std::size_t, std::size_t label) {
    if (label >= next.size()) next.resize(label + 1, 0);
    ++next[label];
    ++rows;
  });
  std::size_t before = 0;
  for (std::size_t& place : next) before += std::exchange(place, before);

  struct Row {
    std::uint64_t key, place;
    std::uint32_t label;
  };
  const std::size_t rounds = std::max<std::size_t>(1, (rows + most - 1) / most);
  __extension__ typedef unsigned __int128 Wide;
  std::vector<Row> held;
  held.reserve(rounds == 1 ? rows : most + most / 16);
  for (std::size_t round = 0; round < rounds; ++round) {
    held.clear();
    scan([&](std::size_t number, std::size_t place, std::size_t label) {
      const std::uint64_t key = core::random_bits(own, number, 0);
      // Of as many equal stretches of keys as there are rounds.
      if (static_cast<std::size_t>(static_cast<Wide>(key) * rounds >> 64) != round) return;
      held.push_back({key, place, static_cast<std::uint32_t>(label)});
    });
    // By the upper half of the keys first, in which hardly any two agree.
    const auto upper = [](const Row& row) { return static_cast<std::uint32_t>(row.key >> 32U); };
    core::radix_sort(held, upper);
    for (auto run = held.begin(); run != held.end();) {
      auto end = run + 1;
      while (end != held.end() && upper(*end) == upper(*run)) ++end;
      std::sort(run, end, [](const Row& a, const Row& b) {
        return a.key != b.key ? a.key < b.key : a.place < b.place;
      });
      run = end;
    }
    for (const Row& row : held) visit(row.place, next[row.label]++);
  }
}

}  // namespace credence::experiment
