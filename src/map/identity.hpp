// f(u) = u: the model as it is.
#pragma once

#include "map/about.hpp"

namespace credence::map {

template <>
struct About<Identity> : Facts {
  static constexpr std::string_view name = "identity";
  static constexpr std::string_view meaning = "changes nothing";
  static constexpr std::string_view action = "leaves the scores as they are";
  static constexpr bool keeps_order = true;

  static constexpr bool ignores_shift(Gauge) { return true; }
  static std::vector<Block> blocks(const Identity&, std::size_t, std::size_t) { return {}; }
  static std::optional<double> uniform_scale(Params) { return 1.0; }
  static double reach(Params, std::size_t, double in) { return in; }
  template <class Graph>
  static Lowered lower(const Identity&, Params, std::size_t, Graph&, const std::string& u) {
    return {u};
  }
};

}  // namespace credence::map
