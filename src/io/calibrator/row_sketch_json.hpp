// The trace of the calibration rows in a calibrator file. It stands under "extra", which readers
// ignore, so that programs that do not know it still read the file.
#pragma once

#include "credence/overlap.hpp"
#include "io/json/json_text.hpp"

namespace credence::io {

/// What the trace is called there. Files of before have other hashes under another name
/// (fitted_rows): what is seldom the same must not be compared.
inline constexpr const char* kSketchName = "calibration_rows";

Json sketch_to_json(const RowSketch& sketch);
/// An empty sketch for anything that is not one: "extra" may hold what others put there.
RowSketch sketch_from_json(const Json& extra);

}  // namespace credence::io
