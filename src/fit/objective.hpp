// The loss of a smooth map as a function of its parameters: mean soft cross-entropy + penalty.
//
// A pass is accumulate / merge / step: `accumulate` turns a block of rows into a small state,
// `merge` adds states in block order, and the optimiser turns the sum into the next parameters.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/ordered_blocks.hpp"
#include "credence/fit.hpp"
#include "map/pipeline.hpp"
#include "map/smooth.hpp"

namespace credence::fit_detail {

/// Sums over rows. The curvature is empty, or as the map packs it while blocks are added up, or a
/// row-major P x P lower triangle.
struct State {
  double loss = 0.0;
  std::vector<double> gradient;
  std::vector<double> curvature;

  explicit State(std::size_t parameters, std::size_t curvature_size = 0)
      : gradient(parameters, 0.0), curvature(curvature_size, 0.0) {}
  void clear();
  void merge(const State& block);
};

/// Approximately inverts the curvature, for conjugate gradients.
using Preconditioner = std::function<void(const double* in, double* out)>;

/// out = curvature times direction, at the parameters it was made for.
using Product = std::function<void(Params direction, double* out)>;

class Objective {
 public:
  virtual ~Objective() = default;
  virtual std::size_t parameters() const = 0;
  virtual std::optional<map::Bounds> bounds() const = 0;
  /// Loss and gradient at theta, and the Hessian on request: one pass over the data.
  virtual State evaluate(Params theta, bool with_curvature) = 0;
  /// out = Hessian(theta) * direction (the Gauss-Newton part for maps that are not linear in their
  /// parameters): one pass over the data.
  virtual void product(Params theta, Params direction, double* out) = 0;
  /// Products with the Hessian at theta that are good enough to find a direction: float32 where
  /// that is faster. Each is one pass over the data.
  virtual Product steering_products(Params theta) = 0;
  /// A cheap approximation of the Hessian's inverse at theta.
  virtual Preconditioner preconditioner(Params theta) = 0;

  /// The diagonal of the Hessian at theta, for maps that may have many parameters; ones for others.
  virtual std::vector<double> curvature_diagonal(Params theta) = 0;

  /// Counts a pass and tells whoever watches; throws Error(cancelled) when asked to stop.
  void count_pass();
  int passes() const { return passes_; }
  bool exhausted() const { return passes_ >= options_->max_passes; }
  const FitOptions& options() const { return *options_; }
  /// What the watcher is told with the next pass.
  void announce(double loss, double gradient_norm);

 protected:
  explicit Objective(const FitOptions& options) : options_(&options) {}

 private:
  const FitOptions* options_;
  int passes_ = 0;
  FitProgress progress_;
};

/// How the work of a pass is spread for this much data.
core::Execution execution_for(const FitOptions& options, std::size_t scores);

/// The objective of one smooth map. The arguments must outlive it.
std::unique_ptr<Objective> make_objective(const MapSpec& map, const map::StageInput& input,
                                          const Targets& targets, const FitOptions& options);

/// Largest absolute entry.
double max_norm(Params x);

}  // namespace credence::fit_detail
