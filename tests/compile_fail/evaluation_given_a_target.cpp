// Scoring cannot know how a method was fitted, so it cannot favour it.
// refused: Votes.*Targets|no matching .*evaluate
#include "credence/evaluate.hpp"
#include "credence/target.hpp"

credence::Evaluation use(credence::Rows probabilities, const credence::Votes& votes,
                         const credence::Targets& targets) {
#ifdef CREDENCE_MISTAKE
  (void)votes;
  return credence::evaluate(probabilities, targets);
#else
  (void)targets;
  return credence::evaluate(probabilities, votes);
#endif
}
