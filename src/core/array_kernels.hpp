// Kernels for arrays as they come in: compiled and chosen like those of kernels.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/kernels.hpp"

namespace credence::core {

/// What rows of probabilities may be, as bits: nothing to note is 0.
enum ProbabilityFacts : unsigned {
  kOddProbabilities = 1,   ///< one outside [0, 1], or a sum that is not 1: look again, with care
  kTinyProbabilities = 2,  ///< one that is 0, or too small for a normal number
};

struct ArrayKernels {
  const char* name;
  /// The class with the largest score of a row, the lowest on ties.
  std::size_t (*top_of_row)(const float* scores, std::size_t classes);
  /// Largest of given probabilities and its class (lowest index on ties); returns ProbabilityFacts.
  unsigned (*top_probability_f32)(const float* p, std::size_t rows, std::size_t classes,
                                  double* confidence, std::uint32_t* top);
  unsigned (*top_probability_f64)(const double* p, std::size_t rows, std::size_t classes,
                                  double* confidence, std::uint32_t* top);
  /// Adds up a hash of every number of a row, whatever their order: each is how many steps of
  /// 1 / `steps` it is below the largest, at most `lowest` below.
  std::uint64_t (*hash_row)(const float* scores, std::size_t classes, double steps, double lowest);
  /// softmax(b z), row-major, computed in double and rounded.
  void (*softmax_rounded)(const float* scores, std::size_t rows, std::size_t classes, double b,
                          float* out);
};

void available_array_kernels(const ArrayKernels* (&sets)[kMostKernels + 1]);

/// Those for the instruction set of kernels().
const ArrayKernels& array_kernels();

}  // namespace credence::core
