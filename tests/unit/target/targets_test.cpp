#include <gtest/gtest.h>

#include <cmath>

#include "credence/fit.hpp"
#include "credence/methods.hpp"
#include "synthetic.hpp"

namespace credence {
namespace {

TEST(Targets, EveryTargetOfTheTableIsADistribution) {
  const auto set = testing_data::make_synthetic(200, 5);
  for (const TargetSpec& spec : kTargets) {
    const Targets targets = make_target(spec, set.data, 7);
    ASSERT_EQ(targets.rows(), 200U) << target_name(spec);
    for (std::size_t i = 0; i < 200; ++i) {
      double sum = 0.0;
      for (std::uint32_t k = 0; k < 5; ++k) sum += targets.at(i, k, 5);
      EXPECT_NEAR(sum, 1.0, 1e-14) << target_name(spec);
    }
  }
}

TEST(Targets, WithoutIdsDrawsDependOnSeedRowAndDrawOnly) {
  const auto set = testing_data::make_synthetic(300, 4);
  const Targets all = make_target(Sampled{3}, set.data, 11);
  // The same rows in front of others: their draws must not change.
  std::vector<std::size_t> first(100);
  for (std::size_t i = 0; i < 100; ++i) first[i] = i;
  const Dataset part = set.data.select(first);
  const Targets some = make_target(Sampled{3}, part, 11);
  for (std::size_t i = 0; i < 100; ++i) {
    for (std::uint32_t k = 0; k < 4; ++k) EXPECT_EQ(all.at(i, k, 4), some.at(i, k, 4));
  }
  const Targets other = make_target(Sampled{3}, set.data, 12);
  std::size_t different = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    for (std::uint32_t k = 0; k < 4; ++k) different += all.at(i, k, 4) != other.at(i, k, 4);
  }
  EXPECT_GT(different, 50U);
}

TEST(Targets, WithIdsDrawsStayWithTheExampleInAnyOrder) {
  Dataset data = testing_data::make_synthetic(300, 4).data;
  for (std::size_t i = 0; i < 300; ++i) data.ids.push_back("example " + std::to_string(7 * i));
  std::vector<std::size_t> order(300);
  for (std::size_t i = 0; i < 300; ++i) order[i] = (i * 7 + 11) % 300;
  const Targets before = make_target(Sampled{3}, data, 11);
  const Targets after = make_target(Sampled{3}, data.select(order), 11);
  for (std::size_t i = 0; i < 300; ++i) {
    for (std::uint32_t k = 0; k < 4; ++k) {
      EXPECT_EQ(after.at(i, k, 4), before.at(order[i], k, 4)) << "row " << i;
    }
  }
}

TEST(Targets, WithoutIdsDrawsAreThoseOfTheRowNumber) {
  // Two votes each, one per class: draw s of row i is class 0 when its number is below one half.
  Matrix<double> counts(50, 2);
  const Matrix<float> scores(50, 2);
  for (std::size_t i = 0; i < 50; ++i) counts(i, 0) = counts(i, 1) = 1.0;
  const Dataset data =
      make_dataset(scores.view(), ScoreKind::logits, Votes::from_counts(counts.view()));
  const Targets drawn = make_target(Sampled{1}, data, 42);
  // The stream that calibrators were fitted with before ids counted.
  const std::uint64_t stream = core::mix64(42 ^ 0x73616d706c6564ULL);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(drawn.at(i, 0, 2), core::uniform(stream, i, 0) < 0.5 ? 1.0 : 0.0) << "row " << i;
  }
}

TEST(Targets, RowsThatShareAnIdDoNotDrawAlike) {
  Dataset data = testing_data::make_synthetic(1, 2, 2).data.select(std::vector<std::size_t>(200));
  Matrix<double> counts(200, 2);
  for (std::size_t i = 0; i < 200; ++i) counts(i, 0) = counts(i, 1) = 1.0;
  data.votes = Votes::from_counts(counts.view());
  data.ids.assign(200, "the same");
  const Targets drawn = make_target(Sampled{1}, data, 3);
  double first = 0.0;
  for (std::size_t i = 0; i < 200; ++i) first += drawn.at(i, 0, 2);
  // Fair coins: 100 heads, give or take five standard deviations of 7.
  EXPECT_NEAR(first, 100.0, 35.0);
}

TEST(Targets, SampledFrequenciesApproachTheShares) {
  const auto set = testing_data::make_synthetic(20, 4);
  const Targets drawn = make_target(Sampled{40000}, set.data, 5);
  for (std::size_t i = 0; i < 20; ++i) {
    for (std::uint32_t k = 0; k < 4; ++k) {
      // Five standard errors of a frequency of 40,000 draws.
      EXPECT_NEAR(drawn.at(i, k, 4), set.data.votes.share(i, k), 5 * 0.5 / 200.0);
    }
  }
}

TEST(Targets, SmoothingWeightsFollowTheirDefinitions) {
  // Two rows, two classes, softmax of (log 3, 0) = (0.75, 0.25) and of (0, log 4) = (0.2, 0.8).
  Matrix<float> scores(std::vector<float>{std::log(3.0f), 0.0f, 0.0f, std::log(4.0f)}, 2, 2);
  const std::vector<std::uint32_t> labels{0, 0};
  const Dataset data =
      make_dataset(scores.view(), ScoreKind::logits, Votes::from_labels(labels, 2));
  // float32 logarithms limit the agreement to 1e-7.
  const double mean = 0.5 * (0.25 + 0.8);
  for (const Epsilon rule : {Epsilon::mean_complement, Epsilon::class_complement}) {
    const Targets targets = make_target(Smoothed{rule}, data, 0);
    EXPECT_NEAR(targets.at(0, 1, 2), 0.5 * mean, 1e-7);
    EXPECT_NEAR(targets.at(1, 0, 2), 1.0 - 0.5 * mean, 1e-7);
  }
  const double entropy = -(0.75 * std::log(0.75) + 0.25 * std::log(0.25)) / std::log(2.0);
  EXPECT_NEAR(make_target(Smoothed{Epsilon::prediction_entropy}, data, 0).at(0, 1, 2),
              0.5 * entropy, 1e-7);
  EXPECT_DOUBLE_EQ(make_target(Smoothed{Epsilon::fixed, 0.1}, data, 0).at(0, 1, 2), 0.05);
}

}  // namespace
}  // namespace credence
