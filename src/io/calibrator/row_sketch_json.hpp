// The trace of the calibration rows in a calibrator file. It stands under "extra", which readers
// ignore, so that programs that do not know it still read the file.
#pragma once

#include "credence/overlap.hpp"
#include "io/json/json_text.hpp"

namespace credence::io {

Json sketch_to_json(const RowSketch& sketch);
/// An empty sketch for anything that is not one: "extra" may hold what others put there.
RowSketch sketch_from_json(const Json& extra);

}  // namespace credence::io
