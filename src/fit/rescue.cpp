#include "fit/rescue.hpp"

#include <algorithm>
#include <cmath>

#include "fit/damped.hpp"
#include "map/all_maps.hpp"

namespace credence::fit_detail {
namespace {

/// Rows that tell whether scores are of an ordinary size.
constexpr std::size_t kLookedAt = 256;
constexpr double kLeastOrdinary = 1e-3, kMostOrdinary = 1e4;

/// Calls body(tile, rows in it) for about `most_tiles` tiles, evenly spaced.
template <class Body>
void for_each_tile(const map::StageInput& input, std::size_t most_tiles, const Body& body) {
  const std::size_t classes = input.classes(), stride = core::tile_rows(classes);
  const std::size_t tiles = (input.rows() + stride - 1) / stride;
  const std::size_t step = std::max<std::size_t>(tiles / most_tiles, 1);
  std::vector<double> u(classes * stride);
  for (std::size_t t = 0; t < tiles; t += step) {
    const std::size_t rows = std::min(stride, input.rows() - t * stride);
    input.load(t * stride, rows, u.data());
    body(map::Tile{classes, stride, u.data(), input.gauge()}, rows);
  }
}

/// Root mean squares of the inputs, class by class.
std::vector<double> input_sizes(const map::StageInput& input, std::size_t most_tiles) {
  std::vector<double> sizes(input.classes(), 0.0);
  double seen = 0.0;
  for_each_tile(input, most_tiles, [&](const map::Tile& tile, std::size_t rows) {
    for (std::size_t k = 0; k < tile.classes; ++k) {
      for (std::size_t r = 0; r < rows; ++r) sizes[k] += tile.u_row(k)[r] * tile.u_row(k)[r];
    }
    seen += static_cast<double>(rows);
  });
  for (double& size : sizes) size = std::sqrt(size / seen);
  return sizes;
}

std::vector<double> feature_sizes(const map::StageInput& input) {
  using Math = map::Math<AdaptiveTemperature>;
  std::vector<double> sizes(Math::kParameters, 0.0);
  for_each_tile(input, input.rows(), [&](const map::Tile& tile, std::size_t rows) {
    std::array<Math::Column, Math::kParameters> phi;
    Math::features(tile, phi);
    for (std::size_t j = 0; j < sizes.size(); ++j) {
      for (std::size_t r = 0; r < rows; ++r) sizes[j] += phi[j][r] * phi[j][r];
    }
  });
  for (double& size : sizes) size = std::sqrt(size / static_cast<double>(input.rows()));
  return sizes;
}

/// Root mean square of what each parameter of a map multiplies.
std::vector<double> parameter_sizes(const MapSpec& map, const map::StageInput& input) {
  if (std::holds_alternative<AdaptiveTemperature>(map)) return feature_sizes(input);
  const std::vector<double> columns = input_sizes(input, input.rows());
  const std::size_t classes = columns.size();
  if (std::holds_alternative<Temperature>(map)) return {max_norm(columns)};
  std::vector<double> sizes(columns);
  if (std::holds_alternative<MatrixAffine>(map)) {
    for (std::size_t k = 1; k < classes; ++k) {
      sizes.insert(sizes.end(), columns.begin(), columns.end());
    }
  }
  if (!std::holds_alternative<ClassTemperatures>(map)) sizes.resize(sizes.size() + classes, 1.0);
  return sizes;
}

/// A log-probability smaller than this in every row is what rounding left of scores and their
/// log-sum-exp. Its parameters stay where they are: fitting them would be fitting that.
constexpr double kRoundedAway = 1e-10;

bool gave_up(const Minimum& minimum) {
  return minimum.report.stop == Stop::no_progress || minimum.report.stop == Stop::iteration_limit;
}

}  // namespace

bool needs_rescue(const Minimum& minimum, const map::StageInput& input) {
  if (!minimum.certain) return true;
  if (minimum.theta.size() <= kDenseParameters) return false;
  const std::size_t tiles = std::max<std::size_t>(kLookedAt / core::tile_rows(input.classes()), 1);
  const std::vector<double> sizes = input_sizes(input, tiles);
  return !std::all_of(sizes.begin(), sizes.end(),
                      [](double size) { return size >= kLeastOrdinary && size <= kMostOrdinary; });
}

Minimum rescue(const MapSpec& map, const map::StageInput& input, Objective& objective,
               Minimum first, std::vector<std::vector<double>> starts) {
  Shape shape{parameter_sizes(map, input), !std::holds_alternative<AdaptiveTemperature>(map)};
  if (input.gauge() == Gauge::log_probs) {
    for (double& size : shape.sizes) size = size < kRoundedAway ? 0.0 : size;
  }
  struct Start {
    std::vector<double> theta;
    double loss;
  };
  std::vector<Start> order;
  order.push_back({first.theta, first.report.loss});
  for (std::vector<double>& theta : starts) {
    const double loss = objective.evaluate(theta, false).loss;
    order.push_back({std::move(theta), loss});
  }
  std::erase_if(order, [](const Start& start) { return !std::isfinite(start.loss); });
  std::ranges::stable_sort(order, {}, &Start::loss);
  const double tolerance = objective.options().gradient_tolerance;
  std::optional<Minimum> best;
  for (const Start& start : order) {
    Minimum found = minimise_damped(objective, start.theta, shape, tolerance);
    if (!best || (std::isfinite(found.report.loss) &&
                  (found.report.loss < best->report.loss || (gave_up(*best) && !gave_up(found))))) {
      best = std::move(found);
    }
    if (!gave_up(*best)) break;
  }
  if (!best) return first;
  best->report.passes = objective.passes();
  return std::move(*best);
}

std::vector<double> frequencies_start(const MapSpec& map, const Targets& targets,
                                      std::size_t classes) {
  std::vector<double> share(classes, 1e-3 / static_cast<double>(classes));
  for (std::size_t i = 0; i < targets.rows(); ++i) {
    const TargetRow row = targets.row(i);
    for (std::size_t j = 0; j < row.classes.size(); ++j) {
      share[row.classes[j]] += row.weights[j] / row.total / static_cast<double>(targets.rows());
    }
    for (double& s : share) s += targets.uniform(i) / static_cast<double>(classes * targets.rows());
  }
  double mean = 0.0;
  for (double& s : share) mean += (s = std::log(s)) / static_cast<double>(classes);
  std::vector<double> theta(std::holds_alternative<MatrixAffine>(map) ? classes * classes : classes,
                            0.0);
  for (const double s : share) theta.push_back(s - mean);
  return theta;
}

}  // namespace credence::fit_detail
