#include "fit/temperature_fit.hpp"

#include <algorithm>
#include <cmath>

#include "core/exp_log.hpp"
#include "fit/passes/temperature_passes.hpp"
#include "map/temperature.hpp"

namespace credence::fit_detail {
namespace {

/// A sample of so many rows finds the neighbourhood, to within a per cent as a rule; with fewer
/// than kWarmStartRows it would save nothing.
constexpr std::size_t kSampleRows = 4096;
constexpr std::size_t kWarmStartRows = 4 * kSampleRows;

/// Runs of rows, evenly spaced: neighbours are cheap to read, and often alike in a sorted file.
RowSample sample_of(std::size_t rows) {
  constexpr std::size_t kRun = 16;
  return {kRun, kRun * (rows / kSampleRows), rows};
}
/// Passes in float32 before it is left to double, wherever they lead.
constexpr int kFastPasses = 30;
/// A relative step, taken with the third derivative, leaves an error near its cube: after one this
/// small float32 has no more to say, ...
constexpr double kLastFastStep = 1e-2;
/// ... and after one this small nor has double.
constexpr double kLastStep = 1e-5;
/// From where exponentials have died away, slope and curvature say little of how far to go back:
/// steps down that are longer than this are taken in log b, where no step is too long.
constexpr double kLongStep = 0.5;
/// With a slope this small nothing is left to gain anywhere within the bounds; the tail of an
/// exponential would take hundreds of steps to cross.
constexpr double kFlat = 1e-30;
/// Tolerances from here on are for fits that serve a comparison alone.
constexpr double kLoose = 1e-7;

/// Loss and derivatives in b, as means over rows.
struct Point {
  double loss = 0.0, slope = 0.0, curvature = 0.0, bend = 0.0;

  /// Root of the slope's expansion to second order, nearest to 0; the Newton step when there is no
  /// real one.
  double step() const {
    const double newton = -slope / curvature;
    const double root = 1.0 + 2.0 * newton * bend / curvature;
    return root > 0.25 ? 2.0 * newton / (1.0 + std::sqrt(root)) : newton;
  }
  /// A Newton step down in log b.
  double log_step(double b) const {
    return b * (core::exp_nonpositive(-slope / (b * curvature + slope)) - 1.0);
  }
  /// Size of the slope after a step by the expansion, and of the terms that it leaves out.
  double slope_bound_after(double step) const {
    return std::abs(slope + step * (curvature + 0.5 * bend * step)) +
           std::abs(bend * step * step * step);
  }
};

class TemperatureFit {
 public:
  explicit TemperatureFit(const Problem& problem)
      : problem_(&problem), counter_(*problem.options) {}

  /// From b = start, or from wherever a sample leads when that is 0.
  core::Task<Minimum> run(double start) {
    double b = start > 0.0 ? start : 1.0;
    int most = problem_->options->max_passes;
    // A pass in double costs three in float32, and from where these end one is nearly always
    // enough.
    if (start == 0.0 && problem_->rows >= kWarmStartRows) {
      b = co_await from_sample();
    }
    if (start == 0.0 && most > 1) {
      co_await search(b, Arithmetic::f32, std::min(kFastPasses, most - 1));
      most -= counter_.passes();
    }
    Minimum out = co_await search(b, Arithmetic::f64, most);
    out.theta = {b};
    co_return out;
  }

  /// Only the neighbourhood, in float32.
  core::Task<double> approach() {
    double b = 1.0;
    co_await search(b, Arithmetic::f32, kFastPasses);
    co_return b;
  }

 private:
  /// One pass over the data; the first also sums up what the targets say.
  core::Task<Point> evaluate(double b, Arithmetic arithmetic) {
    Request request = problem_->about;
    request.sums = arithmetic == Arithmetic::f32 ? Request::Sums::temperature_fast
                                                 : Request::Sums::temperature;
    request.theta = {b};
    request.with_linear = !linear_known_;
    problem_->desk->put(std::move(request));
    const State state = co_await *problem_->desk;
    const std::vector<double> total = state.sums.total();
    const double scale = 1.0 / static_cast<double>(problem_->rows);
    if (!linear_known_) {
      linear_ = total[kLinearSum] * scale;
      linear_known_ = true;
    }
    const Point point{total[0] * scale - b * linear_, total[1] * scale - linear_, total[2] * scale,
                      total[3] * scale};
    counter_.announce(point.loss, std::abs(point.slope));
    counter_.count();
    co_return point;
  }

  /// Safeguarded steps from b, which is updated; the minimum stays bracketed by [low, high].
  core::Task<Minimum> search(double& b, Arithmetic arithmetic, int most) {
    constexpr map::Bounds kBounds = map::kInverseTemperature;
    double low = kBounds.low, high = kBounds.high;
    bool jumped = false;
    Minimum out;
    for (int iteration = 1;; ++iteration) {
      const Point here = co_await evaluate(b, arithmetic);
      out.report = {Stop::iteration_limit, counter_.passes(), here.loss, std::abs(here.slope), {}};
      // Scores beyond float32's range of squares: the caller goes on in double.
      if (!std::isfinite(here.slope + here.curvature)) co_return out;
      if (here.slope == 0.0) {
        const bool outside = jumped && (b == kBounds.low || b == kBounds.high);
        co_return ended(out, outside ? Stop::at_bound : Stop::converged);
      }
      if ((b == kBounds.low && here.slope > 0.0) || (b == kBounds.high && here.slope < 0.0)) {
        co_return ended(out, Stop::at_bound);
      }
      (here.slope > 0.0 ? high : low) = b;
      double step = here.curvature > 0.0 ? here.step() : -b;
      if (step < -kLongStep * b && here.curvature > 0.0) step = here.log_step(b);
      if (std::abs(here.slope) < kFlat && !jumped) {
        jumped = true;
        b = here.slope > 0.0 ? kBounds.low : kBounds.high;
        continue;
      }
      const bool there = b + step == b;
      if (!there && !(b + step > low && b + step < high))
        step = inside(b, here.slope, low, high) - b;
      const double size = std::abs(step) / b;
      // A fit that need not be exact may take a longer last step.
      const bool near =
          size <= kLastStep ||
          (problem_->options->gradient_tolerance >= kLoose && size < 0.01 &&
           here.slope_bound_after(step) < 0.1 * problem_->options->gradient_tolerance);
      if (arithmetic == Arithmetic::f64 && near) {
        // What remains after this step is known from the expansion; a further pass could only
        // measure rounding.
        const double before = b;
        b += step;
        out.report.loss += step * (here.slope + 0.5 * here.curvature * step);
        out.report.gradient_norm = here.slope_bound_after(b - before);
        const bool small = out.report.gradient_norm <= problem_->options->gradient_tolerance;
        co_return ended(out, small ? Stop::converged : Stop::rounding_floor);
      }
      if (iteration < most || arithmetic == Arithmetic::f32) b += step;
      if (iteration >= most || (arithmetic == Arithmetic::f32 && size < kLastFastStep))
        co_return out;
    }
  }

  static Minimum ended(Minimum minimum, Stop stop) {
    minimum.report.stop = stop;
    return minimum;
  }

  /// A point of the bracket for a step that would leave it: well towards a bound that was never
  /// visited, the middle between two that were.
  static double inside(double b, double slope, double low, double high) {
    if (slope < 0.0 && high == map::kInverseTemperature.high) return std::min(4.0 * b, high);
    if (slope > 0.0 && low == map::kInverseTemperature.low) return std::max(0.25 * b, low);
    return std::sqrt(low * high);
  }

  /// The sample is fetched once and searched here.
  core::Task<double> from_sample() {
    Request request = problem_->about;
    request.sums = Request::Sums::rows;
    request.sample = sample_of(problem_->rows);
    problem_->desk->put(std::move(request));
    const State state = co_await *problem_->desk;
    const SampleRows sample = decode_rows(state, problem_->classes);
    Desk desk;
    FitOptions quiet = *problem_->options;
    quiet.progress = {};
    Problem small = *problem_;
    small.rows = sample.scores.rows();
    small.options = &quiet;
    small.desk = &desk;
    RowPasses rows(sample.scores.view(), sample.targets, problem_->spread());
    TemperatureFit fit(small);
    co_return run_with(fit.approach(), desk, rows);
  }

  const Problem* problem_;
  PassCounter counter_;
  double linear_ = 0.0;
  bool linear_known_ = false;
};

}  // namespace

core::Task<Minimum> fit_temperature(const Problem& problem, double start) {
  TemperatureFit fit(problem);
  co_return co_await fit.run(start);
}

}  // namespace credence::fit_detail
