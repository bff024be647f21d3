// The part of a model card that comes from a comparison.
#pragma once

#include <string>
#include <string_view>

#include "credence/io.hpp"
#include "credence/results.hpp"

namespace credence::report {

/// The method of the first split that is this calibrator, or that this one is the final fit of; an
/// Error when something about it says that the results are those of another one.
const MethodRecord& matching_method(const Results& results, const io::LoadedCalibrator& loaded);

/// Markdown table of scores and differences, and how they were measured.
std::string card_scores(const Results& results, const MethodRecord& method,
                        const io::CalibratorInfo& info);
/// The same values, exact, as the entries of `metrics:` in a YAML list.
std::string card_metrics_yaml(const MethodRecord& method);

/// Text that Markdown and HTML leave as it is, on one line.
std::string markdown_text(std::string_view text);

}  // namespace credence::report
