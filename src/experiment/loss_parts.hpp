// Splits the losses of a comparison by where they come from.
#pragma once

#include "credence/compare.hpp"
#include "credence/loss_parts.hpp"

namespace credence::experiment {

/// Entropy of the distribution that these counted votes were drawn from, in nats: the sum over
/// classes of c/m (1/c + 1/(c+1) + ... + 1/(m-1)). Its expectation is the sum over v < m of
/// (1/v) sum_k p_k (1 - p_k)^v, the entropy without what takes more than m votes to be seen, so it
/// is never too large on average and nearer than the entropy of the shares c/m.
double counted_entropy(const VoteRow& votes);

/// The chance that two voters differ, without bias: 1 - sum_k c_k (c_k - 1) / (m (m - 1)).
double counted_disagreement(const VoteRow& votes);

/// The parts of nll and brier_reader on the test rows, for the model as it is and for what is
/// recommended. The recalibration they are measured against is the pool of `auto` on the
/// calibration rows: its maps are fitted again, to all folds of the test rows but one, and judged
/// on that one.
LossParts loss_parts(const SplitResult& result, const Dataset& test, const CompareOptions& options);

}  // namespace credence::experiment
