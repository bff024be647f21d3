// What the files of several verbs say alike.
#pragma once

#include <string>
#include <vector>

#include "credence/compare.hpp"
#include "credence/results.hpp"

namespace credence::report {

/// Bins with their edges; `spreads` has one per bin, or none.
std::vector<BinRecord> bin_records(const Evaluation& evaluation,
                                   const std::vector<BinSpread>& spreads = {});
std::vector<EntropyBinRecord> entropy_bin_records(const Evaluation& evaluation);
std::vector<DisagreementBinRecord> disagreement_bin_records(const Evaluation& evaluation);

AnnotationRecord annotation_record(const AnnotationSummary& summary);
/// How rows are divided when nobody says which calibrate.
std::string how_rows_split(const AnnotationSummary& data);

}  // namespace credence::report
