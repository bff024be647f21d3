// Files beside a comparison's results.json, read back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "credence/results.hpp"

namespace credence::report {

/// results.json of `ablate`, as strictly as parse_results reads that of `compare`.
AblationRecord parse_ablation(std::string_view text, const std::string& origin);
/// "credence-results", "credence-ablation"; an Error for anything else.
std::string results_format(std::string_view text, const std::string& origin);

/// At most `most` examples of an evaluation.csv, evenly spaced, of all methods.
ExampleRecords read_examples(const std::string& path, std::size_t most);
/// The same from a text in memory, which must outlive the call.
ExampleRecords read_examples_text(std::string_view text, std::size_t most);
/// The evaluation points of the points.csv of `simulate toy`.
std::vector<ToyPointRecord> read_toy_points(const std::string& path);

}  // namespace credence::report
