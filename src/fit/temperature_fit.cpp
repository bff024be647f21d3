#include "fit/temperature_fit.hpp"

#include <algorithm>
#include <cmath>

#include "core/kernels.hpp"
#include "core/sparse_sum.hpp"
#include "credence/error.hpp"
#include "map/temperature.hpp"

namespace credence::fit_detail {
namespace {

enum class Arithmetic { f32, f64 };

/// Above this many rows a sample of them finds the neighbourhood first.
constexpr std::size_t kWarmStartRows = 65536;
constexpr std::size_t kSampleRows = 32768;
/// Many classes need fewer rows.
constexpr std::size_t kSampleNumbers = std::size_t{1} << 22;

/// Which rows are looked at: `count` rows from every multiple of `step`.
struct Blocks {
  std::size_t count = kBlockRows, step = kBlockRows;
};
/// Runs of rows, evenly spaced: neighbours are cheap to read, and often alike in a sorted file.
Blocks sample_of(Scores scores) {
  constexpr std::size_t kRun = 64;
  const std::size_t wanted =
      std::clamp<std::size_t>(kSampleNumbers / scores.cols(), kRun, kSampleRows);
  return {kRun, kRun * std::max<std::size_t>(scores.rows() / wanted, 1)};
}
/// A relative step this small, taken with the third derivative, leaves an error near its cube.
constexpr double kLastStep = 1e-6;
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
  /// Size of the slope after a step by the expansion, and of the terms that it leaves out.
  double slope_bound_after(double step) const {
    return std::abs(slope + step * (curvature + 0.5 * bend * step)) +
           std::abs(bend * step * step * step);
  }
};

class TemperatureFit {
 public:
  TemperatureFit(Scores scores, const Targets& targets, const FitOptions& options,
                 Blocks blocks = {})
      : scores_(scores), targets_(&targets), options_(&options), blocks_(blocks) {}

  /// From b = start, or from wherever a sample leads when that is 0.
  Minimum run(double start) {
    double b = start > 0.0 ? start : 1.0;
    if (start == 0.0 && scores_.rows() >= kWarmStartRows) {
      b = from_sample();
      search(b, Arithmetic::f32, 1);
    }
    Minimum out = search(b, Arithmetic::f64, options_->max_passes);
    out.theta = {b};
    return out;
  }

 private:
  /// Sum of q.d over the rows of a block, d = z - max z of its row.
  double block_linear(std::size_t first, std::size_t rows, const float* row_max) const {
    double sum = 0.0;
    const std::size_t classes = scores_.cols();
    const float* z = scores_.data() + first * classes;
    // Rows that start before this one have four entries to read, their own or the next rows'.
    const std::uint32_t* const roomy =
        targets_->row(0).classes.data() + (targets_->entries() < 4 ? 0 : targets_->entries() - 3);
    for (std::size_t r = 0; r < rows; ++r, z += classes) {
      const double top = row_max[r];
      const TargetRow row = targets_->row(first + r);
      const double weighed = core::sparse_sum(
          row.classes.size(), row.classes.data() < roomy, [&](std::size_t j, double counts) {
            const double from_top = static_cast<double>(z[row.classes.data()[j]]) - top;
            return row.weights.data()[j] * counts * from_top;
          });
      sum += weighed / row.total;
    }
    return targets_->has_uniform() ? sum + block_uniform(first, rows, row_max) : sum;
  }

  /// The part of the uniform mass in the same sum.
  double block_uniform(std::size_t first, std::size_t rows, const float* row_max) const {
    double sum = 0.0;
    for (std::size_t r = 0; r < rows; ++r) {
      double all = 0.0;
      for (const float z : scores_.row(first + r)) {
        all += static_cast<double>(z) - static_cast<double>(row_max[r]);
      }
      sum += targets_->uniform(first + r) / static_cast<double>(scores_.cols()) * all;
    }
    return sum;
  }

  /// One pass over the data; the first also sums up what the targets say.
  Point evaluate(double b, Arithmetic arithmetic) {
    struct BlockSums {
      core::TemperatureSums sums;
      double linear;
    };
    const std::size_t rows = scores_.rows(), classes = scores_.cols();
    const auto& kernels = core::kernels();
    const auto pass =
        arithmetic == Arithmetic::f32 ? kernels.temperature_f32 : kernels.temperature_f64;
    const bool needs_linear = !linear_known_;
    core::TemperatureSums total;
    double linear = 0.0;
    const std::size_t blocks = (rows + blocks_.step - 1) / blocks_.step;
    const std::size_t last = (blocks - 1) * blocks_.step;
    const std::size_t used = (blocks - 1) * blocks_.count + std::min(blocks_.count, rows - last);
    core::ordered_blocks(
        blocks, execution_for(*options_, used * classes), sizeof(BlockSums),
        [] { return BlockSums{}; },
        [&](std::size_t block, BlockSums& state) {
          const std::size_t first = block * blocks_.step;
          const std::size_t count = std::min(blocks_.count, rows - first);
          float row_max[kBlockRows];
          pass(scores_.row(first).data(), count, classes, b, &state.sums,
               needs_linear ? row_max : nullptr);
          state.linear = needs_linear ? block_linear(first, count, row_max) : 0.0;
        },
        [&](const BlockSums& state) {
          total.log_sum += state.sums.log_sum;
          total.mean += state.sums.mean;
          total.variance += state.sums.variance;
          total.skew += state.sums.skew;
          linear += state.linear;
        });
    const double scale = 1.0 / static_cast<double>(used);
    if (needs_linear) {
      linear_ = linear * scale;
      linear_known_ = true;
    }
    ++passes_;
    const Point point{total.log_sum * scale - b * linear_, total.mean * scale - linear_,
                      total.variance * scale, total.skew * scale};
    if (options_->progress && !options_->progress({passes_, point.loss, std::abs(point.slope)})) {
      throw Error(ErrorCode::cancelled, "the fit was stopped");
    }
    return point;
  }

  /// Safeguarded steps from b, which is updated; the minimum stays bracketed by [low, high].
  Minimum search(double& b, Arithmetic arithmetic, int most) {
    constexpr map::Bounds kBounds = map::kInverseTemperature;
    double low = kBounds.low, high = kBounds.high;
    bool jumped = false;
    Minimum out;
    for (int iteration = 1;; ++iteration) {
      const Point here = evaluate(b, arithmetic);
      out.report = {Stop::iteration_limit, passes_, here.loss, std::abs(here.slope), {}};
      // Scores beyond float32's range of squares: the caller goes on in double.
      if (!std::isfinite(here.slope + here.curvature)) return out;
      if (here.slope == 0.0) {
        const bool outside = jumped && (b == kBounds.low || b == kBounds.high);
        return ended(out, outside ? Stop::at_bound : Stop::converged);
      }
      if ((b == kBounds.low && here.slope > 0.0) || (b == kBounds.high && here.slope < 0.0)) {
        return ended(out, Stop::at_bound);
      }
      (here.slope > 0.0 ? high : low) = b;
      double step = here.curvature > 0.0 ? here.step() : -b;
      if (std::abs(here.slope) < kFlat && !jumped) {
        jumped = true;
        b = here.slope > 0.0 ? kBounds.low : kBounds.high;
        continue;
      }
      if (!(b + step > low && b + step < high)) step = inside(b, here.slope, low, high) - b;
      const double size = std::abs(step) / b;
      // A fit that need not be exact may take a longer last step.
      const bool near =
          size <= kLastStep || (options_->gradient_tolerance >= kLoose && size < 0.01 &&
                                here.slope_bound_after(step) < 0.1 * options_->gradient_tolerance);
      if (arithmetic == Arithmetic::f64 && near) {
        // What remains after this step is known from the expansion; a further pass could only
        // measure rounding.
        const double before = b;
        b += step;
        out.report.loss += step * (here.slope + 0.5 * here.curvature * step);
        out.report.gradient_norm = here.slope_bound_after(b - before);
        const bool small = out.report.gradient_norm <= options_->gradient_tolerance;
        return ended(out, small ? Stop::converged : Stop::rounding_floor);
      }
      if (iteration < most || arithmetic == Arithmetic::f32) b += step;
      if (iteration >= most || (arithmetic == Arithmetic::f32 && size < 1e-3)) return out;
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

  double from_sample() {
    FitOptions quiet = *options_;
    quiet.progress = {};
    TemperatureFit fit(scores_, *targets_, quiet, sample_of(scores_));
    double b = 1.0;
    fit.search(b, Arithmetic::f32, 30);
    return b;
  }

  Scores scores_;
  const Targets* targets_;
  const FitOptions* options_;
  Blocks blocks_;
  double linear_ = 0.0;
  bool linear_known_ = false;
  int passes_ = 0;
};

}  // namespace

Minimum fit_temperature(Scores scores, const Targets& targets, const FitOptions& options,
                        double start) {
  return TemperatureFit(scores, targets, options).run(start);
}

}  // namespace credence::fit_detail
