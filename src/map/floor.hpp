// f(u) = log((1-a) softmax(b u) + a/K): one temperature, and no class below a/K.
#pragma once

#include "map/floored.hpp"

namespace credence::map {

struct NoFeatures {
  static constexpr std::size_t kCount = 0;
  template <class Phi>
  static void fill(const Tile&, Phi&) {}
};

template <>
struct Math<Floor> : FlooredMath<NoFeatures> {
  static Quadratic penalty(const ::credence::Floor& map, std::size_t, std::size_t rows) {
    return prior(map.prior, rows);
  }
};
static_assert(Smooth<Floor>);

template <>
struct About<Floor> : FlooredFacts {
  static constexpr std::string_view name = "floor";
  static constexpr std::string_view meaning =
      "divides the scores by one temperature and mixes in a share of the uniform distribution; "
      "2 parameters";
  static constexpr std::string_view action =
      "divides all scores by one temperature and leaves every class a least probability";

  template <class Map, class Visit>
  static void settings(Map& map, const Visit& visit) {
    visit("prior", map.prior, 0.0, core::kAnyNumber);
  }
  static std::vector<Block> blocks(const Floor&, std::size_t, std::size_t) {
    return {{"scale", {}}, {"floor_log_odds", {}}};
  }
  template <class Graph>
  static Lowered lower(const Floor&, Params theta, std::size_t classes, Graph& graph,
                       const std::string& u) {
    using Math = map::Math<Floor>;
    const std::string b = graph.scalar("inverse_temperature", Math::inverse_temperature(theta));
    return lower_floor<Math>(theta, classes, graph, u, b);
  }
};

}  // namespace credence::map
