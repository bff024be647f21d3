// The files that `compare` leaves behind, as texts.
#pragma once

#include <string>
#include <vector>

#include "credence/compare.hpp"
#include "credence/dataset.hpp"

namespace credence::report {

struct NamedText {
  std::string name, text;
};

/// results.csv, tables, the recommended calibrator, the rows it was fitted to where they were
/// chosen here, and results.json, which is given. `data` are those that were split, or calibrated
/// on.
std::vector<NamedText> comparison_files(const Comparison& comparison, const Dataset& data,
                                        ScoreKind kind, const std::string& results_json);

}  // namespace credence::report
