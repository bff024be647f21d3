// Votes c of one example under a Dirichlet-multinomial distribution with mean q and concentration
// s:
//
//   P(c) = m! / prod_k c_k! * prod_k prod_{j < c_k} (q_k + j r) / prod_{j < m} (1 + j r),  r = 1/s
//
// In this form s -> infinity (r -> 0) is the multinomial distribution, without a gamma function.
#pragma once

#include <cstdint>
#include <span>

namespace credence::core {

/// Logarithms of positive numbers and two exponentials, from the kernels: the same bits everywhere.
double log_of(double positive);
/// exp(x) / (1 + exp(x)) and 1 / (1 + exp(x)).
struct Odds {
  double yes = 0.0, no = 0.0;
};
Odds odds_of(double log_odds);

/// sum over j < count of log(q + j r), and its first two derivatives by log(1/r).
struct Rising {
  double log = 0.0, slope = 0.0, curve = 0.0;
};
/// For q in (0, 1], r >= 0 and a whole number `count`. Up to some hundred terms are added one by
/// one, the rest by the formula of Euler and Maclaurin: the cost does not grow with the count.
Rising rising(double q, double r, double count);

/// log P(c), and its first two derivatives by log s. `q` holds the probabilities of the classes
/// that have votes, in the order of `counts`; the total of these is `m`.
struct VoteLikelihood {
  double log = 0.0, slope = 0.0, curve = 0.0;
};
VoteLikelihood vote_likelihood(std::span<const double> q, std::span<const double> counts, double m,
                               double r);

}  // namespace credence::core
