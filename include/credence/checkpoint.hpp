// A fit that survives an interruption: its solver in a file, written after every pass.
#pragma once

#include <string>

#include "credence/fit.hpp"
#include "credence/methods.hpp"
#include "credence/solver.hpp"

namespace credence::io {

class Checkpoint {
 public:
  /// `fingerprint` is that of the data (Dataset::fingerprint, DataFacts::fingerprint).
  Checkpoint(std::string path, std::string fingerprint);

  /// The solver that the file holds; without a file, a new one. The file of another fit (other
  /// data, another method, other options) is an Error(usage): it is neither used nor replaced. A
  /// file that is damaged, or no checkpoint, is an Error(data).
  Solver open(const MethodSpec& method, const RowsInfo& rows, const FitOptions& options);
  /// Passes that the file's solver had behind it; 0 for a new one.
  std::size_t passes() const { return passes_; }
  /// Puts the solver in the place of the last one, whole or not at all.
  void save(const Solver& solver);
  /// The fit is done.
  void remove();

 private:
  std::string path_, fingerprint_, about_;
  std::size_t passes_ = 0;
};

}  // namespace credence::io
