// The errors of the predicted class straight from arrays in memory.
#pragma once

#include <optional>

#include "credence/evaluate.hpp"
#include "credence/io.hpp"

namespace credence::report {

/// Empty where the data are not plain arrays, or where there is anything to say about them.
/// `factor` is the inverse temperature of logits; probabilities are taken as they are.
std::optional<TopErrors> top_errors_of_arrays(const io::DatasetFiles& files, double factor,
                                              bool calibrated, const MetricOptions& options);

}  // namespace credence::report
