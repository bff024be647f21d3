// What exporting promises without a runtime; tests/onnx runs the graphs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "credence/error.hpp"
#include "credence/export.hpp"
#include "credence/io.hpp"
#include "fuzz/calibrators.hpp"

namespace credence::exporter {
namespace {

using ::testing::HasSubstr;

TEST(OnnxModel, TheSameCalibratorGivesTheSameBytes) {
  for (const Calibrator& calibrator : fuzz::calibrators()) {
    EXPECT_EQ(onnx_model(calibrator, {}).bytes, onnx_model(calibrator, {}).bytes);
  }
}

TEST(OnnxModel, OnlyATemperatureThatIsNotExtremeComputesInFloat32ByItself) {
  const std::vector<Calibrator> all = fuzz::calibrators();
  EXPECT_FALSE(onnx_model(all[0], {}).computes_in_float64);
  EXPECT_FALSE(onnx_model(all[1], {}).computes_in_float64);
  Calibrator cold = all[1];
  cold.stages[0].theta = {100.0};
  EXPECT_TRUE(onnx_model(cold, {}).computes_in_float64);
  for (std::size_t i = 2; i < all.size(); ++i) {
    EXPECT_TRUE(onnx_model(all[i], {}).computes_in_float64) << i;
    ModelOptions options;
    options.arithmetic = Arithmetic::float32;
    EXPECT_FALSE(onnx_model(all[i], options).computes_in_float64) << i;
  }
}

TEST(OnnxModel, OpsetsAndRanksOutOfRangeAreRefused) {
  for (const int opset : {-1, 10, 22}) {
    ModelOptions options;
    options.opset = opset;
    EXPECT_THROW(onnx_model(fuzz::calibrators()[1], options), Error) << opset;
  }
  ModelOptions options;
  options.rank = 4;
  EXPECT_THROW(onnx_model(fuzz::calibrators()[1], options), Error);
}

TEST(Append, SaysWhereItReadsAndWhatItGives) {
  AppendOptions options;
  options.recorded_kind = "logits";
  const std::string network = onnx_model(fuzz::calibrators()[1], {}).bytes;
  const AppendedModel model = append_to_model(fuzz::calibrators()[4], network, "net.onnx", options);
  EXPECT_EQ(model.output, "probabilities");
  EXPECT_EQ(model.input, ScoreKind::logits);  // before the final Softmax
  EXPECT_EQ(model.opset, 13);
  ASSERT_FALSE(model.notes.empty());
  EXPECT_THAT(model.notes.front(), HasSubstr("Softmax"));
}

TEST(CheckRows, HoldTheCasesThatGoWrongFirst) {
  const Matrix<double> scores = made_up_scores(4, ScoreKind::logits);
  ASSERT_EQ(scores.rows(), kCheckRows);
  std::size_t impossible = 0, ties = 0;
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    auto row = std::vector<double>(scores.row(i).begin(), scores.row(i).end());
    std::ranges::sort(row, std::greater<>());
    ties += row[0] == row[1] ? 1 : 0;
    impossible += std::isinf(row.back()) ? 1 : 0;
  }
  EXPECT_GE(ties, 2u);
  EXPECT_GE(impossible, 1u);
}

TEST(CheckRows, AreProbabilitiesOfScoresThatTheTypeHolds) {
  for (const ScoreKind kind : {ScoreKind::logits, ScoreKind::log_probs, ScoreKind::probs}) {
    for (const Precision precision : {Precision::float16, Precision::float32}) {
      const CheckRows rows =
          check_rows(fuzz::calibrators()[4], made_up_scores(3, kind), kind, precision);
      for (std::size_t i = 0; i < rows.scores.rows(); ++i) {
        double sum = 0.0;
        for (const double p : rows.probabilities.row(i)) sum += p;
        EXPECT_NEAR(sum, 1.0, 1e-12);  // three roundings of numbers below 1
      }
    }
  }
}

TEST(CheckRows, AreReadBackFromTheArchiveAsTheyWere) {
  const CheckRows rows = check_rows(fuzz::calibrators()[1], made_up_scores(3, ScoreKind::probs),
                                    ScoreKind::probs, Precision::float32);
  const auto path = std::filesystem::temp_directory_path() /
                    ("credence_check_" + std::to_string(::getpid()) + ".npz");
  {
    std::ofstream out(path, std::ios::binary);
    out << check_archive(rows, Precision::float32, {kCheckRows, 3}, 1);
  }
  const io::ScoreTable scores = io::load_scores(
      {.path = path.string() + ":scores", .kind = ScoreKind::probs}, io::LoadAs::as_stored);
  const io::ScoreTable probabilities = io::load_scores(
      {.path = path.string() + ":probabilities", .kind = ScoreKind::probs}, io::LoadAs::as_stored);
  std::filesystem::remove(path);
  ASSERT_EQ(scores.rows, kCheckRows);
  ASSERT_EQ(probabilities.rows, kCheckRows);
  for (std::size_t i = 0; i < kCheckRows; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(static_cast<double>(scores.f32(i, k)), rows.scores(i, k));
      EXPECT_EQ(probabilities.f64(i, k), rows.probabilities(i, k));
    }
  }
}

}  // namespace
}  // namespace credence::exporter
