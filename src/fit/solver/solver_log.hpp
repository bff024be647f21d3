// What a solver has been told, so that another can be told the same and continue.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "credence/solver.hpp"

namespace credence::fit_detail {

/// Optimisers look at totals only: an answer needs no tree.
struct Answer {
  std::vector<double> totals, listed;
  std::vector<float> scores;
};
Answer answer_of(const State& state);
State state_of(Answer answer);

struct SolverLog {
  MethodSpec method;
  RowsInfo rows;
  FitOptions options;               ///< without progress; the start is kept below
  std::optional<Calibrator> start;  ///< of options
  std::vector<Stage> done;
  std::uint64_t requests = 0;   ///< made for the stages that are done
  std::vector<Answer> answers;  ///< of the current stage, in order
};
std::vector<std::byte> to_bytes(const SolverLog& log);
SolverLog solver_log_from_bytes(std::span<const std::byte> bytes);

}  // namespace credence::fit_detail
