// One target and one map, fitted by asking.
#include "fit/stage_fit.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "credence/error.hpp"
#include "fit/channel/channel_fit.hpp"
#include "fit/passes/fast_passes.hpp"
#include "fit/search/class_blocks.hpp"
#include "fit/search/rescue.hpp"
#include "fit/search/small_problem.hpp"
#include "fit/search/steered_search.hpp"
#include "fit/temperature_fit.hpp"
#include "map/all_maps.hpp"
#include "map/top_label.hpp"

namespace credence::fit_detail {
namespace {

using Theta = std::vector<double>;

/// A rough fit to a subsample this many rows per parameter is a good start and costs little.
constexpr std::size_t kSampleRowsPerParameter = 16;
constexpr std::size_t kLeastSample = 2048;
/// The gradient of the other rows at the optimum of the sample is larger than this as a rule.
constexpr double kRoughGradient = 5e-4;
/// What a map of a handful of parameters is fitted to first, and how well.
constexpr std::size_t kAdaptiveSample = 8192;
constexpr double kAdaptiveGradient = 1e-6;
/// Rows for each pair of classes below which a matrix whose penalty does not depend on their number
/// does worse than one temperature, as a rule.
constexpr std::size_t kRowsPerWeight = 50;

/// Fits `problem`, whose rows are few and at hand, roughly.
core::Task<Minimum> fit_roughly(const Problem& problem, const Theta& identity) {
  Theta start = identity;
  if (problem.is_plain() && map::is_convex(problem.about.map)) {
    // Every such map begins with numbers that multiply the scores; most of what they have to learn
    // is how much too large the scores are.
    const Problem temperature = problem.with(Temperature{});
    const Minimum constant = co_await fit_temperature(temperature);
    for (double& number : start) number *= constant.theta[0];
  }
  Objective objective(problem);
  co_return co_await approach(objective, start, kRoughGradient);
}

/// The rough fit to a subsample, or empty when the data are too few for one to pay.
core::Task<Theta> warm_start(const Problem& problem, const Theta& identity) {
  const std::size_t wanted =
      std::max(kLeastSample, kSampleRowsPerParameter * std::min(identity.size(), kDenseParameters));
  if (problem.rows < 4 * wanted) co_return Theta{};
  const std::unique_ptr<InputSample> sample = co_await ask_for_sample(problem, wanted);
  FitOptions options = *problem.options;
  options.max_passes = 60;
  options.gradient_tolerance = kRoughGradient;
  SmallProblem small(problem, *sample, options);
  Minimum rough = small.run(fit_roughly(small.problem, identity));
  if (rough.report.stop == Stop::no_minimiser) co_return Theta{};
  co_return std::move(rough.theta);
}

/// A sample that could fit a large matrix would be nearly all the data; its diagonal needs far less
/// and is most of the way.
core::Task<Theta> warm_start_matrix(const Problem& problem) {
  const std::size_t classes = problem.classes;
  const Problem diagonal_problem = problem.with(DiagonalAffine{});
  const Theta plain = map::Math<DiagonalAffine>::identity(classes);
  const Theta diagonal = co_await warm_start(diagonal_problem, plain);
  if (diagonal.empty()) co_return Theta{};
  Theta theta = map::Math<MatrixAffine>::identity(classes);
  for (std::size_t k = 0; k < classes; ++k) {
    theta[k * classes + k] = diagonal[k];
    theta[classes * classes + k] = diagonal[classes + k];
  }
  co_return theta;
}

core::Task<Minimum> fit_smooth(const Problem& problem, const Theta& identity, const Theta& near);

/// The best temperature, for maps that contain it.
core::Task<Minimum> fit_constant(const Problem& problem) {
  const Problem temperature = problem.with(Temperature{});
  if (problem.is_plain()) co_return co_await fit_temperature(temperature);
  const Theta identity{1.0}, nowhere;
  co_return co_await fit_smooth(temperature, identity, nowhere);
}

/// Where a map can begin that contains simpler ones: at each of them, so that it ends no worse.
core::Task<std::vector<Theta>> simpler_starts(const Problem& problem, const Theta& identity) {
  std::vector<Theta> starts{identity};
  if (std::holds_alternative<Temperature>(problem.about.map)) co_return starts;
  const Minimum constant = co_await fit_constant(problem);
  starts.push_back(identity);
  for (double& number : starts.back()) number *= constant.theta.front();
  Theta frequencies = co_await frequencies_start(problem);
  if (!frequencies.empty()) starts.push_back(std::move(frequencies));
  co_return starts;
}

/// With so many rows a gradient of this size moves parameters by far less than the rows leave open,
/// and every pass counts.
constexpr std::size_t kManyRows = 65536;
constexpr double kManyRowsGradient = 1e-9;

double gradient_tolerance(const Problem& problem) {
  const double asked = problem.options->gradient_tolerance;
  const bool many = problem.rows >= kManyRows && has_fast_passes(problem.about.map);
  return many ? std::max(asked, kManyRowsGradient) : asked;
}

/// Above a thousand parameters the blocks of the classes lead; where rows are few for these, the
/// way is long, and products with the Hessian are the better guide.
bool can_be_steered(const Problem& problem, std::size_t parameters) {
  if (!has_fast_passes(problem.about.map)) return false;
  if (parameters <= kDenseParameters) return is_worth_sampling(problem, parameters);
  return std::holds_alternative<MatrixAffine>(problem.about.map) &&
         problem.classes <= kMostClassBlocks && problem.rows >= kManyRows;
}

/// By the curvature that a fit to nearly the same rows found, or else that of a sample. Nothing
/// where the map has no float32 passes, or rows are few.
core::Task<Minimum> fit_steered(Objective& objective, const Theta& start) {
  const Problem& problem = objective.problem();
  Minimum out;
  out.theta = start;
  const std::shared_ptr<const FitCurvature>& near = problem.options->start_curvature;
  if (near && near->parameters == start.size()) {
    out.curvature = near;
  } else if (start.size() > kDenseParameters) {
    FitCurvature blocks;
    blocks.inverse = co_await objective.preconditioner(start);
    blocks.parameters = start.size();
    blocks.regular = true;
    out.curvature = std::make_shared<const FitCurvature>(std::move(blocks));
  } else {
    SampledFit sampled = co_await fit_sample(problem, start);
    out.theta = std::move(sampled.theta);
    out.curvature = std::move(sampled.curvature);
  }
  if (!out.curvature->regular) co_return out;
  const double tolerance = gradient_tolerance(problem);
  const Steered steered{.fast = [&](const Theta& at) { return objective.evaluate_fast(at, false); },
                        .exact = [&](const Theta& at) { return objective.evaluate(at, false); },
                        .convex = true};
  const SteeredTolerance enough{.gradient = tolerance,
                                .step = kStepPerGradient * tolerance,
                                .unseen_gain = unseen_gain(tolerance, problem.rows)};
  Minimum found = co_await minimise_steered(steered, *out.curvature, out.theta, enough);
  found.report.passes = objective.passes();
  co_return found;
}

/// Newton from the rough fit where there is one: the loss is convex, so the start changes the way
/// to the minimum and not the minimum. Where that is not certain to have worked, again from every
/// simpler map.
core::Task<Minimum> fit_smooth(const Problem& problem, const Theta& identity, const Theta& near) {
  Theta start = near;
  if (start.empty()) {
    const bool large = std::holds_alternative<MatrixAffine>(problem.about.map) &&
                       identity.size() > kDenseParameters;
    if (large) {
      start = co_await warm_start_matrix(problem);
    } else {
      start = co_await warm_start(problem, identity);
    }
  }
  if (start.empty()) start = identity;
  Objective objective(problem);
  if (can_be_steered(problem, identity.size())) {
    Minimum found = co_await fit_steered(objective, start);
    if (found.certain) co_return found;
    start = std::move(found.theta);
  }
  Minimum found = co_await minimise(objective, start, gradient_tolerance(problem));
  const bool doubtful = co_await needs_rescue(found, problem);
  if (!doubtful) co_return found;
  std::vector<Theta> starts = co_await simpler_starts(problem, identity);
  co_return co_await rescue(objective, std::move(found), std::move(starts));
}

template <map::ContainsTemperature M>
core::Task<Minimum> fit_adaptive(const Problem& problem, Theta near);

/// Which of its starts leads furthest, and where to, a sample shows as well as all rows; empty
/// where these are too few for that to pay.
template <map::ContainsTemperature M>
core::Task<Theta> adapt_to_sample(const Problem& problem) {
  if (problem.rows < 4 * kAdaptiveSample) co_return Theta{};
  const std::unique_ptr<InputSample> sample = co_await ask_for_sample(problem, kAdaptiveSample);
  FitOptions options = *problem.options;
  options.gradient_tolerance = std::max(options.gradient_tolerance, kAdaptiveGradient);
  SmallProblem small(problem, *sample, options);
  Minimum found = small.run(fit_adaptive<M>(small.problem, {}));
  if (found.report.stop != Stop::converged) co_return Theta{};
  co_return std::move(found.theta);
}

/// Not convex: begins at the constant temperature that fits best, and wherever else the map says.
template <map::ContainsTemperature M>
core::Task<Minimum> fit_adaptive(const Problem& problem, Theta near) {
  using Math = map::Math<M>;
  const double tolerance = problem.options->gradient_tolerance;
  Objective objective(problem);
  if (near.empty()) near = co_await adapt_to_sample<M>(problem);
  if (!near.empty()) {
    Minimum found = co_await minimise(objective, near, tolerance);
    if (found.certain) co_return found;
  }
  const Minimum constant = co_await fit_constant(problem);
  std::vector<Theta> starts = Math::starts(1.0 / constant.theta.front());
  Minimum best = co_await minimise(objective, starts.front(), tolerance);
  for (std::size_t i = 1; i < starts.size(); ++i) {
    Minimum other = co_await minimise(objective, starts[i], tolerance);
    // All reach the same minimum up to rounding as a rule; the first then keeps its bits.
    if (!(other.report.loss >= best.report.loss - 1e-12)) best = std::move(other);
  }
  if (!best.certain) {
    best = co_await rescue(objective, std::move(best), std::move(starts));
  }
  best.report.passes = objective.passes() + constant.report.passes;
  co_return best;
}

template <map::Channelled M>
core::Task<Minimum> fit_with_channel(const Problem& problem, Theta near);

/// Where the fit to a sample ends; empty where rows are too few for that to pay.
template <map::Channelled M>
core::Task<Theta> fit_channel_to_sample(const Problem& problem) {
  const std::size_t size = map::Math<M>::parameters(problem.classes);
  if (size > kDenseParameters || !is_worth_sampling(problem, size)) co_return Theta{};
  const std::unique_ptr<InputSample> sample =
      co_await ask_for_sample(problem, curvature_rows(problem, size));
  FitOptions options = *problem.options;
  options.gradient_tolerance = std::max(options.gradient_tolerance, kAdaptiveGradient);
  SmallProblem small(problem, *sample, options);
  co_return small.run(fit_with_channel<M>(small.problem, {})).theta;
}

/// A ridge map, and then what annotators say for each class together with it.
template <map::Channelled M>
core::Task<Minimum> fit_with_channel(const Problem& problem, Theta near) {
  using Ridge = typename map::Math<M>::Ridge;
  const std::size_t classes = problem.classes;
  if (classes > kMostChannelClasses) {
    throw Error(ErrorCode::usage,
                "the map '" + std::string(map_name(problem.about.map)) + "' is for at most " +
                    std::to_string(kMostChannelClasses) + " classes; the scores have " +
                    std::to_string(classes),
                "choose a map without a table of what annotators say for each class: 'curves', or "
                "'ridge-log'");
  }
  if (near.empty() && problem.sampled_from == 0) near = co_await fit_channel_to_sample<M>(problem);
  const Problem front = problem.with(Ridge{.tau = std::get<M>(problem.about.map).tau});
  ChannelStart start;
  int passes = 0;
  if (near.empty()) {
    const Theta identity = map::Math<Ridge>::identity(classes);
    Minimum convex = co_await fit_smooth(front, identity, near);
    start.front = std::move(convex.theta);
    passes = convex.report.passes;
    for (std::size_t i = 0; i < classes * classes; ++i) {
      start.channel.push_back(map::usual_channel(i / classes, i % classes, classes));
    }
  } else {
    const auto end = near.end() - static_cast<std::ptrdiff_t>(classes * classes);
    start = {Theta(near.begin(), end), Theta(end, near.end())};
  }
  Minimum found = co_await fit_channel(problem, front, std::move(start));
  found.report.passes += passes;
  co_return found;
}

Minimum solved(map::TopLabelFit fitted) {
  Minimum out;
  out.theta = std::move(fitted.theta);
  out.report.loss = fitted.loss;
  out.report.passes = 1;
  return out;
}

template <map::FittedToExamples M>
core::Task<Minimum> fit_directly(const Problem& problem) {
  Request request = problem.about;
  request.sums = Request::Sums::top_labels;
  problem.desk->put(std::move(request));
  State state = co_await *problem.desk;
  if (!state.solved.empty()) {
    const double loss = state.solved.back();
    state.solved.pop_back();
    co_return solved({std::move(state.solved), loss});
  }
  std::vector<map::TopLabel> examples(state.listed.size() / 2);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    examples[i] = {state.listed[2 * i], state.listed[2 * i + 1]};
  }
  co_return solved(map::Math<M>::fit(std::get<M>(problem.about.map), std::move(examples)));
}

template <map::FittedToSums M>
core::Task<Minimum> fit_directly(const Problem& problem) {
  Request request = problem.about;
  request.sums = Request::Sums::histogram;
  problem.desk->put(std::move(request));
  const State state = co_await *problem.desk;
  co_return solved(map::Math<M>::fit(std::get<M>(problem.about.map), state.sums.total()));
}

core::Task<Minimum> fit_nothing() { co_return Minimum{}; }

core::Task<Minimum> fit_map(const Problem& problem, const Theta& near) {
  const MapSpec& map = problem.about.map;
  if (std::holds_alternative<Identity>(map)) co_return co_await fit_nothing();
  if (map::has_steps(map)) {
    co_return co_await std::visit(
        [&]<class M>(const M&) -> core::Task<Minimum> {
          if constexpr (map::Direct<M>) {
            return fit_directly<M>(problem);
          } else {
            return fit_nothing();
          }
        },
        map);
  }
  if (std::holds_alternative<Temperature>(map) && problem.is_plain()) {
    co_return co_await fit_temperature(problem, near.empty() ? 0.0 : near.front());
  }
  if (!map::is_convex(map)) {
    co_return co_await std::visit(
        [&]<class M>(const M&) -> core::Task<Minimum> {
          if constexpr (map::ContainsTemperature<M>) {
            return fit_adaptive<M>(problem, near);
          } else if constexpr (map::Channelled<M>) {
            return fit_with_channel<M>(problem, near);
          } else {
            return fit_nothing();
          }
        },
        map);
  }
  const Theta identity = std::visit(
      [&]<class M>(const M&) -> Theta {
        if constexpr (map::Smooth<M>) return map::Math<M>::identity(problem.classes);
        return {};
      },
      map);
  co_return co_await fit_smooth(problem, identity, near);
}

/// What a careful user should know about how the fit ended.
std::vector<std::string> notes_on(const MapSpec& map, const Minimum& minimum, std::size_t rows,
                                  std::size_t classes) {
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
  if (!map::is_convex(map)) {
    notes.push_back(
        "the loss of this map is not convex: the result is a local optimum, reached from a fixed "
        "start");
  }
  if (map::grows_with_square(map) && rows / (classes * classes) < kRowsPerWeight) {
    notes.push_back("few rows (" + std::to_string(rows) + ") for " +
                    std::to_string(minimum.theta.size()) +
                    " parameters: a full matrix needs about 50 for each pair of classes; compare "
                    "with a temperature, or with ridge-log, on held-out rows");
  }
  return notes;
}

void check_shape(std::size_t rows, std::size_t classes) {
  if (classes < 2) {
    throw Error(ErrorCode::data,
                "calibration needs at least 2 classes, the scores have " + std::to_string(classes),
                "for a binary model give the scores of both classes");
  }
  if (rows == 0) throw Error(ErrorCode::data, "there are no examples to fit on");
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

}  // namespace

core::Task<Stage> fit_stage(const Problem& problem, const std::vector<double>& near,
                            std::shared_ptr<const FitCurvature>* curvature) {
  if (!std::holds_alternative<Identity>(problem.about.map))
    check_shape(problem.rows, problem.classes);
  Minimum minimum = co_await fit_map(problem, near);
  const MapSpec& map = problem.about.map;
  check_finite(map, minimum);
  Stage stage;
  stage.target = problem.about.target;
  stage.map = map;
  stage.report = std::move(minimum.report);
  stage.report.notes = notes_on(map, minimum, problem.rows, problem.classes);
  stage.theta = std::move(minimum.theta);
  if (curvature != nullptr) *curvature = std::move(minimum.curvature);
  co_return stage;
}

}  // namespace credence::fit_detail
