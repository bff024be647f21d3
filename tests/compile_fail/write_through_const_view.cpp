// Calibrated probabilities are written: a read-only view cannot receive them.
// refused: no matching .*apply
#include <vector>

#include "credence/calibrator.hpp"

void use(const credence::Calibrator& calibrator, credence::Scores scores,
         std::vector<double>& out) {
  const credence::MutRows writable(out.data(), scores.rows(), scores.cols());
#ifdef CREDENCE_MISTAKE
  const credence::Rows read_only = writable;
  calibrator.apply(scores, read_only);
#else
  calibrator.apply(scores, writable);
#endif
}
