// The Monte Carlo error on real data: about its exact expectation, with the error bar it claims.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "credence/evaluate.hpp"
#include "real_data.hpp"

namespace credence {
namespace {

class MonteCarloGolden : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    CREDENCE_NEEDS_REAL_DATA();
    const real_data::Set set = real_data::load(GetParam());
    p_ = real_data::select(set.logits, set.evaluation);
    for (std::size_t i = 0; i < p_.rows(); ++i) {
      const auto row = p_.row(i);
      const double top = *std::max_element(row.begin(), row.end());
      double sum = 0.0;
      for (double& x : row) sum += x = std::exp(x - top);
      for (double& x : row) x /= sum;
    }
    votes_ = Votes::from_counts(real_data::select(set.counts, set.evaluation).view());
  }

  Matrix<double> p_;
  Votes votes_;
};

TEST_P(MonteCarloGolden, LiesAboutItsExpectationAsFarAsItsErrorSays) {
  constexpr int kSeeds = 200;
  std::vector<double> values;
  double claimed = 0.0, exact = 0.0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const Evaluation scored =
        evaluate(p_.view(), votes_, {.seed = static_cast<std::uint64_t>(seed)});
    const double value = *scored["ece_true"], error = *scored.monte_carlo_error("ece_true");
    exact = *scored["ece_true_exact"];
    values.push_back(value);
    claimed += error / kSeeds;
    // 4 standard errors of a mean of 100 draws: missed once in 12,000.
    if (seed < 20) {
      EXPECT_NEAR(value, exact, 4.0 * error) << "seed " << seed;
    }
  }
  double squares = 0.0, mean = 0.0;
  for (const double value : values) mean += value / kSeeds;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double spread = std::sqrt(squares / (kSeeds - 1));
  // The standard deviation of 200 values is known to 5 %: 4 times that.
  EXPECT_NEAR(spread / claimed, 1.0, 0.2);
  EXPECT_NEAR(mean, exact, 4.0 * claimed / std::sqrt(static_cast<double>(kSeeds)));
}

INSTANTIATE_TEST_SUITE_P(RealData, MonteCarloGolden, testing::ValuesIn(real_data::kSets),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace credence
