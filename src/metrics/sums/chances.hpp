// How many rows of a cell there are in which a random annotator gives its answer with which chance.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace credence::metrics {

/// So many rows of a cell in which a random annotator gives its answer with this chance.
struct Chance {
  std::uint32_t cell = 0;
  double chance = 0.0;
  std::uint64_t count = 0;
  bool operator==(const Chance&) const = default;
};
/// Ascending by cell and chance, each pair once.
using Chances = std::vector<Chance>;

/// Goes through them cell by cell.
class CellByCell {
 public:
  explicit CellByCell(const Chances& all) : left_(all) {}
  /// Those of a cell; ask for cells in ascending order.
  std::span<const Chance> of(std::uint32_t cell) {
    std::size_t count = 0;
    while (count < left_.size() && left_[count].cell == cell) ++count;
    const auto found = left_.first(count);
    left_ = left_.subspan(count);
    return found;
  }

 private:
  std::span<const Chance> left_;
};

Chances merged(const Chances& left, const Chances& right);

/// Counts equal pairs: by hashing, and where a chance has one of the first few numbers in a table.
/// A few votes per example have few different shares, so sorting what is different costs far less
/// than sorting all rows.
class ChanceCounter {
 public:
  static constexpr std::uint32_t kNumbered = 32;
  explicit ChanceCounter(std::size_t cells)
      : numbered_(cells <= kMostCells ? cells * kNumbered : 0) {}

  void add(std::uint32_t cell, double chance) {
    Place& place = find(cell, chance);
    if (place.count++ != 0) return;
    place.cell = cell;
    place.chance = chance;
    if (2 * ++used_ > places_.size()) grow();
  }
  /// The same for a chance with a number; every chance always comes with the same.
  void add(std::uint32_t cell, double chance, std::uint32_t number) {
    if (number >= kNumbered || numbered_.empty()) return add(cell, chance);
    chances_[number] = chance;
    ++numbered_[cell * kNumbered + number];
  }
  /// What was counted, after which nothing is.
  Chances take();

 private:
  struct Place {
    double chance = 0.0;
    std::uint32_t cell = 0, count = 0;
  };
  Place& find(std::uint32_t cell, double chance) {
    // Multiplications by odd constants; the highest bits depend on all of both.
    const std::uint64_t hash = std::bit_cast<std::uint64_t>(chance) * 0x9e3779b97f4a7c15ULL +
                               std::uint64_t{cell} * 0xd6e8feb86659fd93ULL;
    const std::size_t last = places_.size() - 1;
    auto at = static_cast<std::size_t>((hash ^ (hash >> 32)) * 0xbf58476d1ce4e5b9ULL >> shift_);
    while (places_[at].count != 0 && (places_[at].cell != cell || places_[at].chance != chance)) {
      at = (at + 1) & last;
    }
    return places_[at];
  }
  void grow();

  static constexpr std::size_t kMostCells = 8192;
  static constexpr int kFirstBits = 8;
  std::vector<std::uint32_t> numbered_;  ///< of cell and number; empty where that would be large
  std::array<double, kNumbered> chances_{};
  std::vector<Place> places_ = std::vector<Place>(std::size_t{1} << kFirstBits);
  int shift_ = 64 - kFirstBits;  ///< leaves as many bits of a hash as there are places
  std::size_t used_ = 0;
};

}  // namespace credence::metrics
