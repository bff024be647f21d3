#include "map/about.hpp"

#include <algorithm>
#include <cmath>

#include "map/all_maps.hpp"

namespace credence {

std::string_view map_name(const MapSpec& map) {
  return std::visit([]<class M>(const M&) { return map::About<M>::name; }, map);
}

std::string_view map_meaning(const MapSpec& map) {
  return std::visit([]<class M>(const M&) { return map::About<M>::meaning; }, map);
}

}  // namespace credence

namespace credence::map {

std::string_view action(const MapSpec& map) {
  return std::visit([]<class M>(const M&) { return About<M>::action; }, map);
}

bool keeps_order(const MapSpec& map) {
  return std::visit([]<class M>(const M&) { return About<M>::keeps_order; }, map);
}

bool has_steps(const MapSpec& map) {
  return std::visit([]<class M>(const M&) { return About<M>::has_steps; }, map);
}

bool can_give_zero(const MapSpec& map) {
  return std::visit(
      []<class M>(const M& m) {
        if constexpr (requires { m.step_prior; }) return m.step_prior == 0.0;
        return About<M>::has_steps;
      },
      map);
}

bool grows_with_square(const MapSpec& map) {
  return std::visit([]<class M>(const M&) { return About<M>::grows_with_square; }, map);
}

bool is_convex(const MapSpec& map) {
  return std::visit([]<class M>(const M&) { return About<M>::is_convex; }, map);
}

bool ignores_shift(const MapSpec& map, Gauge gauge) {
  return std::visit([&]<class M>(const M&) { return About<M>::ignores_shift(gauge); }, map);
}

std::string_view open_block(const MapSpec& map) {
  return std::visit([]<class M>(const M&) { return About<M>::open_block; }, map);
}

std::vector<Block> blocks(const MapSpec& map, std::size_t classes, std::size_t steps) {
  return std::visit([&]<class M>(const M& m) { return About<M>::blocks(m, classes, steps); }, map);
}

std::vector<Block> blocks_of(const MapSpec& map, std::size_t parameters, std::size_t classes) {
  const std::size_t steps =
      std::visit([&]<class M>(const M&) { return About<M>::steps(parameters); }, map);
  return blocks(map, classes, steps);
}

std::vector<Block> blocks_of(const Stage& stage, std::size_t classes) {
  return blocks_of(stage.map, stage.theta.size(), classes);
}

std::vector<core::Setting> settings_of(const MapSpec& map) { return core::settings_of<About>(map); }

void set_settings(MapSpec& map, std::span<const double> values) {
  core::set_settings<About>(map, values);
}

double reach(const Stage& stage, std::size_t classes, double in) {
  return std::visit([&]<class M>(const M&) { return About<M>::reach(stage.theta, classes, in); },
                    stage.map);
}

std::optional<double> uniform_scale(const Stage& stage) {
  return std::visit([&]<class M>(const M&) { return About<M>::uniform_scale(stage.theta); },
                    stage.map);
}

double largest(Params values) {
  double most = 0.0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

}  // namespace credence::map
