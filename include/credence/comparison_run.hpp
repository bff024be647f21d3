// A comparison and an ablation from loaded data to results and files: what every front end does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/ablate.hpp"
#include "credence/compare.hpp"
#include "credence/io.hpp"
#include "credence/results.hpp"
#include "credence/row_files.hpp"
#include "credence/row_work.hpp"

namespace credence::report {

struct NamedText {
  std::string name, text;
};

/// One set of rows to split, or calibration and test rows of their own.
struct ComparisonData {
  std::shared_ptr<const io::LoadedDataset> data;  ///< to split, or to calibrate on
  std::shared_ptr<const io::LoadedDataset> test;  ///< null when `data` are split
  std::vector<std::size_t> test_rows;  ///< of `test` in the score file, where they are known
};
/// Rows to split.
ComparisonData comparison_data(std::shared_ptr<const io::LoadedDataset> data);
/// Test rows of their own; their classes are brought into the order of the others.
ComparisonData comparison_data(std::shared_ptr<const io::LoadedDataset> data,
                               io::LoadedDataset test);
/// Calibrates on the listed rows of the score file and tests on all others. The list is a file of
/// that name, or `given` under that name.
ComparisonData load_by_calibration_rows(
    const io::DatasetFiles& files, const std::string& list,
    const std::optional<std::vector<std::size_t>>& given = std::nullopt);

struct ComparisonRun {
  Comparison comparison;
  Results results;
};
/// `origin` is that of `data`; what was noted about the test data is added.
ComparisonRun run_comparison(const ComparisonData& data, const CompareOptions& options,
                             Provenance origin);

/// The same on rows elsewhere.
struct ComparisonInPasses {
  ComparisonRun run;
  io::DataFacts calibration;  ///< of the calibration rows of the first split
};
/// Gives the facts of the rows whose tag is not 0.
using CalibrationFacts = std::function<io::DataFacts(std::span<const std::uint8_t> tags)>;
ComparisonInPasses run_comparison(RowWorker& rows, RowsElsewhere limits,
                                  const CalibrationFacts& facts_of, const CompareOptions& options,
                                  const Provenance& origin, const std::string& order_doubt = {});
/// On rows that are read in passes: `rows` are those of `files`, watched or not; `memory` is what
/// they and the lists and sums over them may take.
ComparisonInPasses run_comparison(const io::FileRows& files, RowSource& rows, std::size_t memory,
                                  const CompareOptions& options, const Provenance& origin);
/// `all` are the facts of all rows.
std::vector<NamedText> comparison_files(const ComparisonInPasses& found, const io::DataFacts& all,
                                        ScoreKind kind);

/// The test examples of the first split, for a page and as the file evaluation.csv.
ExampleRecords example_records(const ComparisonRun& run, const ComparisonData& data);
std::string examples_csv(const ComparisonRun& run, const ComparisonData& data);

/// What calibrator files of the first split record.
io::CalibratorInfo calibrator_info(const ComparisonRun& run, const ComparisonData& data,
                                   ScoreKind kind);
/// results.csv, tables, calibrators, the calibration rows where they were chosen here, and
/// results.json. calibrator.json is what to use: the recommended method, fitted to all rows with
/// final_fit; calibrator-as-scored.json is then the one that the scores are of. candidate.json is
/// there when the candidate is not recommended.
std::vector<NamedText> comparison_files(const ComparisonRun& run, const ComparisonData& data,
                                        ScoreKind kind);

/// The same wherever the rows were: `scored` is what calibrators of the first split record, `all()`
/// what those fitted to all rows do, asked for where there are some.
std::vector<NamedText> comparison_files(const ComparisonRun& run, const io::CalibratorInfo& scored,
                                        const std::function<io::CalibratorInfo()>& all);

/// Those of them that are not always there: what an earlier comparison left must not stay.
std::vector<std::string> optional_comparison_files();

/// The studies, and everything that is kept of them.
AblationRecord run_ablation(const Dataset& data, const AblateOptions& options,
                            const Provenance& origin);
/// results.csv, table.md and results.json.
std::vector<NamedText> ablation_files(const AblationRecord& ablation);

/// The file of that name; none is an Error(usage).
const std::string& text_of(const std::vector<NamedText>& files, std::string_view name);

}  // namespace credence::report
