// The pieces of a calibrator file; docs/calibrator-file.md describes the whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "credence/calibrator.hpp"
#include "credence/files.hpp"
#include "credence/map.hpp"
#include "credence/matrix.hpp"
#include "io/json/json_node.hpp"

namespace credence::io {

inline constexpr std::string_view kCalibratorFormat = "credence-calibrator";
/// Of several models.
inline constexpr std::string_view kPanelFormat = "credence-panel";

/// The learned numbers of a map under names of their own. A vector of the wrong size or a number
/// that is not finite is an Error(model): such a file could not be read back.
Json parameters_to_json(const MapSpec& map, Params theta, std::size_t classes);

/// The inverse: checks sizes, ranges and order, naming the place of the first thing wrong.
std::vector<double> parameters_from_json(const MapSpec& map, const JsonNode& node,
                                         std::size_t classes);

/// How a fit ended.
Json report_to_json(const FitReport& report);
FitReport report_from_json(const JsonNode& node);

/// How sure the predictions are (second_order_json.cpp).
Json second_order_to_json(const SecondOrder& model);
SecondOrder second_order_from_json(const JsonNode& node);

}  // namespace credence::io
