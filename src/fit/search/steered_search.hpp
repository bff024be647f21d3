// Minimising by passes that only steer: steps are found with the curvature of a sample of the rows
// and with gradients in float32, and a few passes in double decide.
#pragma once

#include <memory>
#include <vector>

#include "fit/search/newton.hpp"
#include "fit/search/quasi_newton.hpp"

namespace credence {

/// About the inverse of the curvature near an optimum.
struct FitCurvature {
  fit_detail::Preconditioner inverse;
  std::size_t parameters = 0;
  bool regular = false;  ///< whether rounding left something to believe
};

namespace fit_detail {

/// Loss and gradient in float32 and in double, at the same parameters.
struct Steered {
  Evaluate fast, exact;
  bool convex;
};

/// Above this tolerance a fit serves a comparison alone, and gradients in float32 suffice for it.
inline constexpr double kLooseTolerance = 1e-7;

/// What the last step of a fit to so many rows may promise, as a mean over them, to be taken
/// without a look at where it leads; nothing where the fit is wanted for itself, or rows are few. A
/// tenth of a unit of the log-likelihood of all rows moves parameters by less than half a standard
/// error, so near the optimum that the curvature at hand leaves a small part of the gain, while
/// errors of the parameters cost half a unit for each.
double unseen_gain(double gradient_tolerance, std::size_t rows);

/// When a search may stop.
struct SteeredTolerance {
  double gradient;
  /// Of the next step, relative to the parameters.
  double step = std::numeric_limits<double>::infinity();
  /// Or what the next step promises to gain.
  double gain = 0.0;
  /// Or, with one more step, if that promises so much.
  double unseen_gain = 0.0;
  /// Steps by passes in double.
  int most_steps = 12;
};

/// `certain` when it converged; otherwise as far as it came, which is never above the start. All
/// must outlive the task.
core::Task<Minimum> minimise_steered(const Steered& objective, const FitCurvature& curvature,
                                     std::vector<double> start, const SteeredTolerance& tolerance);

/// Whether the curvature of a sample is worth more than a pass over so many rows.
bool is_worth_sampling(const Problem& problem, std::size_t parameters);

/// Where a search can begin, and the Hessian there.
struct SampledFit {
  std::vector<double> theta;
  std::shared_ptr<const FitCurvature> curvature;
};

/// For a matrix map, from a sample of the rows: it is fitted itself where that is cheap.
core::Task<SampledFit> fit_sample(const Problem& problem, std::vector<double> start);

/// From the lower triangle of a Hessian.
std::shared_ptr<const FitCurvature> curvature_from(std::vector<double> lower,
                                                   std::size_t parameters);

/// How many rows tell the curvature of so many parameters.
std::size_t curvature_rows(const Problem& problem, std::size_t parameters);

}  // namespace fit_detail
}  // namespace credence
