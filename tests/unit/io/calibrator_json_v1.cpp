// A promise: this file, as version 1 wrote it, loads for ever. Never edit the text below.
#include <gtest/gtest.h>

#include "credence/io.hpp"

namespace credence::io {
namespace {

constexpr const char* kVersion1 = R"({
  "format": "credence-calibrator",
  "version": 1,
  "credence": "0.1.0",
  "method": "every map in turn",
  "gauge": "raw",
  "classes": ["entailment", "neutral", "contradiction"],
  "class_count": 3,
  "stages": [
    {
      "target": {"name": "annotators"},
      "map": {"name": "matrix", "lambda": 0.001, "mu": 0.001},
      "parameters": {
        "weights": [
          [0.7, -0.1, 1e-07],
          [-0.2, 0.9, 0.3333333333333333],
          [-0.5, -0.8, 1]
        ],
        "bias": [0.25, -0.5, 0.25]
      },
      "report": {"stop": "rounding_floor", "passes": 9, "loss": 0.8943579586101953, "gradient_norm": 2.5e-12, "notes": ["one", "two"]}
    },
    {
      "target": {"name": "sampled", "draws": 3},
      "map": {"name": "temperature"},
      "parameters": {"inverse_temperature": 0.4, "temperature": 2.5},
      "report": {"stop": "converged", "passes": 5, "loss": 0.25, "gradient_norm": 1e-13, "notes": []}
    },
    {
      "target": {"name": "smoothed-fixed", "epsilon": 0.1},
      "map": {"name": "class-temperatures"},
      "parameters": {"inverse_temperatures": [0.5, 0.25, 2], "temperatures": [2, 4, 0.5]},
      "report": {"stop": "at_bound", "passes": 5, "loss": 0.25, "gradient_norm": 0.5, "notes": []}
    },
    {
      "target": {"name": "smoothed-mean"},
      "map": {"name": "diagonal"},
      "parameters": {"weights": [1, 2, 3], "bias": [-1, 0, 1]},
      "report": {"stop": "iteration_limit", "passes": 500, "loss": 0.25, "gradient_norm": 0.5, "notes": []}
    },
    {
      "target": {"name": "smoothed-class"},
      "map": {"name": "adaptive", "l2": 0.001},
      "parameters": {"weights": [0.1, -0.2, 0.3, -0.4], "bias": 0.5},
      "report": {"stop": "no_minimiser", "passes": 30, "loss": 0.25, "gradient_norm": 0.5, "notes": []}
    },
    {
      "target": {"name": "smoothed-entropy"},
      "map": {"name": "isotonic"},
      "parameters": {"thresholds": [0.5, 0.75], "values": [0.25, 0.625, 1]},
      "report": {"stop": "direct", "passes": 1, "loss": null, "gradient_norm": 0, "notes": []}
    },
    {
      "target": {"name": "voted"},
      "map": {"name": "histogram", "bins": 4},
      "parameters": {"values": [null, 0.25, 0.5, 1]},
      "report": {"stop": "direct", "passes": 1, "loss": 0.5, "gradient_norm": 0, "notes": []}
    },
    {
      "target": {"name": "none"},
      "map": {"name": "identity"},
      "parameters": {},
      "report": {"stop": "direct", "passes": 0, "loss": 0, "gradient_norm": 0, "notes": []}
    }
  ],
  "protocol": {
    "seed": 42,
    "rows": 1542,
    "score_kind": "logits",
    "evidence": "distributions",
    "votes_per_example": 100
  },
  "fingerprint": "00112233445566778899aabbccddeeff",
  "extra": {"owner": "a team", "ticket": [1, 2]}
}
)";

TEST(CalibratorFileVersion1, LoadsForEver) {
  const LoadedCalibrator loaded = calibrator_from_json(kVersion1, "version-1.json");
  const Calibrator& c = loaded.calibrator;
  EXPECT_EQ(c.method, "every map in turn");
  EXPECT_EQ(c.gauge, Gauge::raw);
  EXPECT_EQ(c.class_count, 3U);
  EXPECT_EQ(c.classes, (std::vector<std::string>{"entailment", "neutral", "contradiction"}));
  ASSERT_EQ(c.stages.size(), 8U);

  const auto expect_stage = [&](std::size_t s, const TargetSpec& target, const MapSpec& map,
                                Stop stop, const std::vector<double>& theta) {
    SCOPED_TRACE(s);
    EXPECT_EQ(c.stages[s].target, target);
    EXPECT_EQ(c.stages[s].map, map);
    EXPECT_EQ(c.stages[s].report.stop, stop);
    EXPECT_EQ(c.stages[s].theta, theta);
  };
  expect_stage(0, Annotators{}, MatrixAffine{.lambda = 1e-3, .mu = 1e-3}, Stop::rounding_floor,
               {0.7, -0.1, 1e-7, -0.2, 0.9, 1.0 / 3.0, -0.5, -0.8, 1.0, 0.25, -0.5, 0.25});
  expect_stage(1, Sampled{.draws = 3}, Temperature{}, Stop::converged, {0.4});
  expect_stage(2, Smoothed{.rule = Epsilon::fixed, .fixed = 0.1}, ClassTemperatures{},
               Stop::at_bound, {0.5, 0.25, 2.0});
  expect_stage(3, Smoothed{.rule = Epsilon::mean_complement}, DiagonalAffine{},
               Stop::iteration_limit, {1, 2, 3, -1, 0, 1});
  expect_stage(4, Smoothed{.rule = Epsilon::class_complement}, AdaptiveTemperature{.l2 = 1e-3},
               Stop::no_minimiser, {0.1, -0.2, 0.3, -0.4, 0.5});
  expect_stage(5, Smoothed{.rule = Epsilon::prediction_entropy}, TopLabelIsotonic{}, Stop::direct,
               {0.5, 0.75, 0.25, 0.625, 1.0});
  expect_stage(6, Voted{}, TopLabelHistogram{.bins = 4}, Stop::direct, {-1.0, 0.25, 0.5, 1.0});
  expect_stage(7, NoTarget{}, Identity{}, Stop::direct, {});

  EXPECT_EQ(c.stages[0].report.passes, 9);
  EXPECT_EQ(c.stages[0].report.loss, 0.8943579586101953);
  EXPECT_EQ(c.stages[0].report.gradient_norm, 2.5e-12);
  EXPECT_EQ(c.stages[0].report.notes, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(loaded.info.seed, 42U);
  EXPECT_EQ(loaded.info.rows, 1542U);
  EXPECT_EQ(loaded.info.score_kind, "logits");
  EXPECT_EQ(loaded.info.evidence, "distributions");
  EXPECT_EQ(loaded.info.votes_per_example, 100.0);
  EXPECT_EQ(loaded.info.fingerprint, "00112233445566778899aabbccddeeff");
}

}  // namespace
}  // namespace credence::io
