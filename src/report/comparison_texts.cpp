// The files of a comparison, wherever its rows are.
#include <fmt/format.h>

#include <utility>

#include "credence/comparison_run.hpp"
#include "credence/report.hpp"

namespace credence::report {
namespace {

/// What to use, as calibrator.json; where that was fitted again to all rows, also the one that was
/// scored; where it is not the candidate, also that.
std::vector<NamedText> calibrator_files(const ComparisonRun& run, const io::CalibratorInfo& scored,
                                        const std::function<io::CalibratorInfo()>& info_of_all) {
  const SplitResult& first = run.comparison.splits.front();
  const std::vector<Calibrator>& again = run.comparison.final_calibrators;
  const auto text = [&](const Calibrator& calibrator, const io::CalibratorInfo& info) {
    return io::calibrator_to_json(calibrator, info);
  };
  std::vector<NamedText> files;
  if (again.empty()) {
    files.push_back({"calibrator.json", text(first.method(first.recommended).calibrator, scored)});
    if (first.candidate != first.recommended) {
      files.push_back({"candidate.json", text(first.method(first.candidate).calibrator, scored)});
    }
    return files;
  }
  const io::CalibratorInfo all = info_of_all();
  files.push_back({"calibrator.json", text(again.front(), all)});
  files.push_back(
      {"calibrator-as-scored.json", text(first.method(first.recommended).calibrator, scored)});
  if (again.size() > 1) files.push_back({"candidate.json", text(again.back(), all)});
  return files;
}

}  // namespace

std::vector<NamedText> comparison_files(const ComparisonRun& run, const io::CalibratorInfo& scored,
                                        const std::function<io::CalibratorInfo()>& all) {
  const SplitResult& first = run.comparison.splits.front();
  std::vector<NamedText> files{{"results.csv", results_csv(run.results)},
                               {"table.md", table_markdown(run.results)},
                               {"table.tex", table_latex(run.results)}};
  for (NamedText& file : calibrator_files(run, scored, all)) files.push_back(std::move(file));
  if (!first.split.calibration.empty()) {
    files.push_back(
        {"calibration_rows.txt", fmt::format("{}\n", fmt::join(first.split.calibration, "\n"))});
  }
  files.push_back({"results.json", results_json(run.results, run.comparison.protocol.threads)});
  return files;
}

}  // namespace credence::report
