// Small calibrators of every map: what fuzzing starts from, and what it appends to networks.
#pragma once

#include <cstddef>
#include <vector>

#include "credence/calibrator.hpp"

namespace credence::fuzz {

inline Stage stage(MapSpec map, std::vector<double> theta) {
  return {.target = TargetSpec{}, .map = map, .theta = std::move(theta), .report = {}};
}

/// So many weights and biases, and a table of what annotators say.
inline std::vector<double> channelled(std::size_t front) {
  std::vector<double> theta(front, 0.25);
  for (const double share : {0.9, 0.1, 0.0, 0.0, 0.75, 0.25, 0.0, 0.0, 1.0}) theta.push_back(share);
  return theta;
}

/// For three classes.
inline std::vector<Calibrator> calibrators() {
  const std::vector<Stage> stages{
      stage(Identity{}, {}),
      stage(Temperature{}, {0.5}),
      stage(ClassTemperatures{}, {0.5, 1.0, 2.0}),
      stage(DiagonalAffine{}, {0.5, 1.0, 2.0, 0.1, 0.2, -0.3}),
      stage(MatrixAffine{}, {1.0, 0.1, 0.2, 0.3, 0.9, 0.1, 0.0, 0.2, 1.1, 0.1, 0.2, -0.3}),
      stage(AdaptiveTemperature{}, {0.1, 0.2, 0.3, 0.4, 0.5}),
      stage(Floor{}, {0.5, -3.0}),
      stage(AdaptiveFloor{}, {0.1, 0.2, 0.5, -3.0}),
      stage(RidgeLog{}, {1.0, 0.1, 0.2, 0.3, 0.9, 0.1, 0.0, 0.2, 1.1, 0.1, 0.2, -0.3}),
      stage(RidgeBoth{}, std::vector<double>(21, 0.25)),
      stage(RidgeSharp{}, std::vector<double>(30, 0.25)),
      stage(ChannelLog{}, channelled(12)),
      stage(ChannelBoth{}, channelled(21)),
      stage(Clip{}, {0.5, -20.0}),
      stage(Curves{}, std::vector<double>(33, 0.25)),
      stage(TopLabelIsotonic{}, {0.5, 0.75, 0.4, 0.6, 0.9}),
      stage(TopLabelHistogram{.bins = 4}, {0.3, -1.0, 0.6, 0.9}),
  };
  std::vector<Calibrator> all;
  for (const Stage& one : stages) {
    Calibrator calibrator;
    calibrator.method = "fuzz";
    calibrator.classes = {"a", "b", "c"};
    calibrator.class_count = 3;
    calibrator.stages = {one};
    all.push_back(calibrator);
  }
  all.push_back(all[stages.size() - 2]);
  all.back().stages.push_back(stages[4]);
  return all;
}

}  // namespace credence::fuzz
