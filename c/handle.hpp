// What an opaque credence_calibrator is.
#pragma once

#include <optional>

#include "credence/credence.h"
#include "credence/dataset.hpp"
#include "credence/io.hpp"

struct credence_calibrator {
  credence::io::LoadedCalibrator loaded;
  std::optional<credence::ScoreKind> fitted_kind;
};
