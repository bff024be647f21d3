// The head that every results file begins with.
#pragma once

#include <string_view>

#include "credence/report.hpp"
#include "io/json/json_text.hpp"

namespace credence::report {

inline constexpr int kFormatVersion = 1;

/// format, version, program, command.
io::Json document_head(std::string_view format, const Provenance& provenance);
/// What is known of the data besides the numbers.
void add_origin(io::Json& protocol, const Provenance& provenance);
io::Json annotations_json(const AnnotationSummary& summary);
/// null where there is no finite value.
io::Json number_json(double value);
io::Json number_json(std::optional<double> value);
/// The metrics with their definitions.
io::Json metric_definitions();

}  // namespace credence::report
