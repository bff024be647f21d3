// The scores of a single example, from a few numbers about its probabilities and its votes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "metrics/sums/statistics.hpp"

namespace credence::metrics {

/// exp() of the calibrators ends at exp(-708): what they give a class further down is this or less,
/// however much further down it is. Its logarithm would be an arbitrary number.
inline constexpr double kLeastProbability = 3.3076e-308;

/// What the metrics need of a row of probabilities besides those of the classes voted for.
struct ModelRow {
  double confidence = 0.0;  ///< of the predicted class
  std::uint32_t predicted = 0;
  double entropy = 0.0;                 ///< H(p)
  double rest_sum = 0.0;                ///< over the classes nobody voted for: sum of p,
  double rest_square = 0.0;             ///< sum of p^2,
  double rest_most = -1.0;              ///< and the largest p; -1 when every class has a vote
  double inverse_concentration = -1.0;  ///< 1/s; -1 when it is not known
  double disagreement = 0.0;            ///< predicted between two annotators; known with s
};

/// One value per statistic with a single cell.
using RowScore = std::array<double, kScalars>;

/// The votes of a row with the probabilities beside them; weights of 0 are allowed.
struct ScoredVotes {
  std::span<const std::uint32_t> classes;
  std::span<const double> weights;
  std::span<const double> shares;  ///< pi: weights / total
  std::span<const double> p;
  std::span<const double> log_p;
  double total;
  double entropy;  ///< H(pi)
};

RowScore score_row(const ModelRow& model, const ScoredVotes& votes);

/// In place: logarithms of numbers from 0 to 1; finite also where there is none.
void take_logs(std::span<double> x);

/// Entropies are added up as whole numbers of 2^-52, so that the same votes for other classes give
/// the same bits and fall into the same bin of entropy.
inline std::int64_t entropy_steps(double share, double log) {
  return -static_cast<std::int64_t>(share * log * 0x1.0p52);
}
inline double entropy_of(std::int64_t steps) { return static_cast<double>(steps) * 0x1.0p-52; }

inline double& at(RowScore& score, Statistic s) { return score[static_cast<std::size_t>(s)]; }
inline double at(const RowScore& score, Statistic s) { return score[static_cast<std::size_t>(s)]; }

}  // namespace credence::metrics
