#include "credence/subgroups.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "credence/evaluate.hpp"

namespace credence {
namespace {

/// Two classes; the first is predicted with `confidence`, and `agree` of ten annotators chose it.
Evaluation one_confidence(const std::vector<double>& agree, double confidence, Votes& votes) {
  Matrix<double> p(agree.size(), 2), counts(agree.size(), 2);
  for (std::size_t i = 0; i < agree.size(); ++i) {
    p(i, 0) = confidence;
    p(i, 1) = 1.0 - confidence;
    counts(i, 0) = agree[i];
    counts(i, 1) = 10.0 - agree[i];
  }
  votes = Votes::from_counts(counts.view());
  return evaluate(p.view(), votes, {.draws = 0, .keep_rows = true});
}

/// 30 rows of "right", where 8 of 10 agree with 0.8 on average, and 30 of "wrong", where 5 do.
struct TwoParts {
  std::vector<double> agree;
  SubgroupLabels labels{{}, {"right", "wrong"}};
  Votes votes;
  Evaluation evaluation;

  TwoParts() {
    for (std::uint32_t i = 0; i < 60; ++i) {
      agree.push_back((i < 30 ? 8.0 : 5.0) + (i % 2 == 0 ? 1.0 : -1.0));
      labels.of_row.push_back(i < 30 ? 0 : 1);
    }
    evaluation = one_confidence(agree, 0.8, votes);
  }
};

TEST(Subgroups, NameThePartWhoseConfidenceIsOffBeyondChance) {
  const TwoParts made;
  const Subgroups found = score_subgroups(made.evaluation, made.labels, {}, 0.95);
  ASSERT_EQ(found.scores.size(), 2U);
  ASSERT_TRUE(found.worst);
  EXPECT_EQ(found.scores[*found.worst].name, "wrong");
  EXPECT_NEAR(found.scores[0].gap.value, 0.3, 1e-12);
  EXPECT_NEAR(found.scores[1].gap.value, 0.0, 1e-12);
  EXPECT_NEAR(found.scores[0].ece_expected, 0.3, 1e-12);
  // Two intervals hold together at 95 % when each does at 97.5 %; z = 2.241403.
  EXPECT_DOUBLE_EQ(found.single_level, 0.975);
  const double error = 0.1 * std::sqrt(30.0 / 29.0 / 30.0);
  EXPECT_NEAR(*found.scores[0].gap.high - found.scores[0].gap.value, 2.241403 * error, 1e-6);
}

TEST(Subgroups, OfOneGroupOnlyHaveNoInterval) {
  const TwoParts made;
  std::vector<std::uint32_t> groups;
  for (std::uint32_t i = 0; i < 60; ++i) groups.push_back(i < 30 ? i / 7 : 7);
  const Subgroups found = score_subgroups(made.evaluation, made.labels, groups, 0.95);
  EXPECT_EQ(found.scores[0].name, "wrong");
  EXPECT_FALSE(found.scores[0].gap.low) << "one patient does not show how patients differ";
  EXPECT_FALSE(found.worst);
}

TEST(Subgroups, OfFewExamplesAreNotCalledTheWorst) {
  TwoParts made;
  made.labels.names.push_back("tiny");
  for (std::size_t i = 30; i < 34; ++i) made.labels.of_row[i] = 2;
  const std::vector<double> agree = [&] {
    std::vector<double> changed = made.agree;
    for (std::size_t i = 30; i < 34; ++i) changed[i] = i % 2 == 0 ? 1.0 : 2.0;
    return changed;
  }();
  made.evaluation = one_confidence(agree, 0.8, made.votes);
  const Subgroups found = score_subgroups(made.evaluation, made.labels, {}, 0.95);
  EXPECT_EQ(found.scores[0].name, "tiny");
  ASSERT_TRUE(found.worst);
  EXPECT_EQ(found.scores[*found.worst].name, "wrong");
}

}  // namespace
}  // namespace credence
