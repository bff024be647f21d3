#include "fit/search/rescue.hpp"

#include <algorithm>
#include <cmath>

#include "core/exp_log.hpp"
#include "fit/search/damped.hpp"
#include "map/all_maps.hpp"

namespace credence::fit_detail {
namespace {

/// Rows that tell whether scores are of an ordinary size.
constexpr std::size_t kLookedAt = 256;
constexpr double kLeastOrdinary = 1e-3, kMostOrdinary = 1e4;

/// Root mean square of what each parameter of a map multiplies.
core::Task<std::vector<double>> parameter_sizes(const Problem& problem) {
  const MapSpec& map = problem.about.map;
  Request request = problem.about;
  request.sums = Request::Sums::sizes;
  problem.desk->put(std::move(request));
  const State state = co_await *problem.desk;
  std::vector<double> columns = state.sums.total();
  for (double& size : columns) size = std::sqrt(size / static_cast<double>(problem.rows));
  co_return std::visit(
      [&]<class M>(const M&) -> std::vector<double> {
        if constexpr (map::Differentiable<M>) return map::Math<M>::sizes(columns);
        return {};
      },
      map);
}

/// Whether the inputs of a sample are of a size that float32 and absolute tolerances suit.
bool is_ordinary(const map::StageInput& input) {
  const std::size_t classes = input.classes(), stride = core::tile_rows(classes);
  std::vector<double> u(classes * stride), squares(classes, 0.0);
  for (std::size_t first = 0; first < input.rows(); first += stride) {
    const std::size_t rows = std::min(stride, input.rows() - first);
    input.load(first, rows, u.data());
    for (std::size_t k = 0; k < classes; ++k) {
      for (std::size_t r = 0; r < rows; ++r) squares[k] += u[k * stride + r] * u[k * stride + r];
    }
  }
  return std::ranges::all_of(squares, [&](double square) {
    const double size = std::sqrt(square / static_cast<double>(input.rows()));
    return size >= kLeastOrdinary && size <= kMostOrdinary;
  });
}

/// A log-probability smaller than this in every row is what rounding left of scores and their
/// log-sum-exp. Its parameters stay where they are: fitting them would be fitting that.
constexpr double kRoundedAway = 1e-10;

bool gave_up(const Minimum& minimum) {
  return minimum.report.stop == Stop::no_progress || minimum.report.stop == Stop::iteration_limit;
}

}  // namespace

core::Task<bool> needs_rescue(const Minimum& minimum, const Problem& problem) {
  if (!minimum.certain) co_return true;
  if (minimum.theta.size() <= kDenseParameters) co_return false;
  const std::unique_ptr<InputSample> sample = co_await ask_for_sample(problem, kLookedAt);
  co_return !is_ordinary(sample->input());
}

core::Task<Minimum> rescue(Objective& objective, Minimum first,
                           std::vector<std::vector<double>> starts) {
  const Problem& problem = objective.problem();
  Shape shape;
  shape.sizes = co_await parameter_sizes(problem);
  const bool log_probs = !problem.is_plain() || problem.about.gauge == Gauge::log_probs;
  for (double& size : shape.sizes) size = log_probs && size < kRoundedAway ? 0.0 : size;
  shape.convex = map::is_convex(problem.about.map);
  struct Start {
    std::vector<double> theta;
    double loss;
  };
  std::vector<Start> order;
  order.push_back({first.theta, first.report.loss});
  for (std::vector<double>& theta : starts) {
    const Derivatives there = co_await objective.evaluate(theta, false);
    order.push_back({std::move(theta), there.loss});
  }
  std::erase_if(order, [](const Start& start) { return !std::isfinite(start.loss); });
  std::ranges::stable_sort(order, {}, &Start::loss);
  const double tolerance = problem.options->gradient_tolerance;
  std::optional<Minimum> best;
  for (const Start& start : order) {
    Minimum found = co_await minimise_damped(objective, start.theta, shape, tolerance);
    if (!best || (std::isfinite(found.report.loss) &&
                  (found.report.loss < best->report.loss || (gave_up(*best) && !gave_up(found))))) {
      best = std::move(found);
    }
    if (!gave_up(*best)) break;
  }
  if (!best) co_return first;
  best->report.passes = objective.passes();
  co_return std::move(*best);
}

core::Task<std::vector<double>> frequencies_start(const Problem& problem) {
  const bool possible =
      std::visit([]<class M>(const M&) { return map::CanBeConstant<M>; }, problem.about.map);
  if (!possible) co_return std::vector<double>{};
  Request request = problem.about;
  request.sums = Request::Sums::frequencies;
  problem.desk->put(std::move(request));
  const State state = co_await *problem.desk;
  const std::size_t classes = problem.classes;
  std::vector<double> share = state.sums.total();
  double mean = 0.0;
  for (double& s : share) {
    s = core::log_positive(s / static_cast<double>(problem.rows) +
                           1e-3 / static_cast<double>(classes));
    mean += s / static_cast<double>(classes);
  }
  for (double& s : share) s -= mean;
  co_return std::visit(
      [&]<class M>(const M&) -> std::vector<double> {
        if constexpr (map::CanBeConstant<M>) return map::Math<M>::constant(share);
        return {};
      },
      problem.about.map);
}

}  // namespace credence::fit_detail
