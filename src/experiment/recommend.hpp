// Which method to ship, by what held-out calibration rows say.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "credence/dataset.hpp"
#include "experiment/cross_validation.hpp"

namespace credence::experiment {

/// What is known of a method when one has to be chosen.
struct Candidate {
  std::string_view name;
  std::size_t parameters = 0;     ///< how many numbers it learns
  bool fitted_to_score = true;    ///< its target is what nll is measured against
  bool can_give_zero = false;     ///< to a class, whatever the held-out rows happened to hold
  bool keeps_predictions = true;  ///< whatever the scores are
  const HeldOut* held_out = nullptr;
};

/// The fitted methods as candidates, in their order.
std::vector<Candidate> candidates(const std::vector<MethodSpec>& methods,
                                  std::span<const Calibrator* const> fitted,
                                  const std::vector<HeldOut>& held_out, Evidence evidence);

/// How far `other` is ahead of `one` on held-out rows, in nll.
MeanOverRows lead(const Candidate& other, const Candidate& one,
                  std::span<const std::uint32_t> groups);

struct Recommendation {
  std::string method;  ///< empty when there is nothing to go by
  std::string why;
};

/// The simplest method that no other surely beats on held-out rows: a ladder from the scores as
/// they are over one temperature to richer maps, climbed only where the calibration rows show that
/// it pays. Surely is by more than one standard error of the paired difference in nll (by row; by
/// group where `groups` is not empty), and by more than two to leave the two lowest rungs for
/// anything above them.
///
/// The mean alone would not do. A method with p parameters that has nothing to learn gains about
/// (chi^2_p / 2 - p) / n in cross-validation. That is above 0 in one run of six for p = 1, and with
/// a dozen methods to choose from the luckiest is nearly always ahead. The standard error of the
/// gain is about chi_p / n, so that exceeding it takes chi_p > 1 + sqrt(1 + 2 p): one run in 160
/// for the temperature. Above it stand many methods, one of which is lucky more often than that,
/// and what they lose when they are wrong is larger, hence two.
///
/// Simplest: fewest parameters; among equals the one fitted to what the score is measured against
/// (`slts` before `ts` where there are distributions), then the lowest held-out nll. A candidate
/// that can give a class probability 0 is never taken: its nll on new rows may be infinite.
Recommendation recommend(std::span<const Candidate> candidates,
                         std::span<const std::uint32_t> groups);

}  // namespace credence::experiment
