// Every map; a new one is added here once.
#pragma once

#include "map/adaptive_floor.hpp"
#include "map/adaptive_temperature.hpp"
#include "map/channel.hpp"
#include "map/class_temperatures.hpp"
#include "map/clip.hpp"
#include "map/curves.hpp"
#include "map/diagonal_affine.hpp"
#include "map/floor.hpp"
#include "map/histogram.hpp"
#include "map/identity.hpp"
#include "map/isotonic.hpp"
#include "map/matrix_affine.hpp"
#include "map/ridge.hpp"
#include "map/temperature.hpp"

namespace credence::map {

template <class... Maps>
constexpr bool all_described(const std::variant<Maps...>*) {
  return (Described<Maps> && ...);
}
static_assert(all_described(static_cast<const MapSpec*>(nullptr)));

}  // namespace credence::map
