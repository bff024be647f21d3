// Scores that are in memory already.
#pragma once

#include <memory>

#include "credence/io.hpp"

namespace credence::io {

constexpr bool is_floating(NumberType type) {
  return type == NumberType::f16 || type == NumberType::bf16 || type == NumberType::f32 ||
         type == NumberType::f64;
}

/// Reads what `file` has been given instead of a file.
std::unique_ptr<ScoreReader> open_given_scores(const ScoreFile& file);

}  // namespace credence::io
