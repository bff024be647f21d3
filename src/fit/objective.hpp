// The loss of a smooth map as a function of its parameters: mean soft cross-entropy + penalty. The
// sums over rows are asked for; this side scales them and adds the penalty.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "fit/passes/row_passes.hpp"
#include "fit/solver/desk.hpp"
#include "map/smooth.hpp"

namespace credence::fit_detail {

/// Means over rows. The curvature is empty, or a row-major P x P lower triangle.
struct Derivatives {
  double loss = 0.0;
  std::vector<double> gradient;
  std::vector<double> curvature;
};

/// Approximately inverts the curvature, for conjugate gradients.
using Preconditioner = std::function<void(const double* in, double* out)>;

/// The curvature times a direction, at the parameters it was made for.
using Product =
    std::function<core::Task<std::vector<double>>(const std::vector<double>& direction)>;

/// Tells the watcher of a fit about passes, and counts them.
class PassCounter {
 public:
  explicit PassCounter(const FitOptions& options) : options_(&options) {}
  /// Throws Error(cancelled) when asked to stop.
  void count();
  int passes() const { return passes_; }
  bool exhausted() const { return passes_ >= options_->max_passes; }
  /// What the watcher is told with the next pass.
  void announce(double loss, double gradient_norm);

 private:
  const FitOptions* options_;
  int passes_ = 0;
  FitProgress progress_;
};

/// A sample of the rows and what leads to the inputs of a stage.
class InputSample {
 public:
  InputSample(const Request& about, SampleRows rows)
      : front_(about.front),
        rows_(std::move(rows)),
        input_(rows_.scores.view(), about.gauge, front_) {}
  InputSample(const InputSample&) = delete;
  InputSample& operator=(const InputSample&) = delete;
  map::StageInput& input() { return input_; }
  const Targets& targets() const { return rows_.targets; }
  Scores scores() const { return rows_.scores.view(); }

 private:
  std::vector<Stage> front_;
  SampleRows rows_;
  map::StageInput input_;
};

/// What is to be fitted: a map, to a target, behind stages, on so many rows.
struct Problem {
  Request about;  ///< names map, target, stages and gauge
  std::size_t rows, classes;
  const FitOptions* options;
  Desk* desk;
  /// Of all rows, where these are a sample of them: a penalty may grow smaller with their number.
  std::size_t sampled_from = 0;
  std::size_t penalty_rows() const { return sampled_from > 0 ? sampled_from : rows; }
  bool is_plain() const { return about.front.empty(); }
  Spread spread() const { return {options->threads, options->chunk_rows}; }
  /// The same for another map.
  Problem with(MapSpec map) const {
    Problem other = *this;
    other.about.map = std::move(map);
    return other;
  }
};

/// About `wanted` rows, evenly spaced: rows may be sorted by class, so a prefix would mislead.
core::Task<std::unique_ptr<InputSample>> ask_for_sample(const Problem& problem, std::size_t wanted);

class Objective {
 public:
  /// The problem must outlive the objective.
  explicit Objective(const Problem& problem);
  ~Objective();

  const Problem& problem() const { return *problem_; }
  std::size_t parameters() const { return parameters_; }
  const std::optional<map::Bounds>& bounds() const { return bounds_; }
  const map::Quadratic& penalty() const { return penalty_; }
  /// Loss and gradient at theta, and the Hessian on request: one pass over the data.
  core::Task<Derivatives> evaluate(const std::vector<double>& theta, bool with_curvature);
  /// The same in float32, good enough to find a step, for maps that have such passes.
  core::Task<Derivatives> evaluate_fast(const std::vector<double>& theta, bool with_curvature);
  /// Hessian(theta) times direction (the Gauss-Newton part for maps that are not linear in their
  /// parameters): one pass over the data.
  core::Task<std::vector<double>> product(const std::vector<double>& theta,
                                          const std::vector<double>& direction);
  /// The same, good enough to find a direction: float32 where that is faster.
  core::Task<std::vector<double>> steering_product(const std::vector<double>& theta,
                                                   const std::vector<double>& direction);
  /// A cheap approximation of the Hessian's inverse at theta. Must not outlive the objective.
  core::Task<Preconditioner> preconditioner(const std::vector<double>& theta);
  /// The diagonal of the Hessian at theta, for maps that may have many parameters; ones for others.
  core::Task<std::vector<double>> curvature_diagonal(const std::vector<double>& theta);

  PassCounter& counter() { return counter_; }
  int passes() const { return counter_.passes(); }
  bool exhausted() const { return counter_.exhausted(); }

 private:
  core::Task<Derivatives> derivatives(Request::Sums sums, const std::vector<double>& theta);
  Request request(Request::Sums sums, const std::vector<double>& theta) const;
  core::Task<std::vector<double>> data_diagonal(const std::vector<double>& theta);

  const Problem* problem_;
  PassCounter counter_;
  std::size_t parameters_ = 0;
  std::optional<map::Bounds> bounds_;
  map::Quadratic penalty_;
  std::unique_ptr<InputSample> sample_;  ///< for preconditioners of the matrix map, when wanted
  std::unique_ptr<class DoubtfulRows> doubtful_rows_;
};

/// Largest absolute entry.
double max_norm(Params x);
double dot(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace credence::fit_detail
