#include "credence/ablate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "credence/error.hpp"
#include "synthetic.hpp"

namespace credence {
namespace {

using testing_data::make_synthetic;

TEST(SubsampledVotes, AreAmongThoseGivenAndAsManyAsAsked) {
  const Votes votes = make_synthetic(200, 4, 9).data.votes;
  const Votes some = subsample_votes(votes, 3, 5);
  for (std::size_t i = 0; i < votes.rows(); ++i) {
    EXPECT_EQ(some.total(i), 3.0);
    for (const std::uint32_t k : some.row(i).classes) {
      EXPECT_LE(some.share(i, k) * 3.0, votes.share(i, k) * 9.0 + 1e-12);  // rounding of the share
    }
  }
}

TEST(SubsampledVotes, AllOfThemAreTheVotesThemselves) {
  const Votes votes = make_synthetic(50, 4, 5).data.votes;
  const Votes all = subsample_votes(votes, 100, 1);
  for (std::size_t i = 0; i < votes.rows(); ++i) {
    for (std::uint32_t k = 0; k < 4; ++k) EXPECT_EQ(all.share(i, k), votes.share(i, k));
  }
}

TEST(SubsampledVotes, GrowByOneVoteAtATime) {
  const Votes votes = make_synthetic(100, 3, 7).data.votes;
  for (int m = 1; m < 7; ++m) {
    const Votes few = subsample_votes(votes, m, 3), more = subsample_votes(votes, m + 1, 3);
    for (std::size_t i = 0; i < votes.rows(); ++i) {
      for (std::uint32_t k = 0; k < 3; ++k) {
        // Shares times totals round in the last bits.
        EXPECT_GT(more.share(i, k) * (m + 1) - few.share(i, k) * m, -1e-9);
      }
      EXPECT_EQ(more.total(i), few.total(i) + 1.0);
    }
  }
}

TEST(SubsampledVotes, OneVoteOnAverageIsTheAnnotatorsDistribution) {
  const Votes votes = make_synthetic(3, 3, 10).data.votes;
  const int repeats = 20000;
  std::vector<double> count(9, 0.0);
  for (int r = 0; r < repeats; ++r) {
    const Votes one = subsample_votes(votes, 1, static_cast<std::uint64_t>(r));
    for (std::size_t i = 0; i < 3; ++i) ++count[3 * i + one.voted(i)];
  }
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::uint32_t k = 0; k < 3; ++k) {
      const double p = votes.share(i, k);
      // Four standard errors of a binomial share.
      EXPECT_NEAR(count[3 * i + k] / repeats, p, 4.0 * std::sqrt(p * (1.0 - p) / repeats) + 1e-12);
    }
  }
}

TEST(SubsampledVotes, SharesAreRefused) {
  Matrix<double> shares(1, 2);
  shares(0, 0) = 0.25;
  shares(0, 1) = 0.75;
  EXPECT_THROW(subsample_votes(Votes::from_counts(shares.view()), 1, 1), Error);
}

AblateOptions quick_ablation() {
  AblateOptions options;
  options.seeds = {1, 2};
  options.shares = {0.2, 1.0};
  options.votes = {1, 3};
  options.draws = {1, 50};
  options.metrics.draws = 3;
  return options;
}

TEST(Ablate, FullShareIsWhatCompareMeasures) {
  const auto made = make_synthetic(300, 3);
  AblateOptions options = quick_ablation();
  options.studies = {Study::size};
  options.shares = {1.0};
  options.seeds = {42};
  const auto results = ablate(made.data, options);
  CompareOptions compare_options;
  compare_options.bootstrap.resamples = 0;
  compare_options.metrics.draws = 3;
  const Comparison comparison = compare(made.data, compare_options);
  ASSERT_EQ(results.size(), 1u);
  for (const AblationPoint& point : results[0].points) {
    const MethodResult& method = comparison.splits[0].method(point.method);
    EXPECT_EQ(point.temperature, method.calibrator.temperature()) << point.method;
    for (std::size_t k = 0; k < point.metrics.size(); ++k) {
      EXPECT_EQ(point.metrics[k], method.evaluation[metric_table()[k].name]);
    }
  }
}

TEST(Ablate, FinishedTasksAreNotDoneAgainAndNothingChanges) {
  const auto made = make_synthetic(200, 3);
  AblateOptions options = quick_ablation();
  const auto whole = ablate(made.data, options);
  options.finished = {whole[3], whole[0]};
  std::size_t done = 0;
  options.on_result = [&](const AblationResult&) { ++done; };
  options.threads = 3;
  const auto resumed = ablate(made.data, options);
  EXPECT_EQ(done, whole.size() - 2);
  ASSERT_EQ(resumed.size(), whole.size());
  for (std::size_t t = 0; t < whole.size(); ++t) {
    EXPECT_EQ(resumed[t].task, whole[t].task);
    for (std::size_t j = 0; j < whole[t].points.size(); ++j) {
      EXPECT_EQ(resumed[t].points[j].metrics, whole[t].points[j].metrics);
    }
  }
}

TEST(Ablate, OneVoteFitsSltsAndMoreDrawsApproachIt) {
  AblateOptions options = quick_ablation();
  options.studies = {Study::votes, Study::draws};
  options.seeds = {42};
  options.draws = {1, 400};
  const auto results = ablate(make_synthetic(3000, 3, 10).data, options);
  const auto temperature = [&](Study study, double setting, std::string_view method) {
    for (const AblationResult& result : results) {
      if (result.task.study != study || result.task.setting != setting) continue;
      for (const AblationPoint& point : result.points) {
        if (point.method == method) return point.temperature;
      }
    }
    ADD_FAILURE() << method << " is missing";
    return 0.0;
  };
  EXPECT_GT(temperature(Study::votes, 1, "slts"), 0.0);
  const double limit = temperature(Study::draws, 400, "slts");
  EXPECT_LT(std::abs(temperature(Study::draws, 400, "mcts") - limit),
            std::abs(temperature(Study::draws, 1, "mcts") - limit));
}

TEST(Ablate, StudiesOfVotesNeedVotes) {
  Dataset data = make_synthetic(100, 3).data;
  const std::vector<std::uint32_t> voted(data.votes.voted().begin(), data.votes.voted().end());
  data.votes = Votes::from_labels(voted, 3);
  for (const AblationTask& task : ablation_tasks(data, quick_ablation())) {
    EXPECT_TRUE(task.study == Study::size || task.study == Study::smoothing);
  }
  AblateOptions options = quick_ablation();
  options.studies = {Study::votes};
  EXPECT_THROW(ablation_tasks(data, options), Error);
}

}  // namespace
}  // namespace credence
