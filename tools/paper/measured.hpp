// Everything that docs/paper.md says about real data, measured once.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "credence/ablate.hpp"
#include "credence/compare.hpp"
#include "credence/simulate.hpp"

namespace credence::paper {

struct RealSet {
  std::string name, title;
  Comparison comparison;                 ///< five splits
  std::vector<AblationResult> ablation;  ///< five seeds; empty where it was not run
};

struct Measured {
  std::vector<RealSet> sets;
  std::vector<ToyScore> toy;
};

/// Reads data/<set>/ below `root`. Prints what it is doing to standard error.
Measured measure(const std::string& root);

}  // namespace credence::paper
