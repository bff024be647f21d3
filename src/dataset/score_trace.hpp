// What scores leave in a calibrator's file, their part of the fingerprint and a sketch of the rows,
// and which classes they predict. All look at some rows while these are in the nearest cache.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "credence/dataset.hpp"
#include "credence/overlap.hpp"
#include "dataset/fingerprint.hpp"

namespace credence {

struct ScoreTrace {
  HashTree hashes;
  RowSketch sketch;
  std::vector<std::uint32_t> predicted;  ///< empty where not every row will be asked about
};

ScoreTrace trace_scores(Scores scores);
/// The same with predicted classes, for likely_class_order(), while it is found out that every
/// score is finite; null where one is not.
std::shared_ptr<const ScoreTrace> trace_finite_scores(Scores scores);

}  // namespace credence
