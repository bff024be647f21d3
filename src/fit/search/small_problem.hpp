// The same problem for a sample of the rows, which are at hand: every question is answered at once.
#pragma once

#include <utility>

#include "fit/objective.hpp"

namespace credence::fit_detail {

struct SmallProblem {
  /// Both must outlive this object.
  SmallProblem(const Problem& all, InputSample& sample, FitOptions own)
      : options(std::move(own)),
        problem(all),
        rows(sample.scores(), sample.targets(), all.spread()) {
    options.progress = {};
    problem.sampled_from = all.penalty_rows();
    problem.rows = sample.scores().rows();
    problem.options = &options;
    problem.desk = &desk;
  }
  SmallProblem(const SmallProblem&) = delete;
  SmallProblem& operator=(const SmallProblem&) = delete;

  template <class T>
  T run(core::Task<T> task) {
    return run_with(std::move(task), desk, rows);
  }

  FitOptions options;
  Desk desk;
  Problem problem;
  RowPasses rows;
};

}  // namespace credence::fit_detail
