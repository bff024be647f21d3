// What the results files of `compare` and `ablate` say alike.
#pragma once

#include <string>

#include "credence/compare.hpp"
#include "credence/results.hpp"

namespace credence::report {

AnnotationRecord annotation_record(const AnnotationSummary& summary);
/// How rows are divided when nobody says which calibrate.
std::string how_rows_split(const AnnotationSummary& data);
std::string gauge_word(Gauge gauge);

}  // namespace credence::report
