#include "metrics/sums/summary.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "core/random.hpp"

namespace credence::metrics {
namespace {

void add_chance(const Chance& more, Chances& pooled) {
  const bool same =
      !pooled.empty() && pooled.back().cell == more.cell && pooled.back().chance == more.chance;
  if (same) {
    pooled.back().count += more.count;
  } else {
    pooled.push_back(more);
  }
}

/// Counts equal pairs by hashing. A few votes per example have few different shares: sorting what
/// is different costs far less than sorting all rows.
class CountedChances {
 public:
  void add(std::uint32_t cell, double chance) {
    if (2 * used_ >= places_.size()) grow();
    Chance& place = find(cell, chance);
    used_ += place.count == 0 ? 1 : 0;
    place.cell = cell;
    place.chance = chance;
    ++place.count;
  }
  Chances take() {
    std::erase_if(places_, [](const Chance& place) { return place.count == 0; });
    return std::move(places_);
  }

 private:
  Chance& find(std::uint32_t cell, double chance) {
    const std::size_t last = places_.size() - 1;
    std::size_t at = core::mix64(std::bit_cast<std::uint64_t>(chance) + cell) & last;
    while (places_[at].count != 0 && (places_[at].cell != cell || places_[at].chance != chance)) {
      at = (at + 1) & last;
    }
    return places_[at];
  }
  void grow() {
    Chances old = std::exchange(places_, Chances(std::max<std::size_t>(64, 2 * places_.size())));
    for (const Chance& place : old) {
      if (place.count != 0) find(place.cell, place.chance) = place;
    }
  }

  Chances places_;  ///< a power of two of them
  std::size_t used_ = 0;
};

void append_to(std::vector<double>& left, const std::vector<double>& right) {
  left.insert(left.end(), right.begin(), right.end());
}

auto protocol(const Summary& s) {
  const MetricOptions& o = s.options;
  return std::tuple(s.classes, o.bins, o.entropy_bins, o.draws, o.seed, o.list_rows,
                    s.has_certainties);
}

}  // namespace

Chances pool(const std::vector<std::pair<std::uint32_t, double>>& rows) {
  CountedChances counted;
  for (const auto& [cell, chance] : rows) counted.add(cell, chance);
  Chances pooled = counted.take();
  std::ranges::sort(pooled, {}, [](const Chance& c) { return std::pair(c.cell, c.chance); });
  return pooled;
}

Chances merged(const Chances& left, const Chances& right) {
  Chances sorted, pooled;
  sorted.reserve(left.size() + right.size());
  std::ranges::merge(
      left, right, std::back_inserter(sorted), {},
      [](const Chance& c) { return std::pair(c.cell, c.chance); },
      [](const Chance& c) { return std::pair(c.cell, c.chance); });
  pooled.reserve(sorted.size());
  for (const Chance& chance : sorted) add_chance(chance, pooled);
  return pooled;
}

bool Summary::like(const Summary& other) const { return protocol(*this) == protocol(other); }

bool Summary::operator==(const Summary& other) const {
  return like(other) && first_row == other.first_row && end_row == other.end_row &&
         votes_are_counts == other.votes_are_counts && scalars == other.scalars &&
         bins == other.bins && cells == other.cells && bin_chances == other.bin_chances &&
         cell_chances == other.cell_chances && bin_hits == other.bin_hits &&
         cell_hits == other.cell_hits && confidence == other.confidence &&
         agreement == other.agreement && entropy == other.entropy &&
         predicted_disagreement == other.predicted_disagreement &&
         observed_disagreement == other.observed_disagreement;
}

void Summary::append(Summary right) {
  const auto draws = static_cast<std::size_t>(options.draws);
  end_row = right.end_row;
  votes_are_counts = votes_are_counts && right.votes_are_counts;
  scalars.merge(std::move(right.scalars));
  bins.merge(std::move(right.bins));
  cells.merge(std::move(right.cells));
  bin_chances = merged(bin_chances, right.bin_chances);
  cell_chances = merged(cell_chances, right.cell_chances);
  add_hits(right.bin_hits, draws, bin_hits);
  add_hits(right.cell_hits, draws, cell_hits);
  append_to(confidence, right.confidence);
  append_to(agreement, right.agreement);
  append_to(entropy, right.entropy);
  append_to(predicted_disagreement, right.predicted_disagreement);
  append_to(observed_disagreement, right.observed_disagreement);
}

}  // namespace credence::metrics
