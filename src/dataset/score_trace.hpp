// What scores leave in a calibrator's file, their part of the fingerprint and a sketch of the rows,
// and which classes they predict. All look at some rows while these are in the nearest cache.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "credence/dataset.hpp"
#include "credence/overlap.hpp"
#include "dataset/fingerprint.hpp"
#include "dataset/first_look.hpp"

namespace credence {

struct ScoreTrace {
  HashTree hashes;
  RowSketch sketch;
  std::vector<std::uint32_t> predicted;   ///< empty where not every row will be asked about
  std::shared_ptr<const FirstLook> look;  ///< where it was asked for

  std::span<const std::uint32_t> predicted_classes() const {
    return look ? std::span(look->top) : std::span(predicted);
  }
};

ScoreTrace trace_scores(Scores scores);
/// The same with predicted classes, for likely_class_order(), while it is found out that every
/// score is finite; null where one is not. `with_look`: and with a first look.
std::shared_ptr<const ScoreTrace> trace_finite_scores(Scores scores, bool with_look,
                                                      int threads = 1);

}  // namespace credence
