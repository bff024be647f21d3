// A fitted calibrator is a value: maps with their learned numbers, applied in order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/map.hpp"
#include "credence/matrix.hpp"
#include "credence/target.hpp"

namespace credence {

/// How an optimiser stopped.
enum class Stop {
  converged,        ///< small gradient and small Newton step
  rounding_floor,   ///< tiny gradient, which double precision cannot improve any further
  at_bound,         ///< the best parameter within its bounds lies on a bound
  iteration_limit,  ///< stopped early; the result is not the optimum
  no_minimiser,     ///< the loss falls for ever as the parameters grow (separable data)
  no_progress,  ///< no step lowers the loss, yet the gradient is not tiny: maybe not the optimum
  direct,       ///< solved in closed form, nothing iterates
};

inline constexpr std::array kStops{Stop::converged,       Stop::rounding_floor, Stop::at_bound,
                                   Stop::iteration_limit, Stop::no_minimiser,   Stop::no_progress,
                                   Stop::direct};

/// As files say it: "rounding_floor".
std::string_view to_string(Stop stop);
/// As people say it: "rounding floor".
std::string_view in_words(Stop stop);

struct FitReport {
  Stop stop = Stop::direct;
  int passes = 0;                  ///< passes over all the data
  double loss = 0.0;               ///< mean soft cross-entropy + penalty on the calibration rows
  double gradient_norm = 0.0;      ///< largest absolute component at the returned parameters
  std::vector<std::string> notes;  ///< what a careful user should know; empty when all is well
};

/// One target and one map, fitted.
struct Stage {
  TargetSpec target;
  MapSpec map;
  std::vector<double> theta;
  FitReport report;
};

/// One calibrator of a pool: its probabilities count with this weight.
struct Member {
  std::string method;  ///< as it can be fitted alone
  double weight = 0.0;
  std::vector<Stage> stages;
};

/// How a candidate predicts rows that its fit has not seen.
struct CandidateReport {
  std::string method;
  std::size_t parameters = 0;
  std::optional<double> nll;    ///< mean over held-out rows; empty where it has a problem
  double standard_error = 0.0;  ///< of nll
  double behind = 0.0;          ///< nll above that of the best candidate
  double behind_error = 0.0;    ///< its standard error, from paired rows
  double weight = 0.0;          ///< in the result; 0: not part of it
  std::string problem;          ///< why it could not be judged
  bool operator==(const CandidateReport&) const = default;
};

/// How `auto` came to its result.
struct Selection {
  std::uint32_t folds = 0;  ///< 0: there was nothing to hold out
  std::vector<CandidateReport> candidates;
  std::optional<double> nll;  ///< of the result, on held-out rows
  double standard_error = 0.0;
  std::string baseline;  ///< what must not get worse: the scores as they are
  double gain = 0.0;     ///< how far the result is below the baseline's nll on held-out rows
  double gain_error = 0.0;
  double harm = 0.0;  ///< probability that the result is worse than the baseline
  std::vector<std::string> notes;
  bool operator==(const Selection&) const = default;
};

/// intercept + slope log D, where D = 1 - sum_k q_k^2 is the chance that two draws from q differ.
struct LogLine {
  double intercept = 0.0, slope = 0.0;
  bool operator==(const LogLine&) const = default;
};

/// How sure a predicted distribution q is (docs/second-order.md): the votes of an example follow a
/// Dirichlet-multinomial distribution with mean q and a concentration s that depends on q. Beside
/// it, and fitted to that alone, the probability that two annotators of an example disagree.
struct SecondOrder {
  LogLine concentration;  ///< of log s
  LogLine disagreement;   ///< of the log odds of that probability
  std::size_t rows = 0;   ///< calibration rows with two votes or more: the others tell nothing
  double dm_nll = 0.0;    ///< mean of -log P(votes) over these rows
  double multinomial_nll = 0.0;        ///< the same were q certain (s infinite)
  double observed_disagreement = 0.0;  ///< share of the pairs of annotators that disagree
  FitReport concentration_report, disagreement_report;
};

/// Stages in order, and how much what they give counts.
struct WeightedStages {
  double weight = 1.0;
  std::span<const Stage> stages;
};

/// Stages run in order; each reads the log-probabilities that the one before gives. A pool has
/// members in place of stages: each reads the scores, and the result is the weighted mean of their
/// probabilities.
struct Calibrator {
  std::string method;
  Gauge gauge = Gauge::log_probs;
  std::vector<std::string> classes;  ///< K names, or empty
  std::size_t class_count = 0;
  std::vector<Stage> stages;                ///< empty for a pool
  std::vector<Member> members;              ///< of a pool; their weights add up to 1
  std::optional<Selection> selection;       ///< where the program chose
  std::optional<SecondOrder> second_order;  ///< where it was asked for

  bool is_pool() const { return !members.empty(); }
  /// The stages, or those of each member.
  std::vector<WeightedStages> parts() const;
  /// All stages, of all members.
  std::vector<const Stage*> all_stages() const;
  /// How many numbers were learned, without the weights of a pool.
  std::size_t parameter_count() const;

  /// Writes calibrated probabilities for finite logits or log-probabilities (see
  /// to_finite_logits). Rows are independent; results do not depend on `threads`.
  void apply(Scores scores, MatrixView<double> probabilities, int threads = 1) const;
  void apply(Scores scores, MatrixView<float> probabilities, int threads = 1) const;

  /// T when the calibrator is a single temperature, otherwise 0.
  double temperature() const;
};

}  // namespace credence
