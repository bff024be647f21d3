// Laws between methods and invariances of every method, whatever the data.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "credence/fit.hpp"
#include "map/about.hpp"
#include "synthetic.hpp"

namespace credence {
namespace {

using testing_data::make_synthetic;
using testing_data::Synthetic;

Matrix<double> predict(const Calibrator& calibrator, const Matrix<float>& scores) {
  Matrix<double> p(scores.rows(), scores.cols());
  calibrator.apply(scores.view(), p.view());
  return p;
}

double largest_gap(const Matrix<double>& a, const Matrix<double>& b) {
  double most = 0.0;
  for (std::size_t i = 0; i < a.rows() * a.cols(); ++i) {
    most = std::max(most, std::abs(a.data()[i] - b.data()[i]));
  }
  return most;
}

/// Everything in the table but draws, whose stream is tied to row numbers.
std::vector<std::string> deterministic_methods() {
  std::vector<std::string> names;
  for (const Method& method : kMethods) {
    if (!std::holds_alternative<Sampled>(method.target)) names.emplace_back(method.id);
  }
  names.emplace_back("dirichlet-soft then ts");
  return names;
}

Dataset dataset(const Matrix<float>& scores, const Matrix<double>& counts) {
  return make_dataset(scores.view(), ScoreKind::logits, Votes::from_counts(counts.view()));
}

TEST(Laws, UnanimousAnnotatorsMakeVotedSoftAndSampledTemperaturesEqual) {
  Synthetic set = make_synthetic(400, 5);
  for (std::size_t i = 0; i < 400; ++i) {
    const std::uint32_t y = set.data.votes.voted(i);
    for (std::size_t k = 0; k < 5; ++k) set.counts(i, k) = k == y ? 7.0 : 0.0;
  }
  const Dataset data = dataset(set.scores, set.counts);
  const double ts = fit(parse_method("ts"), data).temperature();
  EXPECT_DOUBLE_EQ(fit(parse_method("slts"), data).temperature(), ts);
  EXPECT_DOUBLE_EQ(fit(parse_method("mcts"), data).temperature(), ts);
}

TEST(Laws, ManyDrawsApproachTheAnnotators) {
  const Synthetic set = make_synthetic(500, 4);
  MethodSpec many = parse_method("mcts");
  many.stages[0].target = Sampled{20000};
  // 500 x 20,000 draws: the standard error of T is near 1e-3 / sqrt(2).
  EXPECT_NEAR(fit(many, set.data).temperature(), fit(parse_method("slts"), set.data).temperature(),
              5e-3);
}

TEST(Laws, PermutingClassesPermutesEverything) {
  const Synthetic set = make_synthetic(600, 4);
  const std::size_t order[] = {2, 0, 3, 1};
  Matrix<float> scores(600, 4);
  Matrix<double> counts(600, 4);
  for (std::size_t i = 0; i < 600; ++i) {
    for (std::size_t k = 0; k < 4; ++k) {
      scores(i, k) = set.scores(i, order[k]);
      counts(i, k) = set.counts(i, order[k]);
    }
  }
  // Ties in the vote go to the lowest index, which a permutation moves: break them.
  Matrix<double> plain = set.counts;
  for (std::size_t i = 0; i < 600; ++i) {
    for (std::size_t k = 0; k < 4; ++k) {
      plain(i, order[k]) += 1e-3 * double(order[k]);
      counts(i, k) += 1e-3 * double(order[k]);
    }
  }
  const Dataset original = dataset(set.scores, plain), permuted = dataset(scores, counts);
  for (const std::string& method : deterministic_methods()) {
    const auto p = predict(fit(parse_method(method), original), set.scores);
    const auto q = predict(fit(parse_method(method), permuted), scores);
    double most = 0.0;
    for (std::size_t i = 0; i < 600; ++i) {
      for (std::size_t k = 0; k < 4; ++k) most = std::max(most, std::abs(p(i, order[k]) - q(i, k)));
    }
    // Sums run in another order; steps may then move by one float32 threshold at most.
    EXPECT_LT(most, 1e-8) << method;
  }
}

/// Penalties that are worth a number of examples weigh half as much among twice as many.
MethodSpec among_twice_as_many(MethodSpec method) {
  for (MethodSpec::StageSpec& stage : method.stages) {
    std::vector<double> numbers;
    for (const core::Setting& setting : map::settings_of(stage.map)) {
      const bool in_examples = setting.name == "tau" || setting.name == "prior";
      numbers.push_back((in_examples ? 2.0 : 1.0) * setting.value);
    }
    map::set_settings(stage.map, numbers);
  }
  return method;
}

TEST(Laws, DuplicatingTheDataChangesNothing) {
  const Synthetic set = make_synthetic(700, 3);
  Matrix<float> scores(1400, 3);
  Matrix<double> counts(1400, 3);
  for (std::size_t i = 0; i < 1400; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      scores(i, k) = set.scores(i % 700, k);
      counts(i, k) = set.counts(i % 700, k);
    }
  }
  const Dataset twice = dataset(scores, counts);
  for (const std::string& method : deterministic_methods()) {
    // The prior of what annotators say is worth two examples among however many.
    if (method.starts_with("channel-")) continue;
    const auto p = predict(fit(parse_method(method), set.data), set.scores);
    const auto q = predict(fit(among_twice_as_many(parse_method(method)), twice), set.scores);
    EXPECT_LT(largest_gap(p, q), 1e-8) << method;
  }
}

TEST(Laws, ShiftingARowsLogitsChangesNothing) {
  const Synthetic set = make_synthetic(500, 4);
  Matrix<float> shifted(500, 4);
  for (std::size_t i = 0; i < 500; ++i) {
    // Powers of two: the shifted scores are rounded at 2^-19, so predictions move by about 1e-6.
    for (std::size_t k = 0; k < 4; ++k) {
      shifted(i, k) = set.scores(i, k) + (i % 2 == 0 ? 16.0f : -8.0f);
    }
  }
  const Dataset data = dataset(shifted, set.counts);
  for (const std::string& method : deterministic_methods()) {
    const auto p = predict(fit(parse_method(method), set.data), set.scores);
    const auto q = predict(fit(parse_method(method), data), shifted);
    // Histogram and isotonic step where a confidence crosses an edge.
    if (method == "hist-bin" || method == "ir-soft") continue;
    EXPECT_LT(largest_gap(p, q), 1e-5) << method;
  }
}

TEST(Laws, ProbabilitiesInsteadOfLogitsChangeNothing) {
  const Synthetic set = make_synthetic(500, 4, 7, 1.5);
  Calibrator plain = fit(parse_method("uncalibrated"), set.data);
  const Matrix<double> p = predict(plain, set.scores);
  Matrix<float> probabilities(500, 4);
  for (std::size_t i = 0; i < 2000; ++i) probabilities.data()[i] = static_cast<float>(p.data()[i]);
  const Dataset data =
      make_dataset(probabilities.view(), ScoreKind::probs, Votes::from_counts(set.counts.view()));
  for (const char* method : {"slts", "soft-platt", "dirichlet-soft", "vs", "ls-ts", "ats"}) {
    const Calibrator a = fit(parse_method(method), set.data), b = fit(parse_method(method), data);
    Matrix<double> q(500, 4);
    b.apply(data.scores, q.view());
    // float32 probabilities carry 6e-8 of relative rounding into every logarithm.
    EXPECT_LT(largest_gap(predict(a, set.scores), q), 1e-6) << method;
  }
}

TEST(Laws, TemperatureKeepsThePredictedClass) {
  const Synthetic set = make_synthetic(500, 6);
  const auto p = predict(fit(parse_method("slts"), set.data), set.scores);
  for (std::size_t i = 0; i < 500; ++i) {
    const auto a = std::max_element(p.row(i).begin(), p.row(i).end()) - p.row(i).begin();
    const auto z = set.scores.row(i);
    EXPECT_EQ(a, std::max_element(z.begin(), z.end()) - z.begin());
  }
}

TEST(Laws, SoftTemperatureThenHardTemperatureIsTheHardTemperature) {
  const Synthetic set = make_synthetic(500, 4);
  const auto p = predict(fit(parse_method("slts then ts"), set.data), set.scores);
  const auto q = predict(fit(parse_method("ts"), set.data), set.scores);
  EXPECT_LT(largest_gap(p, q), 1e-10);
}

TEST(Laws, PenalisedColumnsAndBiasesOfTheMatrixMapSumToZero) {
  const Synthetic set = make_synthetic(900, 5);
  for (const char* method : {"dirichlet-soft", "dirichlet-hard"}) {
    const Stage stage = fit(parse_method(method), set.data).stages.front();
    ASSERT_LT(stage.report.gradient_norm, 1e-10);
    // Penalty 1e-3 over 20 entries: a gradient of 1e-10 leaves at most 1e-10 / 1e-4 here.
    for (std::size_t column = 0; column < 5; ++column) {
      double sum = 0.0;
      for (std::size_t row = 0; row < 5; ++row) {
        if (row != column) sum += stage.theta[row * 5 + column];
      }
      EXPECT_NEAR(sum, 0.0, 1e-6);
    }
    EXPECT_NEAR(std::accumulate(stage.theta.begin() + 25, stage.theta.end(), 0.0), 0.0, 1e-6);
  }
}

TEST(Laws, BiasesOfTheDiagonalMapSumToZero) {
  const Synthetic set = make_synthetic(900, 5);
  const Stage stage = fit(parse_method("soft-platt"), set.data).stages.front();
  EXPECT_NEAR(std::accumulate(stage.theta.begin() + 5, stage.theta.end(), 0.0), 0.0, 1e-9);
}

TEST(Laws, IsotonicIsMonotoneAndKeepsTheMeanTarget) {
  const Synthetic set = make_synthetic(900, 4);
  const Stage stage = fit(parse_method("ir-soft"), set.data).stages.front();
  const std::size_t thresholds = stage.theta.size() / 2;
  EXPECT_TRUE(std::is_sorted(stage.theta.begin(), stage.theta.begin() + long(thresholds)));
  EXPECT_TRUE(std::is_sorted(stage.theta.begin() + long(thresholds), stage.theta.end()));
}

TEST(Laws, WarmStartFromASubsampleDoesNotMoveTheOptimum) {
  // 70,000 rows take the subsample and the float32 passes; the two halves by themselves do not.
  const Synthetic set = make_synthetic(70000, 3, 3);
  const Stage slts = fit(parse_method("slts"), set.data).stages.front();
  EXPECT_EQ(slts.report.stop, Stop::converged);
  EXPECT_LT(slts.report.gradient_norm, 1e-11);
  const Stage matrix = fit(parse_method("dirichlet-soft"), set.data).stages.front();
  EXPECT_LT(matrix.report.gradient_norm, 1e-9);  // as far as a matrix is fitted to so many rows
}

}  // namespace
}  // namespace credence
