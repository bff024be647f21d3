#include "metrics/sums/chances.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace credence::metrics {
namespace {

std::pair<std::uint32_t, double> order(const Chance& c) { return {c.cell, c.chance}; }

void add_chance(const Chance& more, Chances& pooled) {
  const bool same =
      !pooled.empty() && pooled.back().cell == more.cell && pooled.back().chance == more.chance;
  if (same) {
    pooled.back().count += more.count;
  } else {
    pooled.push_back(more);
  }
}

}  // namespace

void ChanceCounter::grow() {
  const std::vector<Place> old = std::exchange(places_, std::vector<Place>(2 * places_.size()));
  --shift_;
  for (const Place& place : old) {
    if (place.count != 0) find(place.cell, place.chance) = place;
  }
}

Chances ChanceCounter::take() {
  Chances counted;
  counted.reserve(used_);
  for (Place& place : places_) {
    if (place.count != 0) counted.push_back({place.cell, place.chance, place.count});
    place = {};
  }
  used_ = 0;
  for (std::size_t i = 0; i < numbered_.size(); ++i) {
    if (numbered_[i] == 0) continue;
    counted.push_back({static_cast<std::uint32_t>(i / kNumbered), chances_[i % kNumbered],
                       std::exchange(numbered_[i], 0)});
  }
  std::ranges::sort(counted, {}, order);
  return counted;
}

Chances merged(const Chances& left, const Chances& right) {
  Chances sorted, pooled;
  sorted.reserve(left.size() + right.size());
  std::ranges::merge(left, right, std::back_inserter(sorted), {}, order, order);
  pooled.reserve(sorted.size());
  for (const Chance& chance : sorted) add_chance(chance, pooled);
  return pooled;
}

}  // namespace credence::metrics
