// How sure is a predicted distribution? A concentration s for each: annotators' shares scatter
// about the prediction q like a Dirichlet distribution with parameters s q (docs/second-order.md).
#pragma once

#include <cstddef>
#include <span>

#include "credence/calibrator.hpp"
#include "credence/matrix.hpp"
#include "credence/solver.hpp"

namespace credence {

/// What is known of one predicted distribution besides itself.
struct Certainty {
  /// s: so many votes weigh as much as the prediction does. Small: annotators may well agree on
  /// something else; infinite: they are drawn from q itself.
  double concentration = 0.0;
  double disagreement = 0.0;  ///< probability that two annotators of the example disagree
};

Certainty certainty(const SecondOrder& model, std::span<const double> probabilities);

/// The same for rows: two columns, concentration and disagreement. Without rows when the model is
/// null.
inline constexpr std::size_t kCertaintyColumns = 2;
Matrix<double> certainties_of(const SecondOrder* model, Rows probabilities);
/// Null when the calibrator has none.
const SecondOrder* second_order_of(const Calibrator& calibrator);

/// Between which shares the next `votes` votes for a class will lie, with at least this
/// probability and at most (1 - level)/2 outside on each side: the votes are beta-binomial with
/// mean `probability` and this concentration.
struct ShareInterval {
  double low = 0.0, high = 1.0;
};
/// The most votes that an interval can be asked for.
inline constexpr int kMaxNextVotes = 10'000;
ShareInterval next_share(double probability, double concentration, int votes, double level);

/// Votes that are still to come, and the level of the intervals for their shares.
struct NextVotes {
  int votes = 0;  ///< 0: no intervals
  double level = 0.9;
};
/// All that is known of one row, side by side: its certainty and, where wanted, the low ends of the
/// K intervals and then the high ones.
std::size_t certainty_columns(std::size_t classes, const NextVotes& next);
void certainty_row(const SecondOrder& model, std::span<const double> probabilities,
                   const NextVotes& next, std::span<double> out);

/// So many independent annotators tell as much of an example's true shares as `votes` of its
/// annotators do about q: votes (1 + s) / (votes + s), from 1 to 1 + s.
double effective_votes(double votes, double concentration);

/// Fits the two lines to the predictions of a calibrator by maximum likelihood (a weak prior keeps
/// them finite). Votes that are shares or weights, and votes of which no example has two, are an
/// Error(evidence). Reads the source once in every pass; the bits do not depend on how it is cut.
SecondOrder fit_second_order(const Calibrator& calibrator, RowSource& rows,
                             const FitOptions& options = {});
SecondOrder fit_second_order(const Calibrator& calibrator, const Dataset& data,
                             const FitOptions& options = {});

}  // namespace credence
