// How `auto` chose, as a calibrator file says it.
#pragma once

#include "credence/calibrator.hpp"
#include "io/json/json_node.hpp"

namespace credence::io {

Json selection_to_json(const Selection& selection);
Selection selection_from_json(const JsonNode& node);

}  // namespace credence::io
