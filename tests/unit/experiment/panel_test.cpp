#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "credence/error.hpp"
#include "credence/evaluate.hpp"
#include "credence/panel_fit.hpp"
#include "experiment/panel_exponents.hpp"
#include "fit/blend.hpp"
#include "synthetic.hpp"

namespace credence {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_data::make_synthetic;
using testing_data::normal;

constexpr std::size_t kClasses = 3;

/// Models of the same examples whose errors are independent of each other.
std::vector<Dataset> independent_models(std::size_t rows, const std::vector<double>& noise) {
  const Votes votes = make_synthetic(rows, kClasses).data.votes;
  std::vector<std::size_t> all(rows);
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<Dataset> models;
  for (std::size_t m = 0; m < noise.size(); ++m) {
    Matrix<float> scores(rows, kClasses);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t k = 0; k < kClasses; ++k) {
        const double truth = 1.5 * normal(1, i, k), error = noise[m] * normal(100 + m, i, k);
        scores(i, k) = static_cast<float>(2.0 * (truth + error));
      }
    }
    models.push_back(make_dataset(scores.view(), ScoreKind::logits, votes).select(all));
  }
  return models;
}

Panel fitted_panel(std::span<const Dataset> models, std::vector<std::string> names) {
  return fit_panel(parse_method("auto"), models, names);
}

std::vector<Scores> scores_of(std::span<const Dataset> models) {
  std::vector<Scores> all;
  for (const Dataset& model : models) all.push_back(model.scores);
  return all;
}

Matrix<double> probabilities(const Panel& panel, std::span<const Dataset> models) {
  Matrix<double> p(models.front().rows(), models.front().classes_count());
  panel.apply(scores_of(models), p.view());
  return p;
}

double largest_gap(const Matrix<double>& a, const Matrix<double>& b) {
  double gap = 0.0;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t k = 0; k < a.cols(); ++k) gap = std::max(gap, std::abs(a(i, k) - b(i, k)));
  }
  return gap;
}

TEST(Panel, PredictsNewRowsBetterThanItsBestModelAlone) {
  const auto all = independent_models(4000, {0.8, 1.0, 3.0});
  std::vector<std::size_t> learn, judge;
  for (std::size_t i = 0; i < 4000; ++i) (i % 2 == 0 ? learn : judge).push_back(i);
  std::vector<Dataset> fitted, tested;
  for (const Dataset& model : all) {
    fitted.push_back(model.select(learn));
    tested.push_back(model.select(judge));
  }
  const Panel panel = fitted_panel(fitted, {"a", "b", "c"});
  EXPECT_GT(panel.gain, 2.0 * panel.gain_error);
  EXPECT_THAT(panel.notes, IsEmpty());
  const auto nll = [&](const Matrix<double>& p) {
    return *evaluate(p.view(), tested.front().votes)["nll"];
  };
  const double together = nll(probabilities(panel, tested));
  for (std::size_t m = 0; m < 3; ++m) {
    Matrix<double> alone(tested[m].rows(), kClasses);
    panel.models[m].calibrator.apply(tested[m].scores, alone.view());
    EXPECT_LT(together, nll(alone)) << m;
  }
  // The better a model, the more it counts.
  EXPECT_GT(panel.models[0].exponent, panel.models[1].exponent);
  EXPECT_GT(panel.models[1].exponent, panel.models[2].exponent);
}

TEST(Panel, TwoCopiesOfAModelAreThatModelAlone) {
  const auto one = independent_models(600, {0.8});
  const std::vector<Dataset> twice{one[0], one[0]};
  const Panel alone = fitted_panel(one, {"a"}), both = fitted_panel(twice, {"a", "b"});
  // Divided evenly, or one of them alone: the same distribution, but for float32 logarithms.
  EXPECT_LT(largest_gap(probabilities(alone, one), probabilities(both, twice)), 1e-6);
}

TEST(Panel, TheOrderOfModelsDoesNotMatter) {
  const auto models = independent_models(800, {0.8, 1.2, 0.9});
  const std::vector<Dataset> turned{models[2], models[0], models[1]};
  const Panel panel = fitted_panel(models, {"a", "b", "c"});
  const Panel other = fitted_panel(turned, {"c", "a", "b"});
  EXPECT_NEAR(panel.models[2].exponent, other.models[0].exponent, 1e-5);
  EXPECT_LT(largest_gap(probabilities(panel, models), probabilities(other, turned)), 1e-5);
}

TEST(Panel, AModelThatKnowsNothingDoesNotCount) {
  auto models = independent_models(1500, {0.8, 0.8});
  models[1] = models[1].select([] {
    std::vector<std::size_t> shifted(1500);
    for (std::size_t i = 0; i < shifted.size(); ++i) shifted[i] = (i + 1) % shifted.size();
    return shifted;
  }());
  models[1].votes = models[0].votes;
  const Panel panel = fitted_panel(models, {"good", "useless"});
  EXPECT_EQ(panel.models[0].exponent, 1.0);
  EXPECT_EQ(panel.models[1].exponent, 0.0);
  ASSERT_THAT(panel.notes, SizeIs(1));
  EXPECT_THAT(panel.notes[0], HasSubstr("good alone"));
  // Then it is the calibrator of that model, bit for bit.
  Matrix<double> alone(1500, kClasses);
  panel.models[0].calibrator.apply(models[0].scores, alone.view());
  EXPECT_EQ(largest_gap(probabilities(panel, models), alone), 0.0);
}

TEST(Panel, DoesNotDependOnThreads) {
  const auto models = independent_models(1200, {0.8, 1.0});
  const std::vector<std::string> names{"a", "b"};
  FitOptions options;
  options.threads = 1;
  const Panel one = fit_panel(parse_method("auto"), models, names, options);
  options.threads = 7;
  const Panel seven = fit_panel(parse_method("auto"), models, names, options);
  EXPECT_EQ(one.models[0].exponent, seven.models[0].exponent);
  EXPECT_EQ(one.nll, seven.nll);
  Matrix<double> a(1200, kClasses), b(1200, kClasses);
  one.apply(scores_of(models), a.view(), 1);
  seven.apply(scores_of(models), b.view(), 7);
  EXPECT_EQ(largest_gap(a, b), 0.0);
}

TEST(Panel, ExponentsHaveNoSlopeLeft) {
  // The stationary point of the loss, from differences of an evaluation that knows nothing of it.
  const auto models = independent_models(500, {0.8, 1.0});
  std::vector<Matrix<float>> logs;
  for (const Dataset& model : models) {
    Calibrator as_is;
    as_is.class_count = kClasses;
    as_is.stages.push_back({NoTarget{}, Identity{}, {}, {}});
    Matrix<double> p(model.rows(), kClasses);
    as_is.apply(model.scores, p.view());
    logs.push_back(fit_detail::log_of(std::as_const(p).view()));
  }
  const std::vector<MatrixView<const float>> views{std::as_const(logs[0]).view(),
                                                   std::as_const(logs[1]).view()};
  const std::vector<double> b = experiment::fit_exponents(views, models[0].votes, {}, 0);
  const auto loss = [&](std::vector<double> at) {
    Matrix<double> p(500, kClasses);
    fit_detail::blend(views, at, p.view());
    double penalty = 0.0;
    for (const double x : at) penalty += 2.0 / (2.0 * 500.0) * (x - 0.5) * (x - 0.5);
    return *evaluate(p.view(), models[0].votes)["nll"] + penalty;
  };
  for (std::size_t m = 0; m < 2; ++m) {
    constexpr double kStep = 1e-3;
    std::vector<double> up = b, down = b;
    up[m] += kStep;
    down[m] -= kStep;
    // Differences of a loss known to 1e-9, over 2e-3.
    EXPECT_NEAR((loss(up) - loss(down)) / (2.0 * kStep), 0.0, 1e-5) << m;
  }
}

TEST(Panel, RefusesWhatItCannotCombine) {
  const auto models = independent_models(200, {0.8, 1.0});
  const std::vector<std::string> names{"a.npy", "b.npy"};
  try {
    fit_panel(parse_method("slts"), models, names);
    FAIL() << "one temperature of two models";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("reads the scores of one model"));
  }
  const std::vector<Dataset> uneven{models[0], models[1].select(std::vector<std::size_t>{0, 1, 2})};
  EXPECT_THROW(fit_panel(parse_method("auto"), uneven, names), Error);
  const Panel panel = fitted_panel(models, names);
  Matrix<double> p(200, kClasses);
  const std::vector<Scores> too_few{models[0].scores};
  EXPECT_THROW(panel.apply(too_few, p.view()), Error);
}

}  // namespace
}  // namespace credence
