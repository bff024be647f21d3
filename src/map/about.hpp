// What is known of a map besides its mathematics: words, named parameters, what it keeps and what
// it may break. Each map says this of itself in its own file (About<M>); everything that treats all
// maps alike asks here.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/setting.hpp"
#include "credence/calibrator.hpp"
#include "credence/map.hpp"
#include "credence/matrix.hpp"

namespace credence::map {

/// What the numbers of a block are; a calibrator file with others is refused.
enum class Numbers {
  any,
  inverse_temperatures,  ///< within the inverses of the temperatures allowed
  thresholds,            ///< in [0, 1], rising strictly
  levels,                ///< in [0, 1], never falling
  bin_values,            ///< in [0, 1], or -1 for "leave it alone"
  shares,                ///< in [0, 1]
};

/// A run of parameters that belong together, as calibrator files name it.
struct Block {
  std::string_view name;
  std::vector<std::size_t> shape;  ///< {}: one number; {n}: a list; {rows, n}: a list of lists
  Numbers numbers = Numbers::any;

  std::size_t size() const {
    std::size_t product = 1;
    for (const std::size_t extent : shape) product *= extent;
    return product;
  }
};

/// What a graph computes for a map: calibrated logits, or probabilities where it has no logits.
struct Lowered {
  std::string tensor;
  bool are_probabilities = false;
};

/// What holds of a map that does not say otherwise.
struct Facts {
  static constexpr bool keeps_order = false;          ///< never moves another class to the top
  static constexpr bool has_steps = false;            ///< not continuous in the scores
  static constexpr bool grows_with_square = false;    ///< about K^2 parameters
  static constexpr bool is_convex = true;             ///< the loss, in the parameters
  static constexpr std::string_view open_block = {};  ///< the block whose length the data decide
  /// Whether it gives the same probabilities whatever is added to a row.
  static constexpr bool ignores_shift(Gauge) { return false; }
  /// The length of the open block, given the number of all parameters.
  static constexpr std::size_t steps(std::size_t) { return 0; }
  /// The factor, where the map multiplies every score by the same one.
  static std::optional<double> uniform_scale(Params) { return std::nullopt; }
  /// Calls visit(name, field, least, most) for every number of the map that is not learned.
  template <class Map, class Visit>
  static void settings(Map&, const Visit&) {}
};

/// One specialisation of each per map, in its own file: what it computes (map/smooth.hpp,
/// map/top_label.hpp) and what else is known of it.
template <class M>
struct Math;
template <class M>
struct About;

template <class M>
concept Described = std::derived_from<About<M>, Facts> &&
    requires(const M& map, Params theta, std::size_t classes, double in) {
  { About<M>::name } -> std::convertible_to<std::string_view>;
  { About<M>::meaning } -> std::convertible_to<std::string_view>;  ///< for help
  { About<M>::action } -> std::convertible_to<std::string_view>;   ///< for cards: "divides ..."
  { About<M>::blocks(map, classes, classes) } -> std::same_as<std::vector<Block>>;
  /// A bound on what it makes of numbers up to `in`; infinite when it can overflow.
  { About<M>::reach(theta, classes, in) } -> std::same_as<double>;
};

// The same for any map.
std::string_view action(const MapSpec& map);
bool keeps_order(const MapSpec& map);
bool has_steps(const MapSpec& map);
bool grows_with_square(const MapSpec& map);
bool is_convex(const MapSpec& map);
/// A step is a mean of targets: where all examples of one agreed it is 1 (or 0), and the other
/// classes (or the predicted one) get probability 0. The smooth maps never do, nor do steps with a
/// prior.
bool can_give_zero(const MapSpec& map);
bool ignores_shift(const MapSpec& map, Gauge gauge);
std::string_view open_block(const MapSpec& map);
/// The blocks of all parameters, in their order; `steps` is the length of the open one.
std::vector<Block> blocks(const MapSpec& map, std::size_t classes, std::size_t steps = 0);
/// The blocks of parameters that are there already.
std::vector<Block> blocks_of(const Stage& stage, std::size_t classes);
std::vector<Block> blocks_of(const MapSpec& map, std::size_t parameters, std::size_t classes);
/// The numbers of a map that are not learned, and how to set them.
std::vector<core::Setting> settings_of(const MapSpec& map);
void set_settings(MapSpec& map, std::span<const double> values);
double reach(const Stage& stage, std::size_t classes, double in);
std::optional<double> uniform_scale(const Stage& stage);

/// Largest absolute value.
double largest(Params values);

}  // namespace credence::map
