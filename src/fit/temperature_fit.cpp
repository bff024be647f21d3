#include "fit/temperature_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernels.hpp"
#include "credence/error.hpp"
#include "fit/subsample.hpp"
#include "map/temperature.hpp"

namespace credence::fit_detail {
namespace {

enum class Arithmetic { f32, f64 };

/// Above this many rows a strided subsample finds the neighbourhood first.
constexpr std::size_t kWarmStartRows = 65536;
constexpr std::size_t kSubsample = 16384;
/// Relative step at which the float32 passes have done what they can.
constexpr double kFloatStep = 1e-4;
constexpr double kSmallStep = 1e-10;

/// Loss and derivatives in b, as means over rows; `linear` is the mean of q.d with d = z - max z.
struct Point {
  double loss = 0.0, slope = 0.0, curvature = 0.0;
};

class TemperatureFit {
 public:
  TemperatureFit(Scores scores, const Targets& targets, const FitOptions& options)
      : scores_(scores), targets_(&targets), options_(&options) {}

  Minimum run() {
    double b = 1.0;
    if (scores_.rows() >= kWarmStartRows) b = from_subsample();
    if (scores_.rows() >= kWarmStartRows) {
      search(b, Arithmetic::f32, kFloatStep, 3);
    }
    Minimum out = search(b, Arithmetic::f64, kSmallStep, options_->max_passes);
    out.theta = {b};
    return out;
  }

 private:
  /// Mean of q.d over the rows of a block, given each row's largest score.
  double block_linear(std::size_t first, std::size_t rows, const float* row_max) const {
    double sum = 0.0;
    const std::size_t classes = scores_.cols();
    for (std::size_t r = 0; r < rows; ++r) {
      const float* z = scores_.data() + (first + r) * classes;
      const double top = row_max[r];
      const VoteRow row = targets_->row(first + r);
      double dot = 0.0;
      for (std::size_t j = 0; j < row.classes.size(); ++j) {
        dot += row.weights[j] * (static_cast<double>(z[row.classes[j]]) - top);
      }
      if (targets_->has_uniform()) {
        double all = 0.0;
        for (std::size_t k = 0; k < classes; ++k) all += static_cast<double>(z[k]) - top;
        dot += targets_->uniform(first + r) / static_cast<double>(classes) * all;
      }
      sum += dot;
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
    core::ordered_blocks((rows + kBlockRows - 1) / kBlockRows,
                         execution_for(*options_, rows * classes), sizeof(BlockSums),
                         [] { return BlockSums{}; },
                         [&](std::size_t block, BlockSums& state) {
                           const std::size_t first = block * kBlockRows;
                           const std::size_t count = std::min(kBlockRows, rows - first);
                           float row_max[kBlockRows];
                           pass(scores_.row(first).data(), count, classes, b, &state.sums,
                                needs_linear ? row_max : nullptr);
                           state.linear = needs_linear ? block_linear(first, count, row_max) : 0.0;
                         },
                         [&](const BlockSums& state) {
                           total.log_sum += state.sums.log_sum;
                           total.mean += state.sums.mean;
                           total.variance += state.sums.variance;
                           linear += state.linear;
                         });
    const double scale = 1.0 / static_cast<double>(rows);
    if (needs_linear) {
      linear_ = linear * scale;
      linear_known_ = true;
    }
    ++passes_;
    const Point point{total.log_sum * scale - b * linear_, total.mean * scale - linear_,
                      total.variance * scale};
    if (options_->progress && !options_->progress({passes_, point.loss, std::abs(point.slope)})) {
      throw Error(ErrorCode::cancelled, "the fit was stopped");
    }
    return point;
  }

  /// Safeguarded Newton from b, which is updated. The minimum stays bracketed by [low, high].
  Minimum search(double& b, Arithmetic arithmetic, double small_step, int most) {
    double low = map::kInverseTemperature.low, high = map::kInverseTemperature.high;
    Minimum out;
    for (int iteration = 0;; ++iteration) {
      const Point here = evaluate(b, arithmetic);
      out.report = {Stop::iteration_limit, passes_, here.loss, std::abs(here.slope), {}};
      if (arithmetic == Arithmetic::f32 && !std::isfinite(here.slope + here.curvature)) return out;
      if (here.slope > 0.0) high = std::min(high, b);
      if (here.slope < 0.0) low = std::max(low, b);
      if (here.slope == 0.0) {
        out.report.stop = Stop::converged;
        return out;
      }
      if ((b == map::kInverseTemperature.low && here.slope > 0.0) ||
          (b == map::kInverseTemperature.high && here.slope < 0.0)) {
        out.report.stop = Stop::at_bound;
        return out;
      }
      double next = here.curvature > 0.0 ? b - here.slope / here.curvature : low - 1.0;
      if (!(next > low && next < high)) {
        // Outside the bracket: try a bound when none was visited on that side, else the middle.
        if (here.slope < 0.0 && high == map::kInverseTemperature.high) {
          next = std::min(4.0 * b, high);
        } else if (here.slope > 0.0 && low == map::kInverseTemperature.low) {
          next = std::max(0.25 * b, low);
        } else {
          next = std::sqrt(low * high);
        }
      }
      const double step = std::abs(next - b);
      if (step <= small_step * b && std::abs(here.slope) <= options_->gradient_tolerance) {
        out.report.stop = Stop::converged;
        return out;
      }
      if (arithmetic == Arithmetic::f32 && step <= small_step * b) {
        b = next;
        return out;
      }
      if (arithmetic == Arithmetic::f64 && out_of_digits(b, next, here)) {
        out.report.stop = Stop::rounding_floor;
        return out;
      }
      if (iteration + 1 >= most) return out;
      b = next;
    }
  }

  /// The Newton step is down to the last bits of b, or no longer shrinks the slope.
  bool out_of_digits(double b, double next, const Point& here) {
    const double step = std::abs(next - b), slope = std::abs(here.slope);
    const bool stalled = step <= 1e-15 * b || (step <= 1e-12 * b && slope >= best_slope_);
    best_slope_ = std::min(best_slope_, slope);
    return stalled;
  }

  double from_subsample() {
    const Subsample sample = strided_subsample(scores_, *targets_, kSubsample);
    FitOptions quiet = *options_;
    quiet.progress = {};
    TemperatureFit fit(sample.scores.view(), sample.targets, quiet);
    double b = 1.0;
    fit.search(b, Arithmetic::f32, 1e-3, 30);
    return b;
  }

  Scores scores_;
  const Targets* targets_;
  const FitOptions* options_;
  double linear_ = 0.0;
  bool linear_known_ = false;
  int passes_ = 0;
  double best_slope_ = std::numeric_limits<double>::infinity();
};

}  // namespace

Minimum fit_temperature(Scores scores, const Targets& targets, const FitOptions& options) {
  return TemperatureFit(scores, targets, options).run();
}

}  // namespace credence::fit_detail
