// Results files, read back strictly: what is missing or of another kind is an Error that names the
// file and the path within it.
#pragma once

#include <string>
#include <string_view>

#include "report/results.hpp"

namespace credence::report {

/// A text of `compare`. Not one, or of a later version, is an Error.
Results parse_results(std::string_view text, const std::string& origin);
/// A text of `ablate`.
ReadAblation parse_ablation(std::string_view text, const std::string& origin);
/// "credence-results", "credence-ablation"; an Error for anything else.
std::string results_format(std::string_view text, const std::string& origin);

/// At most `most` examples of an evaluation.csv, evenly spaced, of all methods.
ReadExamples read_examples(const std::string& path, std::size_t most);
/// The same from a text in memory, which must outlive the call.
ReadExamples read_examples_text(std::string_view text, std::size_t most);
/// The evaluation points of the points.csv of `simulate toy`.
std::vector<ReadToyPoint> read_toy_points(const std::string& path);

}  // namespace credence::report
