#include "credence/comparison_files.hpp"

#include <fmt/format.h>

#include "credence/aligned_calibrator.hpp"
#include "credence/report.hpp"

namespace credence::report {

std::vector<NamedText> comparison_files(const Comparison& comparison, const Dataset& data,
                                        ScoreKind kind, const std::string& results_json) {
  const SplitResult& first = comparison.splits.front();
  const bool split_here = !first.split.calibration.empty();
  const io::CalibratorInfo info = io::calibrator_info(
      split_here ? data.select(first.split.calibration) : data, kind, first.seed);
  std::vector<NamedText> files{
      {"results.csv", results_csv(comparison)},
      {"table.md", table_markdown(comparison)},
      {"table.tex", table_latex(comparison)},
      {"calibrator.json",
       io::calibrator_to_json(first.method(first.recommended).calibrator, info)}};
  if (split_here) {
    files.push_back(
        {"calibration_rows.txt", fmt::format("{}\n", fmt::join(first.split.calibration, "\n"))});
  }
  files.push_back({"results.json", results_json});
  return files;
}

}  // namespace credence::report
