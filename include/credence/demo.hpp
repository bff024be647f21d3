// Synthetic data with annotators who disagree and a model that does not know it: for trying things
// out before real files are at hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "credence/dataset.hpp"
#include "credence/matrix.hpp"

namespace credence {

struct DemoOptions {
  std::size_t rows = 4000;
  int annotators = 12;  ///< votes per example
  std::uint64_t seed = 42;
};

struct DemoData {
  Matrix<float> logits;
  Votes votes;
  std::vector<std::string> classes;
};

/// Five kinds of animals on blurred pictures. A picture is a point near its animal's place in a
/// plane; where the animals' Gaussians overlap (dog and wolf, cat and lynx) annotators genuinely
/// disagree, and each vote is drawn from their true distribution at that point. The model sees the
/// point with some noise and, as if trained on majority labels, is far too sure and partial to some
/// classes. Row i depends on (seed, i) only.
DemoData make_demo_data(const DemoOptions& options = {});

}  // namespace credence
