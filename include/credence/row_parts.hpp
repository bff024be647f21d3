// Fits to parts of the rows of one source: folds, halves, whatever a row's number decides. One pass
// over the source serves the solvers of all parts:
//
//   const std::vector<RowPart> folds = {...};
//   const std::vector<RowsInfo> infos = infos_of(source, folds);
//   ... a Solver for each method and each fold, made with the fold's info ...
//   while (pass(solvers, source)) {
//   }
//
// The rows of a part are numbered among themselves and gathered into whole blocks, so that every
// calibrator has the bits of fit() on Dataset::select of the same rows.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "credence/solver.hpp"

namespace credence {

struct RowPart {
  std::function<bool(std::size_t row)> keeps;  ///< the same answer in every pass
};

/// What solvers have to know of each part. Reads the source once.
std::vector<RowsInfo> infos_of(RowSource& source, std::span<const RowPart> parts);

struct PartSolver {
  Solver* solver = nullptr;
  const RowPart* part = nullptr;  ///< null: all rows
};

/// Reads the source once and tells each solver what it asks for; false when none asks.
bool pass(std::span<const PartSolver> solvers, RowSource& source, int threads = 0);

}  // namespace credence
