// Properties that hold for any data: RapidCheck draws shapes, scores and votes, and shrinks what
// fails to a small example.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "credence/evaluate.hpp"
#include "credence/fit.hpp"

namespace credence {
namespace {

/// Small but arbitrary: 1-40 rows, 2-6 classes, scores in [-12, 12], 0-4 votes a class.
struct Sample {
  Matrix<float> scores;
  Matrix<double> counts;
  Dataset data() const {
    return make_dataset(scores.view(), ScoreKind::logits, Votes::from_counts(counts.view()));
  }
};

Sample draw_sample() {
  const auto rows = *rc::gen::inRange<std::size_t>(1, 41);
  const auto classes = *rc::gen::inRange<std::size_t>(2, 7);
  Sample sample{Matrix<float>(rows, classes), Matrix<double>(rows, classes)};
  const auto scores =
      *rc::gen::container<std::vector<int>>(rows * classes, rc::gen::inRange(-12000, 12001));
  const auto votes = *rc::gen::container<std::vector<int>>(rows * classes, rc::gen::inRange(0, 5));
  for (std::size_t i = 0; i < rows * classes; ++i) {
    sample.scores.data()[i] = static_cast<float>(scores[i]) / 1000.0f;
    sample.counts.data()[i] = votes[i];
  }
  for (std::size_t i = 0; i < rows; ++i) sample.counts(i, i % classes) += 1.0;  // no empty row
  return sample;
}

template <class Body>
void check(const char* claim, const Body& body) {
  ASSERT_TRUE(rc::check(claim, body));
}

TEST(Properties, EveryAllowedMethodGivesProbabilities) {
  check("fits are defined on any data", [] {
    const Sample sample = draw_sample();
    const Dataset data = sample.data();
    FitOptions options;
    options.max_passes = 40;
    const auto allowed = methods_allowed_by(data.evidence());
    const auto method = allowed[*rc::gen::inRange<std::size_t>(0, allowed.size())];
    const Calibrator calibrator = fit(parse_method(method), data, options);
    Matrix<double> p(data.rows(), data.classes_count());
    calibrator.apply(sample.scores.view(), p.view());
    for (std::size_t i = 0; i < p.rows(); ++i) {
      double sum = 0.0;
      for (const double x : p.row(i)) {
        RC_ASSERT(x >= 0.0 && x <= 1.0 + 1e-15);
        sum += x;
      }
      RC_ASSERT(std::abs(sum - 1.0) < 1e-12);
    }
  });
}

TEST(Properties, TheFittedTemperatureBeatsItsNeighbours) {
  check("slts is a minimum", [] {
    const Sample sample = draw_sample();
    const Dataset data = sample.data();
    RC_PRE(data.evidence() == Evidence::distributions);
    Calibrator calibrator = fit(parse_method("slts"), data);
    const auto loss = [&] {
      Matrix<double> p(data.rows(), data.classes_count());
      calibrator.apply(sample.scores.view(), p.view());
      return *evaluate(p.view(), data.votes)["nll"];
    };
    double& b = calibrator.stages.front().theta.front();
    const double best = loss(), fitted = b;
    for (const double factor : {0.98, 1.02}) {
      b = std::clamp(fitted * factor, 1.0 / kMaxTemperature, 1.0 / kMinTemperature);
      // Equal at a bound, and where the scores say nothing; 1e-12 covers rounding of the mean.
      RC_ASSERT(loss() >= best - 1e-12);
    }
  });
}

TEST(Properties, MetricsRespectTheirBounds) {
  check("orderings between metrics", [] {
    const Sample sample = draw_sample();
    const Dataset data = sample.data();
    Matrix<double> p(data.rows(), data.classes_count());
    fit(parse_method("uncalibrated"), data).apply(sample.scores.view(), p.view());
    const Evaluation scored = evaluate(p.view(), data.votes);
    // Jensen: the mean over draws of an absolute value is at least the absolute value of the mean.
    RC_ASSERT(*scored["ece_true_exact"] >= *scored["ece_expected"] - 1e-12);
    RC_ASSERT(*scored["brier_reader"] >= *scored["brier"] - 1e-12);
    RC_ASSERT(*scored["kl"] >= -1e-12);
    // A gap in a bin is a mean of gaps.
    RC_ASSERT(*scored["pointwise"] >= *scored["ece_expected"] - 1e-12);
  });
}

TEST(Properties, SelectingRowsSelectsTheirVotes) {
  check("select", [] {
    const Sample sample = draw_sample();
    const Votes votes = Votes::from_counts(sample.counts.view());
    const auto rows = *rc::gen::container<std::vector<std::size_t>>(
        rc::gen::inRange<std::size_t>(0, votes.rows()));
    const Votes some = votes.select(rows);
    RC_ASSERT(some.rows() == rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      RC_ASSERT(some.total(i) == votes.total(rows[i]));
      RC_ASSERT(some.voted(i) == votes.voted(rows[i]));
      for (std::uint32_t k = 0; k < votes.classes(); ++k) {
        RC_ASSERT(some.share(i, k) == votes.share(rows[i], k));
      }
    }
  });
}

TEST(Properties, TheFastErrorFromLogitsAgreesWithTheExactOne) {
  check("ece_expected_from_logits", [] {
    const Sample sample = draw_sample();
    const Votes votes = Votes::from_counts(sample.counts.view());
    Calibrator plain;
    plain.class_count = votes.classes();
    plain.stages.push_back({NoTarget{}, Temperature{}, {0.5}, {}});
    Matrix<double> p(votes.rows(), votes.classes());
    plain.apply(sample.scores.view(), p.view());
    // Confidences in float32: 1e-7 each, and so their mean.
    RC_ASSERT(std::abs(ece_expected_from_logits(sample.scores.view(), votes, 0.5) -
                       *evaluate(p.view(), votes)["ece_expected"]) < 2e-7);
  });
}

}  // namespace
}  // namespace credence
