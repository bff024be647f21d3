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

/// From this many classes on a row fills lanes of its own.
inline constexpr std::size_t kLongRow = 32;

inline constexpr std::size_t kCompressRoom = 16;

struct ArrayKernels {
  const char* name;
  /// The class with the largest score of each row, the lowest on ties.
  void (*top_of_rows)(const float* scores, std::size_t rows, std::size_t classes,
                      std::uint32_t* top);
  /// Of rows of fewer than kLongRow counts: their totals, the class with most, the lowest on ties,
  /// and whether another has as many. False unless all counts are whole and not negative, and every
  /// total is above 0 and so small that float32 holds it.
  bool (*sum_counts)(const float* counts, std::size_t rows, std::size_t classes, double* total,
                     std::uint32_t* winner, unsigned char* tied);
  /// Which counts of each row are not 0 and how many they are, one row after the other, and where
  /// each row ends; returns how many there are in all. Up to kCompressRoom numbers behind them are
  /// overwritten. Null where the instruction set has nothing for it.
  std::size_t (*compress_counts)(const float* counts, std::size_t rows, std::size_t classes,
                                 std::uint32_t* names, double* weights, std::size_t* ends);
  /// Bit j % 64 of bits[j / 64] is set where p[j] is not 0 (a NaN is not), for `count` numbers, at
  /// least 64. Null likewise.
  void (*nonzero_bits)(const float* p, std::size_t count, std::uint64_t* bits);
  /// Largest probability of softmax(z) and its class (lowest index on ties), with the exponentials
  /// and the bits of TileKernels::exp_from_top.
  void (*top_accurate)(const float* scores, std::size_t rows, std::size_t classes,
                       double* confidence, std::uint32_t* top);
  /// The class with the largest score of a row, and in float32 what the exponentials of the others
  /// add up to beside its own, 1 / confidence - 1; RoughOthers (fit/passes) says how far off it may
  /// be. NaN where two scores are nearly equal, or one is not finite.
  void (*top_roughly)(const float* scores, std::size_t rows, std::size_t classes, float* others,
                      std::uint32_t* top);
  /// Largest of given probabilities and its class (lowest index on ties); returns ProbabilityFacts.
  unsigned (*top_probability_f32)(const float* p, std::size_t rows, std::size_t classes,
                                  double* confidence, std::uint32_t* top);
  unsigned (*top_probability_f64)(const double* p, std::size_t rows, std::size_t classes,
                                  double* confidence, std::uint32_t* top);
  /// For each row the sum of the hashes of the three numbers next to the largest, or of fewer where
  /// it has no more, whatever the order of the classes: each is how many steps of 1 / `steps` it is
  /// below the largest, at most `lowest` (negative) below; at most 2^31 steps.
  void (*hash_rows)(const float* scores, std::size_t rows, std::size_t classes, double steps,
                    double lowest, std::uint64_t* out);
  /// hash_rows and top_roughly, to the same bits.
  void (*look_at_rows)(const float* scores, std::size_t rows, std::size_t classes, double steps,
                       double lowest, std::uint64_t* hashes, float* others, std::uint32_t* top);
  /// Adds bytes to an XXH3_state_t of 128 bits.
  void (*hash_bytes)(void* state, const void* bytes, std::size_t count);
  /// softmax(b z), row-major, computed in double and rounded.
  void (*softmax_rounded)(const float* scores, std::size_t rows, std::size_t classes, double b,
                          float* out);
};

void available_array_kernels(const ArrayKernels* (&sets)[kMostKernels + 1]);

/// Those for the instruction set of kernels().
const ArrayKernels& array_kernels();

}  // namespace credence::core
