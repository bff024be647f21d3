// An objective whose rows are at hand, so that every question is answered at once: for tests and
// benchmarks of a single step.
#pragma once

#include <utility>
#include <vector>

#include "fit/search/newton.hpp"

namespace credence::fit_detail {

class LocalObjective {
 public:
  /// Targets and options must outlive this object.
  LocalObjective(MapSpec map, Scores scores, const Targets& targets, const FitOptions& options)
      : problem_{{}, scores.rows(), scores.cols(), &options, &desk_},
        rows_(scores, targets, problem_.spread()),
        objective_((problem_.about.map = std::move(map), problem_)) {}
  LocalObjective(const LocalObjective&) = delete;
  LocalObjective& operator=(const LocalObjective&) = delete;

  Derivatives evaluate(const std::vector<double>& theta, bool with_curvature) {
    return answer(objective_.evaluate(theta, with_curvature));
  }
  std::vector<double> product(const std::vector<double>& theta,
                              const std::vector<double>& direction) {
    return answer(objective_.product(theta, direction));
  }
  std::vector<double> steering_product(const std::vector<double>& theta,
                                       const std::vector<double>& direction) {
    return answer(objective_.steering_product(theta, direction));
  }
  Minimum minimum_from(std::vector<double> start, double gradient_tolerance,
                       std::size_t dense_parameters = kDenseParameters) {
    return answer(minimise(objective_, std::move(start), gradient_tolerance, dense_parameters));
  }

 private:
  template <class T>
  T answer(core::Task<T> task) {
    return run_with(std::move(task), desk_, rows_);
  }

  Desk desk_;
  Problem problem_;
  RowPasses rows_;
  Objective objective_;
};

}  // namespace credence::fit_detail
