// A fitted calibrator with what its file records.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "credence/io.hpp"

namespace credence::python {

struct PyCalibrator {
  io::LoadedCalibrator loaded;
  std::vector<std::string> notes;  ///< of reading the data it was fitted to
  std::string json() const { return io::calibrator_to_json(loaded.calibrator, loaded.info); }
};

}  // namespace credence::python
