#include "io/calibrator/calibrator_json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/random.hpp"
#include "credence/error.hpp"
#include "credence/io.hpp"
#include "credence/methods.hpp"
#include "errors.hpp"
#include "map/about.hpp"

namespace credence::io {
namespace {

constexpr std::size_t kClasses = 4;

/// Numbers of the shape each map learns, with all their digits in use.
std::vector<double> some_theta(const MapSpec& map) {
  const auto u = [](std::uint64_t i) { return core::uniform(3, 0, i); };
  const auto many = [&](std::size_t count, double scale) {
    std::vector<double> result;
    for (std::size_t i = 0; i < count; ++i) result.push_back((u(i) - 0.3) * scale);
    return result;
  };
  const std::string_view name = map_name(map);
  if (name == "identity") return {};
  if (name == "temperature") return {0.4198 + 1e-9 * u(0)};
  if (name == "class-temperatures") return {u(0) + 0.1, u(1) + 0.1, u(2) + 0.1, 1e-3};
  if (name == "diagonal") return many(2 * kClasses, 3.0);
  if (name == "matrix") return many(kClasses * kClasses + kClasses, 1e-7);
  if (name == "adaptive") return many(5, 1.0);
  if (name == "isotonic") return {0.25F, 0.7F, u(0) * 0.1, 0.3, 1.0};
  if (name != "histogram") {
    std::vector<double> theta;
    for (const map::Block& block : map::blocks(map, kClasses)) {
      const bool shares = block.numbers == map::Numbers::shares;
      for (std::size_t i = 0; i < block.size(); ++i) {
        const double tenth = 0.1 + 1e-12 * u(theta.size());
        theta.push_back(!shares ? u(theta.size()) - 0.3 : i % kClasses == 3 ? 0.7 : tenth);
      }
    }
    return theta;
  }
  std::vector<double> bins(15);
  for (std::size_t b = 0; b < 15; ++b) bins[b] = b % 4 == 0 ? -1.0 : u(b);
  return bins;
}

Calibrator some_calibrator(const TargetSpec& target, const MapSpec& map) {
  Calibrator calibrator;
  calibrator.method = std::string(target_name(target)) + "+" + std::string(map_name(map));
  calibrator.class_count = kClasses;
  calibrator.stages.push_back({.target = target,
                               .map = map,
                               .theta = some_theta(map),
                               .report = {.stop = Stop::converged,
                                          .passes = 7,
                                          .loss = 0.123456789012345,
                                          .gradient_norm = 3.5e-13,
                                          .notes = {"a \"quoted\" note", "naïve"}}});
  return calibrator;
}

const CalibratorInfo kInfo{.fingerprint = "00112233445566778899aabbccddeeff",
                           .rows = 5000,
                           .score_kind = "logits",
                           .evidence = "distributions",
                           .seed = 18446744073709551615U,
                           .votes_per_example = 51.0842};

void expect_equal(const LoadedCalibrator& loaded, const Calibrator& calibrator) {
  EXPECT_EQ(loaded.calibrator.method, calibrator.method);
  EXPECT_EQ(loaded.calibrator.gauge, calibrator.gauge);
  EXPECT_EQ(loaded.calibrator.classes, calibrator.classes);
  EXPECT_EQ(loaded.calibrator.class_count, calibrator.class_count);
  ASSERT_EQ(loaded.calibrator.stages.size(), calibrator.stages.size());
  for (std::size_t s = 0; s < calibrator.stages.size(); ++s) {
    const Stage &found = loaded.calibrator.stages[s], &expected = calibrator.stages[s];
    EXPECT_EQ(found.target, expected.target);
    EXPECT_EQ(found.map, expected.map);
    EXPECT_EQ(found.theta, expected.theta);
    EXPECT_EQ(found.report.stop, expected.report.stop);
    EXPECT_EQ(found.report.passes, expected.report.passes);
    EXPECT_EQ(found.report.loss, expected.report.loss);
    EXPECT_EQ(found.report.gradient_norm, expected.report.gradient_norm);
    EXPECT_EQ(found.report.notes, expected.report.notes);
  }
  EXPECT_EQ(loaded.info.fingerprint, kInfo.fingerprint);
  EXPECT_EQ(loaded.info.rows, kInfo.rows);
  EXPECT_EQ(loaded.info.score_kind, kInfo.score_kind);
  EXPECT_EQ(loaded.info.evidence, kInfo.evidence);
  EXPECT_EQ(loaded.info.seed, kInfo.seed);
  EXPECT_EQ(loaded.info.votes_per_example, kInfo.votes_per_example);
}

TEST(CalibratorJson, EveryMapAndEveryTargetComesBackByteForByte) {
  std::vector<TargetSpec> targets(kTargets.begin(), kTargets.end());
  targets.insert(targets.end(), {NoTarget{}, Sampled{.draws = 50},
                                 Smoothed{.rule = Epsilon::fixed, .fixed = 0.3}});
  std::vector<MapSpec> maps(kMaps.begin(), kMaps.end());
  maps.insert(maps.end(),
              {MatrixAffine{.lambda = 0.1 + 0.2, .mu = 0.0}, AdaptiveTemperature{.l2 = 1e-7}});
  for (const MapSpec& map : maps) {
    for (const TargetSpec& target : targets) {
      const Calibrator calibrator = some_calibrator(target, map);
      SCOPED_TRACE(calibrator.method);
      const std::string text = calibrator_to_json(calibrator, kInfo);
      const LoadedCalibrator loaded = calibrator_from_json(text, "model.json");
      expect_equal(loaded, calibrator);
      EXPECT_EQ(calibrator_to_json(loaded.calibrator, loaded.info), text);
    }
  }
}

TEST(CalibratorJson, StagesGaugeAndClassNamesComeBack) {
  Calibrator calibrator = some_calibrator(Annotators{}, MatrixAffine{});
  calibrator.stages.push_back(some_calibrator(Voted{}, Temperature{}).stages[0]);
  calibrator.method = "dirichlet-soft then ts";
  calibrator.gauge = Gauge::raw;
  calibrator.classes = {"cat", "dog, big", "\"bird\"", "poisson é"};
  expect_equal(calibrator_from_json(calibrator_to_json(calibrator, kInfo), "m"), calibrator);
}

TEST(CalibratorJson, EveryOutcomeOfAFitComesBack) {
  Calibrator calibrator = some_calibrator(Voted{}, Temperature{});
  for (const Stop stop :
       {Stop::converged, Stop::rounding_floor, Stop::at_bound, Stop::iteration_limit,
        Stop::no_minimiser, Stop::no_progress, Stop::direct}) {
    calibrator.stages[0].report.stop = stop;
    expect_equal(calibrator_from_json(calibrator_to_json(calibrator, kInfo), "m"), calibrator);
  }
}

TEST(CalibratorJson, InfiniteLossOfStepsIsWrittenAsNullAndComesBack) {
  Calibrator calibrator = some_calibrator(Annotators{}, TopLabelIsotonic{});
  calibrator.stages[0].report.loss = INFINITY;
  const std::string text = calibrator_to_json(calibrator, kInfo);
  EXPECT_NE(text.find("\"loss\": null"), std::string::npos);
  const LoadedCalibrator loaded = calibrator_from_json(text, "m");
  EXPECT_EQ(loaded.calibrator.stages[0].report.loss, INFINITY);
  EXPECT_EQ(calibrator_to_json(loaded.calibrator, loaded.info), text);
}

TEST(CalibratorJson, FitThatWentWrongIsNotWritten) {
  for (const double loss : {double(NAN), double(INFINITY), -double(INFINITY)}) {
    Calibrator calibrator = some_calibrator(Annotators{}, Temperature{});
    calibrator.stages[0].report.loss = loss;
    EXPECT_EQ(test::error_of([&] { calibrator_to_json(calibrator, kInfo); }).code(),
              ErrorCode::model);
    calibrator.stages[0].map = TopLabelIsotonic{};
    calibrator.stages[0].theta = {0.5};
    if (loss != double(INFINITY)) {
      EXPECT_THROW(calibrator_to_json(calibrator, kInfo), Error) << loss;
    }
  }
  Calibrator calibrator = some_calibrator(Annotators{}, Temperature{});
  calibrator.stages[0].report.gradient_norm = NAN;
  EXPECT_THROW(calibrator_to_json(calibrator, kInfo), Error);
}

TEST(CalibratorJson, ParametersThatCanOverflowAreNeitherWrittenNorRead) {
  for (const MapSpec& map :
       {MapSpec{DiagonalAffine{}}, MapSpec{MatrixAffine{}}, MapSpec{AdaptiveTemperature{}}}) {
    Calibrator calibrator = some_calibrator(Annotators{}, map);
    // 1e260 times the largest difference of two float32 scores is still a double.
    calibrator.stages[0].theta[0] = 1e260;
    const std::string text = calibrator_to_json(calibrator, kInfo);
    EXPECT_NO_THROW(calibrator_from_json(text, "m"));
    std::string spoiled = text;
    spoiled.replace(spoiled.find("1e+260"), 6, "1e+308");
    const Error error = test::error_of([&] { calibrator_from_json(spoiled, "m.json"); });
    EXPECT_EQ(error.code(), ErrorCode::model);
    EXPECT_EQ(std::string(error.what()).find("m.json: stages[0].parameters: 1e+308 is too large"),
              0u)
        << error.what();
    calibrator.stages[0].theta[0] = -1e308;
    EXPECT_THROW(calibrator_to_json(calibrator, kInfo), Error);
  }
}

TEST(CalibratorJson, StagesThatOverflowOnlyTogetherAreRefused) {
  Calibrator calibrator = some_calibrator(Annotators{}, DiagonalAffine{});
  calibrator.stages[0].theta[0] = 1e200;
  EXPECT_NO_THROW(calibrator_to_json(calibrator, kInfo));
  calibrator.stages.push_back(calibrator.stages[0]);
  EXPECT_THROW(calibrator_to_json(calibrator, kInfo), Error);
}

TEST(CalibratorJson, FilesAreReadFromDiskAndNamedInErrors) {
  const auto path = std::filesystem::path(testing::TempDir()) / "calibrator_json_test.json";
  const Calibrator calibrator = some_calibrator(Annotators{}, DiagonalAffine{});
  std::ofstream(path) << calibrator_to_json(calibrator, kInfo);
  expect_equal(load_calibrator(path.string()), calibrator);
  std::ofstream(path) << R"({"format": "another"})";
  try {
    load_calibrator(path.string());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::format);
    EXPECT_EQ(std::string(error.what()).find(path.string() + ": format: "), 0U) << error.what();
  }
  std::filesystem::remove(path);
  EXPECT_THROW(load_calibrator(path.string()), Error);
}

TEST(CalibratorJson, LargeMatrixComesBack) {
  Calibrator calibrator = some_calibrator(Annotators{}, MatrixAffine{});
  calibrator.class_count = 200;
  calibrator.stages[0].theta.assign(200 * 201, 0.0);
  for (std::size_t i = 0; i < 200 * 201; ++i) {
    calibrator.stages[0].theta[i] = core::uniform(8, 0, i) - 0.5;
  }
  expect_equal(calibrator_from_json(calibrator_to_json(calibrator, kInfo), "m"), calibrator);
}

TEST(CalibratorJson, ParametersThatCouldNotBeReadBackAreNotWritten) {
  Calibrator calibrator = some_calibrator(Annotators{}, DiagonalAffine{});
  calibrator.stages[0].theta[5] = NAN;
  EXPECT_THROW(calibrator_to_json(calibrator, kInfo), Error);
  calibrator.stages[0].theta.pop_back();
  EXPECT_THROW(calibrator_to_json(calibrator, kInfo), Error);
  Calibrator isotonic = some_calibrator(Annotators{}, TopLabelIsotonic{});
  isotonic.stages[0].theta.pop_back();
  EXPECT_THROW(calibrator_to_json(isotonic, kInfo), Error);
}

TEST(CalibratorJson, TextIsReadableAndItsOrderFixed) {
  Calibrator calibrator = some_calibrator(Annotators{}, Temperature{});
  calibrator.stages[0].theta = {0.5};
  calibrator.stages[0].report = {
      .stop = Stop::converged, .passes = 5, .loss = 0.25, .gradient_norm = 1e-13, .notes = {}};
  calibrator.method = "slts";
  calibrator.classes = {"a", "b", "c", "d"};
  EXPECT_EQ(calibrator_to_json(calibrator, {.fingerprint = "ff",
                                            .rows = 3,
                                            .score_kind = "logits",
                                            .evidence = "distributions",
                                            .seed = 42,
                                            .votes_per_example = 51}),
            R"({
  "format": "credence-calibrator",
  "version": 1,
  "credence": "0.1.0",
  "method": "slts",
  "gauge": "log_probs",
  "classes": ["a", "b", "c", "d"],
  "class_count": 4,
  "stages": [
    {
      "target": {"name": "annotators"},
      "map": {"name": "temperature"},
      "parameters": {"inverse_temperature": 0.5, "temperature": 2},
      "report": {
        "stop": "converged",
        "passes": 5,
        "loss": 0.25,
        "gradient_norm": 1e-13,
        "notes": []
      }
    }
  ],
  "protocol": {
    "seed": 42,
    "rows": 3,
    "score_kind": "logits",
    "evidence": "distributions",
    "votes_per_example": 51
  },
  "fingerprint": "ff"
}
)");
}

}  // namespace
}  // namespace credence::io
