// Brier scores and log-likelihoods against the annotators' distribution.
#include "metrics/scored.hpp"

namespace credence::metrics {

std::optional<double> nll(const Scored& s) {
  if (s.infinite_nll_rows > 0) return std::nullopt;
  return s.mean(s.nll.value());
}

std::optional<double> kl(const Scored& s) {
  if (s.infinite_nll_rows > 0) return std::nullopt;
  Sum entropy;
  for (const double h : s.entropy) entropy.add(h);
  return s.mean(s.nll.value() - entropy.value());
}

std::optional<double> brier_unbiased(const Scored& s) {
  if (!s.votes_are_counts || s.repeated_rows == 0) return std::nullopt;
  return s.brier_unbiased.value() / static_cast<double>(s.repeated_rows);
}

std::optional<double> human_ceiling(const Scored& s) {
  if (!s.votes_are_counts || s.repeated_rows == 0) return std::nullopt;
  return s.ceiling.value() / static_cast<double>(s.repeated_rows);
}

}  // namespace credence::metrics
