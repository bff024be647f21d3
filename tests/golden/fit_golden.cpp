// Fitted parameters, predictions and scores of an independent program (NumPy, float64,
// exact-Hessian Newton, gradient below 1e-10) on four real sets, for every method and both gauges.
//
// Tolerances: temperatures 1e-8 and scores 1e-8 (both programs are far closer to the optimum than
// that); probabilities 1e-7 (the other program's matrix maps stop at a gradient of 1e-10, and the
// smallest curvature is near 1e-6). Maps with steps: a row whose confidence rounds differently may
// fall on the other side of a threshold, so 1e-5 on scores.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "credence/evaluate.hpp"
#include "credence/fit.hpp"
#include "credence/settings.hpp"
#include "golden/real_data.hpp"

namespace credence {
namespace {

constexpr double kTemperature = 1e-8, kProbability = 1e-7, kScore = 1e-8, kStepScore = 1e-5;

Matrix<float> to_float(const Matrix<double>& from) {
  Matrix<float> out(from.rows(), from.cols());
  for (std::size_t i = 0; i < from.rows() * from.cols(); ++i) {
    out.data()[i] = static_cast<float>(from.data()[i]);
  }
  return out;
}

/// The rows of one half of a set, ready to fit or to score.
struct Half {
  Matrix<float> scores;
  Dataset data;
  Half(const real_data::Set& set, const std::vector<std::size_t>& rows)
      : scores(to_float(real_data::select(set.logits, rows))) {
    const Matrix<double> counts = real_data::select(set.counts, rows);
    data = make_dataset(scores.view(), ScoreKind::logits, Votes::from_counts(counts.view()));
  }
};

bool has_steps(const std::string& method) { return method == "hist-bin" || method == "ir-soft"; }

void expect_parameters(const nlohmann::json& golden, const Calibrator& calibrator) {
  if (golden.contains("temperature")) {
    EXPECT_NEAR(calibrator.temperature(), golden["temperature"].get<double>(), kTemperature);
  }
  if (golden.contains("second_temperature")) {
    EXPECT_NEAR(1.0 / calibrator.stages.back().theta.at(0),
                golden["second_temperature"].get<double>(), kTemperature);
  }
  if (golden.contains("steps")) {
    // The other program counts steps of no width (thresholds equal in float32) as well.
    EXPECT_LE((calibrator.stages.back().theta.size() + 1) / 2, golden["steps"].get<std::size_t>());
  }
  if (golden.contains("loss")) {
    EXPECT_NEAR(calibrator.stages.back().report.loss, golden["loss"].get<double>(), 1e-9);
  }
}

class GoldenFit : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(GoldenFit, EveryMethodReproducesTheIndependentProgram) {
  CREDENCE_NEEDS_REAL_DATA();
  const auto [name, gauge] = GetParam();
  const real_data::Set set = real_data::load(name);
  const Half calibration(set, set.calibration), evaluation(set, set.evaluation);
  FitOptions options;
  options.gauge = std::string(gauge) == "raw" ? Gauge::raw : Gauge::log_probs;

  std::size_t compared = 0;
  for (const auto& [method, golden] : set.golden["gauges"][gauge].items()) {
    SCOPED_TRACE(method);
    const Calibrator calibrator = fit(parse_method(method), calibration.data, options);
    for (const Stage& stage : calibrator.stages) {
      EXPECT_TRUE(stage.report.stop == Stop::converged ||
                  stage.report.stop == Stop::rounding_floor || stage.report.stop == Stop::direct)
          << to_string(stage.report.stop) << ", gradient " << stage.report.gradient_norm;
      // An order below the other program's own 1e-10, so that ours is the sharper of the two.
      EXPECT_LT(stage.report.gradient_norm, 1e-11);
    }
    expect_parameters(golden, calibrator);

    Matrix<double> p(evaluation.scores.rows(), evaluation.scores.cols());
    calibrator.apply(evaluation.scores.view(), p.view());
    const auto& first = golden["first_rows"];
    for (std::size_t i = 0; i < first.size(); ++i) {
      for (std::size_t k = 0; k < p.cols(); ++k) {
        EXPECT_NEAR(p(i, k), first[i][k].get<double>(), kProbability) << "row " << i;
      }
    }
    const Evaluation scored = evaluate(p.view(), evaluation.data.votes);
    for (const auto& [metric, value] : golden["scores"].items()) {
      const auto ours = scored[metric];
      ASSERT_TRUE(ours.has_value()) << metric;
      EXPECT_NEAR(*ours, value.get<double>(), has_steps(method) ? kStepScore : kScore) << metric;
      ++compared;
    }
    EXPECT_EQ(scored["nll"].has_value(), golden["scores"].contains("nll"));
  }
  EXPECT_GT(compared, 15U * 12U);  // 16 methods with 12 or 13 scores each
}

class GoldenRidge : public testing::TestWithParam<const char*> {};

/// Another NumPy program, with a gradient below 4e-12. Its theta may differ in directions that
/// softmax ignores, so losses, probabilities and scores are compared.
TEST_P(GoldenRidge, EveryRidgeMapReproducesTheIndependentProgram) {
  CREDENCE_NEEDS_REAL_DATA();
  const real_data::Set set = real_data::load(GetParam());
  const Half calibration(set, set.calibration), evaluation(set, set.evaluation);
  const auto golden = nlohmann::json::parse(real_data::read_bytes(
      *real_data::root() / "golden" / (std::string(GetParam()) + ".ridge.json")));
  const std::map<char, std::string> methods{
      {'u', "ridge-log"}, {'p', "ridge-both"}, {'q', "ridge-sharp"}};
  for (const auto& [name, expected] : golden["maps"].items()) {
    SCOPED_TRACE(name);
    MethodSettings settings;
    settings.tau = expected["tau"].get<double>();
    const MethodSpec method = with_settings(parse_method(methods.at(name[0])), settings);
    const Calibrator calibrator = fit(method, calibration.data);
    ASSERT_EQ(calibrator.stages.size(), 2U);
    EXPECT_NEAR(calibrator.stages[0].theta[0], golden["beta"].get<double>(), kTemperature);
    const FitReport& report = calibrator.stages[1].report;
    EXPECT_LT(report.gradient_norm, 1e-11);
    EXPECT_NEAR(report.loss, expected["loss"].get<double>(), 1e-10);
    Matrix<double> p(evaluation.scores.rows(), evaluation.scores.cols());
    calibrator.apply(evaluation.scores.view(), p.view());
    const auto& first = expected["probabilities"];
    ASSERT_EQ(first.size(), 20U);
    for (std::size_t i = 0; i < first.size(); ++i) {
      for (std::size_t k = 0; k < p.cols(); ++k) {
        EXPECT_NEAR(p(i, k), first[i][k].get<double>(), kProbability) << "row " << i;
      }
    }
    const Evaluation scored = evaluate(p.view(), evaluation.data.votes);
    EXPECT_NEAR(*scored["nll"], expected["nll"].get<double>(), kScore);
  }
  EXPECT_EQ(golden["maps"].size(), 6U);
}

INSTANTIATE_TEST_SUITE_P(Sets, GoldenRidge, testing::ValuesIn(real_data::kSets));
INSTANTIATE_TEST_SUITE_P(Sets, GoldenFit, real_data::sets_and_gauges(), real_data::set_and_gauge);

}  // namespace
}  // namespace credence
