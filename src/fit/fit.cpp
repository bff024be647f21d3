#include "credence/fit.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/kernels.hpp"
#include "core/parallel.hpp"
#include "credence/error.hpp"
#include "fit/newton.hpp"
#include "fit/rescue.hpp"
#include "fit/subsample.hpp"
#include "fit/temperature_fit.hpp"
#include "map/all_maps.hpp"
#include "map/pipeline.hpp"
#include "map/top_label.hpp"

namespace credence {
namespace {

using fit_detail::make_objective;
using fit_detail::minimise;
using fit_detail::Minimum;

/// A rough fit to a subsample this many rows per parameter is a good start and costs little.
constexpr std::size_t kSampleRowsPerParameter = 16;
constexpr std::size_t kLeastSample = 2048;
/// The gradient of the other rows at the optimum of the sample is larger than this as a rule.
constexpr double kRoughGradient = 5e-4;

void check_input(const Dataset& data, const Targets& targets) {
  if (data.classes_count() < 2) {
    throw Error(ErrorCode::data,
                "calibration needs at least 2 classes, the scores have " +
                    std::to_string(data.classes_count()),
                "for a binary model give the scores of both classes");
  }
  if (data.rows() == 0) throw Error(ErrorCode::data, "there are no examples to fit on");
  if (targets.rows() != data.rows()) {
    throw Error(ErrorCode::data, "there are " + std::to_string(data.rows()) +
                                     " rows of scores but targets for " +
                                     std::to_string(targets.rows()));
  }
}

/// The rough fit to a subsample, or empty when the data are too few for one to pay.
std::vector<double> warm_start(const MapSpec& map, const map::StageInput& input,
                               const Targets& targets, const FitOptions& options,
                               const std::vector<double>& identity) {
  const std::size_t wanted =
      std::max(kLeastSample,
               kSampleRowsPerParameter * std::min(identity.size(), fit_detail::kDenseParameters));
  if (input.rows() < 4 * wanted) return {};
  const fit_detail::Subsample sample =
      fit_detail::strided_subsample(input.scores(), targets, wanted);
  map::StageInput sample_input = input.over(sample.scores.view());
  sample_input.remember_shifts(options.threads);
  FitOptions quiet = options;
  quiet.progress = {};
  quiet.max_passes = 60;
  quiet.gradient_tolerance = kRoughGradient;
  const auto objective = make_objective(map, sample_input, sample.targets, quiet);
  std::vector<double> start = identity;
  if (input.is_plain() && !std::holds_alternative<AdaptiveTemperature>(map)) {
    // Every other map begins with numbers that multiply the scores; most of what they have to learn
    // is how much too large the scores are.
    const double b =
        fit_detail::fit_temperature(sample.scores.view(), sample.targets, quiet).theta[0];
    for (double& number : start) number *= b;
  }
  Minimum rough = fit_detail::approach(*objective, start, kRoughGradient);
  if (rough.report.stop == Stop::no_minimiser) return {};
  return std::move(rough.theta);
}

/// A sample that could fit a large matrix would be nearly all the data; its diagonal needs far less
/// and is most of the way.
std::vector<double> warm_start_matrix(const map::StageInput& input, const Targets& targets,
                                      const FitOptions& options) {
  const std::size_t classes = input.classes();
  const std::vector<double> diagonal = warm_start(DiagonalAffine{}, input, targets, options,
                                                  map::Math<DiagonalAffine>::identity(classes));
  if (diagonal.empty()) return {};
  std::vector<double> theta = map::Math<MatrixAffine>::identity(classes);
  for (std::size_t k = 0; k < classes; ++k) {
    theta[k * classes + k] = diagonal[k];
    theta[classes * classes + k] = diagonal[classes + k];
  }
  return theta;
}

Minimum fit_smooth(const MapSpec& map, const map::StageInput& input, const Targets& targets,
                   const FitOptions& options, const std::vector<double>& identity,
                   const std::vector<double>& near = {});

/// The best temperature, for maps that contain it.
Minimum fit_constant(const map::StageInput& input, const Targets& targets,
                     const FitOptions& options) {
  return input.is_plain() ? fit_detail::fit_temperature(input.scores(), targets, options)
                          : fit_smooth(Temperature{}, input, targets, options, {1.0});
}

/// Where a map can begin that contains simpler ones: at each of them, so that it ends no worse.
std::vector<std::vector<double>> simpler_starts(const MapSpec& map, const map::StageInput& input,
                                                const Targets& targets, const FitOptions& options,
                                                const std::vector<double>& identity) {
  std::vector<std::vector<double>> starts{identity};
  if (std::holds_alternative<Temperature>(map)) return starts;
  const double b = fit_constant(input, targets, options).theta.front();
  starts.push_back(identity);
  for (double& number : starts.back()) number *= b;
  if (!std::holds_alternative<ClassTemperatures>(map)) {
    starts.push_back(fit_detail::frequencies_start(map, targets, input.classes()));
  }
  return starts;
}

/// Newton from the rough fit where there is one: the loss is convex, so the start changes the way
/// to the minimum and not the minimum. Where that is not certain to have worked, again from every
/// simpler map.
Minimum fit_smooth(const MapSpec& map, const map::StageInput& input, const Targets& targets,
                   const FitOptions& options, const std::vector<double>& identity,
                   const std::vector<double>& near) {
  const auto objective = make_objective(map, input, targets, options);
  std::vector<double> start = near;
  if (start.empty()) {
    const bool large =
        std::holds_alternative<MatrixAffine>(map) && identity.size() > fit_detail::kDenseParameters;
    start = large ? warm_start_matrix(input, targets, options)
                  : warm_start(map, input, targets, options, identity);
  }
  if (start.empty()) start = identity;
  Minimum found = minimise(*objective, std::move(start), options.gradient_tolerance);
  if (!fit_detail::needs_rescue(found, input)) return found;
  return fit_detail::rescue(map, input, *objective, std::move(found),
                            simpler_starts(map, input, targets, options, identity));
}

/// Not convex: the constant temperature that fits best and no change at all are both tried.
Minimum fit_adaptive(const AdaptiveTemperature& map, const map::StageInput& input,
                     const Targets& targets, const FitOptions& options,
                     const std::vector<double>& near) {
  using Math = map::Math<AdaptiveTemperature>;
  const auto objective = make_objective(map, input, targets, options);
  if (!near.empty()) {
    Minimum found = minimise(*objective, near, options.gradient_tolerance);
    if (found.certain) return found;
  }
  const Minimum constant = fit_constant(input, targets, options);
  const double least = Math::kLeast + 0.01;
  const std::vector<double> start = Math::constant(std::max(least, 1.0 / constant.theta.front()));
  Minimum best = minimise(*objective, start, options.gradient_tolerance);
  Minimum other = minimise(*objective, Math::identity(0), options.gradient_tolerance);
  // Both reach the same minimum up to rounding as a rule; the first then keeps its bits.
  if (!(other.report.loss >= best.report.loss - 1e-12)) best = std::move(other);
  if (!best.certain) {
    best = fit_detail::rescue(map, input, *objective, std::move(best), {start, Math::identity(0)});
  }
  best.report.passes = objective->passes() + constant.report.passes;
  return best;
}

std::vector<map::TopLabel> top_labels(const map::StageInput& input, const Targets& targets,
                                      int threads) {
  constexpr std::size_t kRows = 1024;  // a whole number of tiles
  const std::size_t classes = input.classes(), stride = core::tile_rows(classes);
  std::vector<map::TopLabel> examples(input.rows());
  core::parallel_for(threads, (input.rows() + kRows - 1) / kRows, [&](std::size_t block) {
    std::vector<double> tile(classes * stride), confidence(stride);
    std::vector<std::uint32_t> top(stride);
    const std::size_t end = std::min(input.rows(), (block + 1) * kRows);
    for (std::size_t first = block * kRows; first < end; first += stride) {
      const std::size_t rows = std::min(stride, end - first);
      input.load(first, rows, tile.data());
      map::tile_top(tile.data(), classes, confidence.data(), top.data());
      for (std::size_t r = 0; r < rows; ++r) {
        examples[first + r] = {confidence[r], targets.at(first + r, top[r], classes)};
      }
    }
  });
  return examples;
}

template <map::Direct M>
Minimum fit_direct(const M& map, const map::StageInput& input, const Targets& targets,
                   int threads) {
  map::TopLabelFit fitted = map::fit_top_label(map, top_labels(input, targets, threads));
  Minimum out;
  out.theta = std::move(fitted.theta);
  out.report.loss = fitted.loss;
  out.report.passes = 1;
  return out;
}

/// What a careful user should know about how the fit ended.
std::vector<std::string> notes_on(const MapSpec& map, const Minimum& minimum, std::size_t rows) {
  std::vector<std::string> notes;
  switch (minimum.report.stop) {
    case Stop::at_bound:
      notes.push_back(
          "a temperature reached its bound [0.01, 1000]: the scores separate the targets, or say "
          "nothing about them");
      break;
    case Stop::no_minimiser:
      notes.push_back(
          "the loss keeps falling as the parameters grow (the data are separable, or the free "
          "diagonal runs away): more rows or a map with fewer parameters is needed");
      break;
    case Stop::no_progress:
      notes.push_back(
          "no step lowers the loss any more although its gradient is not tiny (scores of very "
          "different or extreme sizes): the result may not be the optimum");
      break;
    case Stop::iteration_limit:
      notes.push_back("stopped at the limit of passes; the result is not the optimum");
      break;
    default:
      break;
  }
  const std::size_t parameters = minimum.theta.size();
  if (std::holds_alternative<MatrixAffine>(map) && rows < 10 * parameters) {
    notes.push_back("few rows (" + std::to_string(rows) + ") for " + std::to_string(parameters) +
                    " parameters: compare with a temperature on held-out rows");
  }
  return notes;
}

/// Numbers that are none must not leave as a calibrator.
void check_finite(const MapSpec& map, const Minimum& minimum) {
  const bool finite = std::ranges::all_of(minimum.theta, [](double x) { return std::isfinite(x); });
  if (finite && std::isfinite(minimum.report.loss)) return;
  throw Error(ErrorCode::data,
              "the fit of the map '" + std::string(map_name(map)) + "' ended with " +
                  (finite ? "the loss " + std::to_string(minimum.report.loss)
                          : std::string("parameters that are not finite")),
              "the scores hold or lead to numbers beyond the range of float64, or they changed "
              "while they were read");
}

Stage fit_one(const MapSpec& map, const Dataset& data, const Targets& targets,
              std::span<const Stage> front, const FitOptions& options,
              const std::vector<double>& near = {}) {
  // Steps are fitted to the very numbers that they will read; derivatives want small ones.
  map::StageInput input(data.scores, options.gauge, front, map::has_steps(map) ? &map : nullptr);
  Minimum minimum = std::visit(
      [&]<class M>(const M& m) -> Minimum {
        if constexpr (std::same_as<M, Identity>) {
          return {};
        } else if constexpr (map::Direct<M>) {
          return fit_direct(m, input, targets, options.threads);
        } else if constexpr (std::same_as<M, Temperature>) {
          if (!input.is_plain()) return fit_smooth(m, input, targets, options, {1.0}, near);
          return fit_detail::fit_temperature(data.scores, targets, options,
                                             near.empty() ? 0.0 : near.front());
        } else {
          input.remember_shifts(options.threads);
          if constexpr (std::same_as<M, AdaptiveTemperature>) {
            return fit_adaptive(m, input, targets, options, near);
          } else {
            return fit_smooth(m, input, targets, options,
                              map::Math<M>::identity(data.classes_count()), near);
          }
        }
      },
      map);
  check_finite(map, minimum);
  Stage stage;
  stage.map = map;
  stage.report = std::move(minimum.report);
  stage.report.notes = notes_on(map, minimum, data.rows());
  stage.theta = std::move(minimum.theta);
  return stage;
}

/// Parameters worth beginning at: those of a minimum that was reached.
std::vector<double> good_start(const Calibrator& start, std::size_t place, const MethodSpec& method,
                               const Dataset& data) {
  const bool fits = start.stages.size() == method.stages.size() &&
                    start.class_count == data.classes_count() &&
                    start.stages[place].map.index() == method.stages[place].map.index();
  if (!fits) {
    throw Error(ErrorCode::usage,
                "a fit of '" + method.name + "' with " + std::to_string(data.classes_count()) +
                    " classes cannot start from a calibrator of '" + start.method + "' with " +
                    std::to_string(start.class_count) + " classes",
                "start from a fit of the same method to the same classes");
  }
  const Stage& stage = start.stages[place];
  const bool reached =
      stage.report.stop == Stop::converged || stage.report.stop == Stop::rounding_floor;
  return reached ? stage.theta : std::vector<double>{};
}

}  // namespace

Stage fit_stage(const MapSpec& map, const Dataset& data, const Targets& targets,
                const FitOptions& options) {
  if (!std::holds_alternative<Identity>(map)) check_input(data, targets);
  return fit_one(map, data, targets, {}, options);
}

Calibrator fit(const MethodSpec& method, const Dataset& data, const FitOptions& options) {
  Calibrator calibrator;
  calibrator.method = method.name;
  calibrator.gauge = options.gauge;
  calibrator.classes = data.classes;
  calibrator.class_count = data.classes_count();
  for (const MethodSpec::StageSpec& spec : method.stages) {
    const Targets targets = make_target(spec.target, data, options.seed);
    if (!std::holds_alternative<Identity>(spec.map)) check_input(data, targets);
    const std::size_t place = calibrator.stages.size();
    Stage stage = fit_one(
        spec.map, data, targets, calibrator.stages, options,
        options.start ? good_start(*options.start, place, method, data) : std::vector<double>{});
    stage.target = spec.target;
    calibrator.stages.push_back(std::move(stage));
  }
  return calibrator;
}

}  // namespace credence
