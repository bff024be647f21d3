// From a calibrator to nodes: scores -> what the first stage reads -> stages -> result. Classes are
// on the last axis, whatever the number of axes, and the same nodes serve every opset from 11 on.
#pragma once

#include <cstddef>
#include <string>

#include "credence/calibrator.hpp"
#include "credence/export.hpp"
#include "export/graph_builder.hpp"

namespace credence::exporter {

/// The type in which a graph computes that reads and gives `precision`.
Type choose_arithmetic(const Calibrator& calibrator, Arithmetic wanted, Precision precision);

Type type_of(Precision precision);

/// Adds the whole calibrator. `scores` is a tensor of `precision`; so is the result.
std::string lower(const Calibrator& calibrator, GraphBuilder& graph, const std::string& scores,
                  ScoreKind kind, Precision precision, Result result);

}  // namespace credence::exporter
