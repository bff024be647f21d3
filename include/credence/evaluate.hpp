// Scoring probabilities against votes. Evaluation sees probabilities and votes only, never how the
// probabilities were made, so it cannot favour a method.
#pragma once

#include <memory>
#include <optional>

#include "credence/dataset.hpp"
#include "credence/matrix.hpp"
#include "credence/metrics.hpp"

namespace credence {

/// Consumes probabilities block by block, in row order; keeps a few numbers per example, never the
/// probabilities (MetricOptions::keep_rows keeps more). Cost O(nK) time and O(n) memory. Results
/// have the same bits however the rows are cut into blocks. `votes` must outlive the evaluator.
class Evaluator {
 public:
  explicit Evaluator(const Votes& votes, MetricOptions options = {});
  /// For rows [first, first + rows) of the votes alone, to be appended to those before them;
  /// `first` is a multiple of kBlockRows, and so is `rows` unless they are the last.
  Evaluator(const Votes& votes, MetricOptions options, std::size_t first, std::size_t rows);
  ~Evaluator();
  Evaluator(Evaluator&&) noexcept;
  Evaluator& operator=(Evaluator&&) noexcept;

  /// The next probabilities.rows() rows of the votes. A value outside [0, 1] or a row whose sum is
  /// not 1 within 1e-3 is an Error(data) naming row, column and value; so is a wrong shape.
  /// `certainties`, where known, are n x 2: the concentration of every row, and the probability
  /// that two of its annotators disagree (second_order.hpp). All rows have them, or none.
  void add(Rows probabilities, Rows certainties = {});
  /// After the last row of a part: does all that can be done without the others.
  void close();
  /// The rows that follow; both parts are closed.
  void append(Evaluator next);
  /// All metrics; an Error(data) when rows are missing.
  Evaluation finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Evaluation evaluate(Rows probabilities, const Votes& votes, MetricOptions options = {});

/// The calibration errors of the predicted class, without what all the other metrics cost.
struct TopErrors {
  double ece_voted = 0.0;
  double ece_expected = 0.0;
  std::optional<double> ece_true;  ///< empty when no draws are asked for
  std::optional<double> ece_true_error;
};

/// An Evaluator of these alone, with the same numbers, errors and options; nothing is kept.
class TopEvaluator {
 public:
  explicit TopEvaluator(const Votes& votes, MetricOptions options = {});
  ~TopEvaluator();
  TopEvaluator(TopEvaluator&&) noexcept;
  TopEvaluator& operator=(TopEvaluator&&) noexcept;

  void add(Rows probabilities);
  TopErrors finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

TopErrors top_errors(Rows probabilities, const Votes& votes, MetricOptions options = {});

}  // namespace credence
