// What an opaque credence_calibrator is.
#pragma once

#include <cstddef>
#include <optional>

#include "credence/credence.h"
#include "credence/dataset.hpp"
#include "credence/io.hpp"

namespace credence::c {

/// Numbers that are copied at a time: they stay in the nearest caches.
inline constexpr std::size_t kBlockNumbers = 4096;
/// Up to this size, scratch memory is taken when a thread first applies a calibrator, so that its
/// second call needs none even when it has more rows. That is enough for 8,192 classes.
inline constexpr std::size_t kPreparedBytes = std::size_t{1} << 20;

}  // namespace credence::c

struct credence_calibrator {
  credence::io::LoadedCalibrator loaded;
  std::optional<credence::ScoreKind> fitted_kind;
  std::size_t block_rows = 0;   ///< rows that are copied at a time
  std::size_t lease_bytes = 0;  ///< scratch memory to have ready, 0 for very many classes
};
