// Votes under a Dirichlet-multinomial distribution, against sums, integrals and limits.
#include "core/dirichlet_multinomial.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace credence::core {
namespace {

/// Term by term, with the logarithm of the standard library.
Rising term_by_term(double q, double r, int count) {
  Rising out;
  for (int j = 0; j < count; ++j) {
    const double share = j * r / (q + j * r);
    out.log += std::log(q + j * r);
    out.slope -= share;
    out.curve += share * (1.0 - share);
  }
  return out;
}

TEST(DirichletMultinomial, LongSumsByTheFormulaEqualTheirTermsAddedUp) {
  for (const double q : {1e-12, 1e-4, 0.3, 1.0}) {
    for (const double r : {1e-15, 1e-6, 0.01, 1.0, 300.0, 1e9}) {
      for (const int count : {1, 2, 64, 128, 129, 1000, 20000}) {
        const Rising sum = rising(q, r, count), terms = term_by_term(q, r, count);
        // Rounding of `count` logarithms, and of sums as large as `count`.
        const double rounding = 1e-13 * (1.0 + std::abs(terms.log)) + 1e-13 * count;
        EXPECT_NEAR(sum.log, terms.log, rounding) << q << " " << r << " " << count;
        EXPECT_NEAR(sum.slope, terms.slope, 1e-12 * count) << q << " " << r << " " << count;
        EXPECT_NEAR(sum.curve, terms.curve, 1e-12 * count) << q << " " << r << " " << count;
      }
    }
  }
}

TEST(DirichletMultinomial, ABillionVotesCostNoMoreThanAHundred) {
  // log n! by Stirling's series, whose first term left out is below 1e-20.
  const double n = 1e9;
  const double stirling = (n + 0.5) * std::log(n) - n + 0.5 * std::log(2.0 * M_PI) + 1 / (12 * n);
  EXPECT_NEAR(rising(1.0, 1.0, n).log, stirling, 1e-14 * stirling);
}

TEST(DirichletMultinomial, AnInfiniteConcentrationIsTheMultinomialDistribution) {
  const std::vector<double> q{0.5, 0.3, 0.2}, counts{4, 2, 1};
  // 7! / (4! 2! 1!) = 105.
  const double multinomial =
      std::log(105.0) + 4 * std::log(0.5) + 2 * std::log(0.3) + std::log(0.2);
  EXPECT_NEAR(vote_likelihood(q, counts, 7, 0.0).log, multinomial, 1e-14);
  EXPECT_NEAR(vote_likelihood(q, counts, 7, 1e-16).log, multinomial, 1e-14);
}

TEST(DirichletMultinomial, AVanishingConcentrationMakesAnnotatorsAgree) {
  const std::vector<double> all{0.3}, seven{7};
  EXPECT_NEAR(vote_likelihood(all, seven, 7, 1e15).log, std::log(0.3), 1e-13);
}

TEST(DirichletMultinomial, TwoClassesAreTheIntegralOfABinomialOverABeta) {
  const double a = 2.4, b = 1.6;  // s = 4, q = 0.6
  const std::vector<double> q{0.6, 0.4};
  const double beta = std::exp(std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b));
  for (int c = 0; c <= 5; ++c) {
    // Substituting x = sin^2 t makes the integrand smooth at both ends; midpoint rule.
    constexpr int kSteps = 20000;
    double integral = 0.0;
    for (int i = 0; i < kSteps; ++i) {
      const double t = (i + 0.5) * M_PI / 2.0 / kSteps;
      const double x = std::sin(t) * std::sin(t);
      integral +=
          std::pow(x, a - 1 + c) * std::pow(1 - x, b - 1 + 5 - c) * 2.0 * std::sin(t) * std::cos(t);
    }
    const double choose = std::exp(std::lgamma(6) - std::lgamma(c + 1) - std::lgamma(6 - c));
    const double expected = choose * integral * M_PI / 2.0 / kSteps / beta;
    const std::vector<double> counts{static_cast<double>(c), static_cast<double>(5 - c)};
    // The midpoint rule is good to about 1e-9 here.
    EXPECT_NEAR(std::exp(vote_likelihood(q, counts, 5, 0.25).log), expected, 1e-8) << c;
  }
}

TEST(DirichletMultinomial, ProbabilitiesOfAllOutcomesAddUpToOne) {
  const std::vector<double> q{0.7, 0.2, 0.1};
  for (const double r : {1e-3, 0.5, 40.0}) {
    double sum = 0.0;
    for (int a = 0; a <= 6; ++a) {
      for (int b = 0; a + b <= 6; ++b) {
        const std::vector<double> counts{1.0 * a, 1.0 * b, 6.0 - a - b};
        sum += std::exp(vote_likelihood(q, counts, 6, r).log);
      }
    }
    EXPECT_NEAR(sum, 1.0, 1e-13) << r;
  }
}

TEST(DirichletMultinomial, DerivativesAreThoseOfTheLogarithmByLogConcentration) {
  const std::vector<double> q{0.7, 0.2, 0.1}, counts{30, 15, 200};
  const auto at = [&](double log_s) { return vote_likelihood(q, counts, 245, std::exp(-log_s)); };
  constexpr double kStep = 1e-4;
  for (const double log_s : {-3.0, 0.0, 2.5, 8.0}) {
    const VoteLikelihood here = at(log_s), more = at(log_s + kStep), less = at(log_s - kStep);
    // Central differences: the error is of the order of the step squared.
    EXPECT_NEAR(here.slope, (more.log - less.log) / (2 * kStep), 1e-6);
    EXPECT_NEAR(here.curve, (more.slope - less.slope) / (2 * kStep), 1e-6);
  }
}

TEST(DirichletMultinomial, OddsAddUpToOneAndKeepTheirDigitsFarOut) {
  EXPECT_NEAR(odds_of(1.0).yes, 1.0 / (1.0 + std::exp(-1.0)), 1e-16);
  EXPECT_NEAR(odds_of(-40.0).yes * std::exp(40.0), 1.0, 1e-14);
  EXPECT_NEAR(odds_of(40.0).no * std::exp(40.0), 1.0, 1e-14);
}

}  // namespace
}  // namespace credence::core
