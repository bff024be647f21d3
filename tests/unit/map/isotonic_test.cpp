// Isotonic steps against what defines them.
#include "map/isotonic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/random.hpp"

namespace credence::map {
namespace {

std::vector<TopLabel> shuffled(std::vector<TopLabel> examples) {
  for (std::size_t i = examples.size(); i > 1; --i) {
    std::swap(examples[i - 1], examples[core::random_bits(11, i, 0) % i]);
  }
  return examples;
}

/// The least-squares monotone fit in its min-max form: at place i the largest over a <= i of the
/// smallest over b >= i of the mean of a..b.
std::vector<double> min_max_fit(const std::vector<TopLabel>& sorted) {
  std::vector<double> fitted;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    double largest = -1.0;
    for (std::size_t a = 0; a <= i; ++a) {
      double sum = 0.0, smallest = 2.0;
      for (std::size_t b = a; b < sorted.size(); ++b) {
        sum += sorted[b].target;
        if (b >= i) smallest = std::min(smallest, sum / static_cast<double>(b - a + 1));
      }
      largest = std::max(largest, smallest);
    }
    fitted.push_back(largest);
  }
  return fitted;
}

TEST(Isotonic, IsTheMinMaxFitAndSaysWhatItLeaves) {
  std::vector<TopLabel> sorted;
  for (std::size_t i = 0; i < 150; ++i) {
    const double confidence = 0.2 + 0.8 * static_cast<double>(i) / 150.0;
    sorted.push_back({confidence, 0.5 * confidence + 0.5 * core::uniform(3, i, 0)});
  }
  const std::vector<double> wanted = min_max_fit(sorted);
  const TopLabelFit fit = Math<TopLabelIsotonic>::fit(TopLabelIsotonic{}, shuffled(sorted));
  double squares = 0.0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double value =
        Math<TopLabelIsotonic>::value(TopLabelIsotonic{}, fit.theta, sorted[i].confidence);
    EXPECT_NEAR(value, wanted[i], 1e-13) << i;  // sums of 150 numbers in another order
    squares += (value - sorted[i].target) * (value - sorted[i].target);
  }
  EXPECT_NEAR(fit.loss, squares / 150.0, 1e-14);
}

/// Thousands of classes: confidences two float32 numbers apart, so that a threshold fits between
/// them, and nearer than 2^-32, which is what examples are first sorted by.
TEST(Isotonic, ConfidencesNearerThanTheSortingKeyAreToldApart) {
  std::vector<TopLabel> sorted;
  float confidence = 0.0005f;
  for (std::size_t i = 0; i < 64; ++i) {
    sorted.push_back({static_cast<double>(confidence), static_cast<double>(i) / 64.0});
    confidence = std::nextafter(std::nextafter(confidence, 1.0f), 1.0f);
  }
  ASSERT_LT(sorted[1].confidence - sorted[0].confidence, 0x1p-32);
  const TopLabelFit fit = Math<TopLabelIsotonic>::fit(TopLabelIsotonic{}, shuffled(sorted));
  for (const TopLabel& example : sorted) {
    EXPECT_EQ(Math<TopLabelIsotonic>::value(TopLabelIsotonic{}, fit.theta, example.confidence),
              example.target);
  }
  EXPECT_EQ(fit.loss, 0.0);
}

TEST(Isotonic, TiesAreOneLevel) {
  std::vector<TopLabel> examples(10, TopLabel{0.5, 0.0});
  for (std::size_t i = 0; i < 4; ++i) examples[2 * i].target = 1.0;
  const TopLabelFit fit = Math<TopLabelIsotonic>::fit(TopLabelIsotonic{}, examples);
  EXPECT_EQ(fit.theta, std::vector<double>{0.4});
  EXPECT_NEAR(fit.loss, 0.24, 1e-15);
}

/// Jeffreys' prior: a step of n examples of which m are right is (m + 1/2) / (n + 1).
TEST(IsotonicPrior, StepsWithAPriorRiseAndNeverReachZeroOrOne) {
  const std::vector<TopLabel> separable{{0.3, 0.0}, {0.4, 0.0}, {0.5, 0.0}, {0.8, 1.0}, {0.9, 1.0}};
  const TopLabelFit fitted = Math<TopLabelIsotonic>::fit({.step_prior = 1.0}, shuffled(separable));
  ASSERT_EQ(fitted.theta.size(), 3U);
  EXPECT_DOUBLE_EQ(fitted.theta[1], 0.5 / 4.0);
  EXPECT_DOUBLE_EQ(fitted.theta[2], 2.5 / 3.0);
}

TEST(IsotonicPrior, StepsThatItWouldPutOutOfOrderAreJoined) {
  // Without a prior 0.9 and then 1 for a single example; with it that one would fall to 0.75.
  std::vector<TopLabel> equal;
  for (int i = 0; i < 10; ++i) equal.push_back({0.6, i == 0 ? 0.0 : 1.0});
  equal.push_back({0.9, 1.0});
  const TopLabelFit fitted = Math<TopLabelIsotonic>::fit({.step_prior = 1.0}, equal);
  ASSERT_EQ(fitted.theta.size(), 1U);
  EXPECT_DOUBLE_EQ(fitted.theta[0], 10.5 / 12.0);
  const Params levels = Params(fitted.theta).last((fitted.theta.size() + 1) / 2);
  EXPECT_TRUE(std::is_sorted(levels.begin(), levels.end()));
}

TEST(IsotonicPrior, MapsWithAPriorCannotGiveZero) {
  EXPECT_TRUE(can_give_zero(TopLabelIsotonic{}));
  EXPECT_TRUE(can_give_zero(TopLabelHistogram{}));
  EXPECT_FALSE(can_give_zero(TopLabelIsotonic{.step_prior = 1.0}));
  EXPECT_FALSE(can_give_zero(TopLabelHistogram{.step_prior = 0.5}));
}

}  // namespace
}  // namespace credence::map
