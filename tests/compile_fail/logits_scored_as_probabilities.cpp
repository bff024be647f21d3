// Scores as stored are float32 and may be logits; evaluation takes float64 probabilities only.
// refused: MatrixView<const float>.*MatrixView<const double>|no matching .*evaluate
#include "credence/evaluate.hpp"

credence::Evaluation use(credence::Scores logits, credence::Rows probabilities,
                         const credence::Votes& votes) {
#ifdef CREDENCE_MISTAKE
  (void)probabilities;
  return credence::evaluate(logits, votes);
#else
  (void)logits;
  return credence::evaluate(probabilities, votes);
#endif
}
