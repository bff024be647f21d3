// How sure predictions are: votes drawn from known concentrations, closed forms, invariances.
#include "credence/second_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "credence/error.hpp"
#include "synthetic.hpp"

namespace credence {
namespace {

double spread_of(std::span<const double> q) {
  double square = 0.0;
  for (const double p : q) square += p * p;
  return 1.0 - square;
}

/// The scores are log q; votes are drawn from Pólya's urn with log s = a + b log D, which is the
/// Dirichlet-multinomial distribution: an annotator copies an earlier one with chance j / (s + j).
struct Urn {
  Matrix<float> scores;
  Matrix<double> counts;
  Dataset data;
  std::vector<double> concentration;
};

Urn draw(std::size_t rows, std::size_t classes, int votes, const LogLine& line,
         std::uint64_t seed = 3) {
  Urn urn{Matrix<float>(rows, classes), Matrix<double>(rows, classes), {}, {}};
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<double> q(classes);
    double sum = 0.0;
    for (std::size_t k = 0; k < classes; ++k) {
      urn.scores(i, k) = static_cast<float>(2.0 * testing_data::normal(seed, i, k));
      sum += q[k] = std::exp(double{urn.scores(i, k)});
    }
    for (double& p : q) p /= sum;
    const double s = std::exp(line.intercept + line.slope * std::log(spread_of(q)));
    urn.concentration.push_back(s);
    std::vector<std::size_t> given;
    for (int j = 0; j < votes; ++j) {
      const auto at = static_cast<std::uint64_t>(2 * j);
      double left = core::uniform(seed + 1, i, at);
      if (core::uniform(seed + 2, i, at) * (s + j) < j) {
        given.push_back(given[static_cast<std::size_t>(left * j)]);
      } else {
        std::size_t k = 0;
        while (k + 1 < classes && left >= q[k]) left -= q[k++];
        given.push_back(k);
      }
      urn.counts(i, given.back()) += 1.0;
    }
  }
  std::vector<std::size_t> all(rows);
  std::iota(all.begin(), all.end(), std::size_t{0});
  urn.data =
      make_dataset(urn.scores.view(), ScoreKind::logits, Votes::from_counts(urn.counts.view()))
          .select(all);
  return urn;
}

Calibrator identity(const Dataset& data) {
  Calibrator calibrator;
  calibrator.method = "uncalibrated";
  calibrator.class_count = data.classes_count();
  calibrator.stages.push_back({.target = NoTarget{}, .map = Identity{}, .theta = {}, .report = {}});
  return calibrator;
}

double observed_disagreement(const Matrix<double>& counts) {
  double sum = 0.0;
  for (std::size_t i = 0; i < counts.rows(); ++i) {
    double pairs = 0.0, m = 0.0;
    for (std::size_t k = 0; k < counts.cols(); ++k) {
      m += counts(i, k);
      pairs += counts(i, k) * (counts(i, k) - 1.0);
    }
    sum += 1.0 - pairs / (m * (m - 1.0));
  }
  return sum / static_cast<double>(counts.rows());
}

TEST(SecondOrder, FindsTheConcentrationsThatVotesWereDrawnWith) {
  const LogLine truth{0.8, -0.7};
  const Urn urn = draw(6000, 4, 20, truth);
  const SecondOrder found = fit_second_order(identity(urn.data), urn.data);
  EXPECT_EQ(found.concentration_report.stop, Stop::converged);
  EXPECT_EQ(found.disagreement_report.stop, Stop::converged);
  EXPECT_EQ(found.rows, 6000U);
  // Standard errors with so many rows are near 0.03.
  EXPECT_NEAR(found.concentration.intercept, truth.intercept, 0.12);
  EXPECT_NEAR(found.concentration.slope, truth.slope, 0.12);
  EXPECT_LT(found.dm_nll, found.multinomial_nll);
}

TEST(SecondOrder, TheFitIsAMinimum) {
  const Urn urn = draw(800, 3, 8, {1.0, -0.5});
  const Calibrator calibrator = identity(urn.data);
  const SecondOrder found = fit_second_order(calibrator, urn.data);
  Matrix<double> q(urn.data.rows(), 3);
  calibrator.apply(urn.data.scores, q.view());
  const auto loss = [&](const LogLine& line, bool of_votes) {
    SecondOrder model = found;
    (of_votes ? model.concentration : model.disagreement) = line;
    double sum = 0.0;
    for (std::size_t i = 0; i < q.rows(); ++i) {
      const Certainty sure = certainty(model, q.view().row(i));
      double pairs = 0.0, dm = std::lgamma(sure.concentration) + std::lgamma(9.0) -
                               std::lgamma(sure.concentration + 8.0);
      for (std::size_t k = 0; k < 3; ++k) {
        const double c = urn.counts(i, k), alpha = sure.concentration * q(i, k);
        pairs += c * (c - 1.0);
        dm += std::lgamma(alpha + c) - std::lgamma(alpha) - std::lgamma(c + 1.0);
      }
      const double d = 1.0 - pairs / 56.0, p = sure.disagreement;
      sum -= of_votes ? dm : d * std::log(p) + (1.0 - d) * std::log(1.0 - p);
    }
    const double squares = line.intercept * line.intercept + line.slope * line.slope;
    return (sum + 0.5 * squares / 25.0) / static_cast<double>(q.rows());
  };
  for (const bool of_votes : {true, false}) {
    const LogLine best = of_votes ? found.concentration : found.disagreement;
    const double least = loss(best, of_votes);
    // The loss that was reported, by another formula.
    const FitReport& report = of_votes ? found.concentration_report : found.disagreement_report;
    EXPECT_NEAR(report.loss, least, 1e-10);
    EXPECT_LT(report.gradient_norm, 1e-10);
    for (const double da : {-0.01, 0.0, 0.01}) {
      for (const double db : {-0.01, 0.0, 0.01}) {
        if (da == 0.0 && db == 0.0) continue;
        EXPECT_GT(loss({best.intercept + da, best.slope + db}, of_votes), least);
      }
    }
  }
}

TEST(SecondOrder, MeanPredictedDisagreementIsTheObservedOneOnTheFittedRows) {
  const Urn urn = draw(1500, 5, 6, {0.0, -1.0});
  const Calibrator calibrator = identity(urn.data);
  const SecondOrder found = fit_second_order(calibrator, urn.data);
  Matrix<double> q(urn.data.rows(), 5);
  calibrator.apply(urn.data.scores, q.view());
  const Matrix<double> sure = certainties_of(&found, q.view());
  double mean = 0.0;
  for (std::size_t i = 0; i < sure.rows(); ++i) mean += sure(i, 1) / 1500.0;
  const double observed = observed_disagreement(urn.counts);
  EXPECT_NEAR(found.observed_disagreement, observed, 1e-12);
  // Exact but for the prior, whose pull is intercept / (25 n).
  EXPECT_NEAR(mean, observed, 1.01 * std::abs(found.disagreement.intercept) / (25.0 * 1500.0));
}

TEST(SecondOrder, IntervalsHoldTheNextVotesAsOftenAsTheySay) {
  const LogLine truth{1.2, -0.6};
  const Urn known = draw(4000, 3, 12, truth, 3), next = draw(4000, 3, 12, truth, 90);
  const Calibrator calibrator = identity(known.data);
  const SecondOrder found = fit_second_order(calibrator, known.data);
  Matrix<double> q(4000, 3);
  calibrator.apply(next.data.scores, q.view());
  std::size_t inside = 0, possible = 0;
  for (std::size_t i = 0; i < 4000; ++i) {
    const double s = certainty(found, q.view().row(i)).concentration;
    for (std::size_t k = 0; k < 3; ++k) {
      const ShareInterval share = next_share(q(i, k), s, 12, 0.9);
      const double got = next.counts(i, k) / 12.0;
      inside += got >= share.low && got <= share.high ? 1 : 0;
      ++possible;
    }
  }
  const double coverage = static_cast<double>(inside) / static_cast<double>(possible);
  // At least 90 %; whole votes make it more. Standard error about 0.5 %.
  EXPECT_GT(coverage, 0.89);
  EXPECT_LT(coverage, 0.99);
}

TEST(SecondOrder, IntervalsAreThoseOfKnownDistributions) {
  // Two votes, q = 1/2, s = 2: 0, 1 and 2 votes are equally likely.
  EXPECT_EQ(next_share(0.5, 2.0, 2, 0.3).low, 0.5);
  EXPECT_EQ(next_share(0.5, 2.0, 2, 0.3).high, 0.5);
  EXPECT_EQ(next_share(0.5, 2.0, 2, 0.4).low, 0.0);
  EXPECT_EQ(next_share(0.5, 2.0, 2, 0.4).high, 1.0);
  // Binomial(10, 1/2): P(X <= 1) = 11/1024, P(X <= 2) = 56/1024 = 0.0547.
  EXPECT_EQ(next_share(0.5, 1e18, 10, 0.9).low, 0.2);
  EXPECT_EQ(next_share(0.5, 1e18, 10, 0.9).high, 0.8);
  EXPECT_EQ(next_share(0.5, 1e18, 10, 0.88).low, 0.3);
  EXPECT_EQ(next_share(1.0, 3.0, 10, 0.9).low, 1.0);
  EXPECT_EQ(next_share(0.0, 3.0, 10, 0.9).high, 0.0);
  EXPECT_THROW(next_share(0.5, 3.0, 0, 0.9), Error);
  EXPECT_THROW(next_share(0.5, 3.0, 10, 1.0), Error);
}

TEST(SecondOrder, EffectiveVotesGoFromOneToOnePlusTheConcentration) {
  EXPECT_EQ(effective_votes(1.0, 3.0), 1.0);
  EXPECT_NEAR(effective_votes(3.0, 3.0), 2.0, 1e-15);
  EXPECT_NEAR(effective_votes(1e12, 3.0), 4.0, 1e-10);
  EXPECT_NEAR(effective_votes(7.0, 1e300), 7.0, 1e-12);
}

TEST(SecondOrder, ClassesMayStandInAnyOrder) {
  const Urn urn = draw(700, 4, 9, {0.5, -0.5});
  const std::vector<std::uint32_t> position{2, 0, 3, 1};
  Matrix<float> scores(700, 4);
  for (std::size_t i = 0; i < 700; ++i) {
    for (std::size_t k = 0; k < 4; ++k) scores(i, position[k]) = urn.scores(i, k);
  }
  const Dataset moved =
      make_dataset(scores.view(), ScoreKind::logits, urn.data.votes.relabel(position, 4));
  const SecondOrder a = fit_second_order(identity(urn.data), urn.data),
                    b = fit_second_order(identity(moved), moved);
  // Sums in another order, and an optimum that is known to about 1e-10.
  EXPECT_NEAR(a.concentration.intercept, b.concentration.intercept, 1e-9);
  EXPECT_NEAR(a.concentration.slope, b.concentration.slope, 1e-9);
  EXPECT_NEAR(a.disagreement.slope, b.disagreement.slope, 1e-9);
  EXPECT_NEAR(a.dm_nll, b.dm_nll, 1e-12);
}

/// Rows in pieces of whole blocks.
class BlockByBlock final : public RowSource {
 public:
  explicit BlockByBlock(const Dataset& data) : data_(&data) {}
  RowsInfo info() const override { return info_of(*data_); }
  bool next(RowBlock& rows) override {
    if (at_ >= data_->rows()) return false;
    const std::size_t end = std::min(at_ + kBlockRows, data_->rows());
    std::vector<std::size_t> chosen(end - at_);
    std::iota(chosen.begin(), chosen.end(), at_);
    piece_ = data_->select(chosen);
    rows = {at_, piece_.scores, &piece_.votes, {}};
    at_ = end;
    return true;
  }
  void rewind() override { at_ = 0; }

 private:
  const Dataset* data_;
  Dataset piece_;
  std::size_t at_ = 0;
};

TEST(SecondOrder, ThreadsAndPiecesChangeNoBit) {
  const Urn urn = draw(5000, 3, 5, {1.0, -0.4});
  const Calibrator calibrator = identity(urn.data);
  FitOptions options;
  options.threads = 1;
  const SecondOrder one = fit_second_order(calibrator, urn.data, options);
  for (const int threads : {2, 7}) {
    options.threads = threads;
    const SecondOrder more = fit_second_order(calibrator, urn.data, options);
    EXPECT_EQ(more.concentration, one.concentration);
    EXPECT_EQ(more.disagreement, one.disagreement);
    EXPECT_EQ(more.dm_nll, one.dm_nll);
  }
  BlockByBlock pieces(urn.data);
  const SecondOrder cut = fit_second_order(calibrator, pieces, options);
  EXPECT_EQ(cut.concentration, one.concentration);
  EXPECT_EQ(cut.disagreement, one.disagreement);
}

TEST(SecondOrder, SingleVotesTellNothingAndAreLeftOut) {
  Urn urn = draw(600, 3, 6, {0.5, -0.5});
  const SecondOrder alone = fit_second_order(identity(urn.data), urn.data);
  Matrix<float> scores(900, 3);
  Matrix<double> counts(900, 3);
  for (std::size_t i = 0; i < 900; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      scores(i, k) = urn.scores(i % 600, k);
      counts(i, k) = i < 600 ? urn.counts(i, k) : (k == i % 3 ? 1.0 : 0.0);
    }
  }
  const Dataset mixed =
      make_dataset(scores.view(), ScoreKind::logits, Votes::from_counts(counts.view()));
  const SecondOrder found = fit_second_order(identity(mixed), mixed);
  EXPECT_EQ(found.rows, 600U);
  EXPECT_NEAR(found.concentration.intercept, alone.concentration.intercept, 1e-9);
  EXPECT_NEAR(found.disagreement.slope, alone.disagreement.slope, 1e-9);
}

ErrorCode refused(const Matrix<float>& scores, const Votes& votes, std::string& message) {
  try {
    const Dataset data = make_dataset(scores.view(), ScoreKind::logits, votes);
    fit_second_order(identity(data), data);
  } catch (const Error& error) {
    message = error.what();
    return error.code();
  }
  return ErrorCode::cancelled;
}

TEST(SecondOrder, VotesThatCannotTellAreRefusedWithTheReason) {
  const Matrix<float> scores({1, 0, 0, 1, 2, 0}, 3, 2);
  const Matrix<double> single({1, 0, 0, 1, 1, 0}, 3, 2), shares({0.5, 0.5, 0.2, 0.8, 1, 0}, 3, 2);
  const std::vector<std::uint32_t> labels{0, 1, 0};
  std::string message;
  EXPECT_EQ(refused(scores, Votes::from_counts(single.view()), message), ErrorCode::evidence);
  EXPECT_NE(message.find("no example has two votes"), std::string::npos) << message;
  EXPECT_EQ(refused(scores, Votes::from_counts(shares.view()), message), ErrorCode::evidence);
  EXPECT_NE(message.find("shares or weights"), std::string::npos) << message;
  EXPECT_EQ(refused(scores, Votes::from_labels(labels, 2), message), ErrorCode::evidence);
  EXPECT_NE(message.find("majority labels"), std::string::npos) << message;
}

TEST(SecondOrder, UnanimousAnnotatorsAndCertainPredictionsStayFinite) {
  // Nobody ever disagrees, and every prediction is the same: without a prior nothing would be
  // finite.
  Matrix<float> scores(50, 2);
  Matrix<double> counts(50, 2);
  for (std::size_t i = 0; i < 50; ++i) {
    scores(i, 0) = 60.0F;
    counts(i, 0) = 9.0;
  }
  const Dataset data =
      make_dataset(scores.view(), ScoreKind::logits, Votes::from_counts(counts.view()));
  const SecondOrder found = fit_second_order(identity(data), data);
  const std::vector<double> sharp{1.0, 0.0}, even{0.5, 0.5};
  for (const auto& q : {sharp, even}) {
    const Certainty sure = certainty(found, q);
    EXPECT_TRUE(std::isfinite(sure.concentration) && sure.concentration > 0.0);
    EXPECT_TRUE(sure.disagreement >= 0.0 && sure.disagreement <= 1.0);
  }
  EXPECT_LT(certainty(found, sharp).disagreement, 0.02);
}

}  // namespace
}  // namespace credence
