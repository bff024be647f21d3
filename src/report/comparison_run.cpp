#include "credence/comparison_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "credence/aligned_calibrator.hpp"
#include "credence/error.hpp"
#include "credence/options.hpp"
#include "credence/report.hpp"

namespace credence::report {
namespace {

/// Rows of the score file that test when `listed` calibrate; empty where rows were joined by id.
std::vector<std::size_t> other_rows(const io::LoadedDataset& fitted, const io::LoadedDataset& test,
                                    const std::vector<std::size_t>& listed) {
  std::vector<std::size_t> rows;
  if (test.join.joined_by != "row") return rows;
  std::vector<bool> tests(test.data.rows() + fitted.data.rows(), true);
  for (const std::size_t i : listed) tests[i] = false;
  for (std::size_t i = 0; i < tests.size(); ++i) {
    if (tests[i]) rows.push_back(i);
  }
  return rows;
}

/// Calls use(test rows of the first split, their numbers in the score file).
template <class Use>
auto with_test_rows(const ComparisonRun& run, const ComparisonData& data, Use use) {
  if (data.test != nullptr) return use(data.test->data, data.test_rows);
  const Split& split = run.comparison.splits.front().split;
  return use(data.data->data.select(split.evaluation), split.evaluation);
}

/// What to use, as calibrator.json; where that was fitted again to all rows, also the one that was
/// scored; where it is not the candidate, also that.
std::vector<NamedText> calibrator_files(const ComparisonRun& run, const ComparisonData& data,
                                        ScoreKind kind) {
  const SplitResult& first = run.comparison.splits.front();
  const std::vector<Calibrator>& again = run.comparison.final_calibrators;
  const io::CalibratorInfo scored = calibrator_info(run, data, kind);
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
  const io::CalibratorInfo all = io::calibrator_info(data.data->data, kind, first.seed);
  files.push_back({"calibrator.json", text(again.front(), all)});
  files.push_back(
      {"calibrator-as-scored.json", text(first.method(first.recommended).calibrator, scored)});
  if (again.size() > 1) files.push_back({"candidate.json", text(again.back(), all)});
  return files;
}

}  // namespace

ComparisonData comparison_data(std::shared_ptr<const io::LoadedDataset> data) {
  return {std::move(data), nullptr, {}};
}

ComparisonData comparison_data(std::shared_ptr<const io::LoadedDataset> data,
                               io::LoadedDataset test) {
  io::align_classes(test.data, data->data.classes);
  return {std::move(data), std::make_shared<const io::LoadedDataset>(std::move(test)), {}};
}

ComparisonData load_by_calibration_rows(const io::DatasetFiles& files, const std::string& list,
                                        const std::optional<std::vector<std::size_t>>& given) {
  io::DatasetFiles fitted = files, tested = files;
  fitted.rows = tested.skip_rows = list;
  fitted.given_rows = tested.given_skip_rows = given;
  tested.rows.clear();
  ComparisonData data;
  data.data = std::make_shared<const io::LoadedDataset>(io::load_dataset(fitted));
  data.test = std::make_shared<const io::LoadedDataset>(io::load_dataset(tested));
  data.test_rows = other_rows(*data.data, *data.test, given ? *given : io::read_row_list(list));
  return data;
}

ComparisonRun run_comparison(const ComparisonData& data, const CompareOptions& options,
                             Provenance origin) {
  ComparisonRun run;
  run.comparison = data.test != nullptr ? compare(data.data->data, data.test->data, options)
                                        : compare(data.data->data, options);
  if (data.test != nullptr) {
    const auto notes = render(data.test->join.notes, Speech::command_line);
    origin.notes.insert(origin.notes.end(), notes.begin(), notes.end());
  }
  for (const auto& loaded : {data.test, data.data}) {
    if (loaded == nullptr || loaded->join.order_doubt.empty()) continue;
    run.comparison.warnings.insert(run.comparison.warnings.begin(), loaded->join.order_doubt);
  }
  run.results = results_of(run.comparison, origin);
  return run;
}

ExampleRecords example_records(const ComparisonRun& run, const ComparisonData& data) {
  return with_test_rows(run, data, [&](const Dataset& test, const auto& rows) {
    return example_records(run.comparison, test, rows);
  });
}

std::string examples_csv(const ComparisonRun& run, const ComparisonData& data) {
  return with_test_rows(run, data, [&](const Dataset& test, const auto& rows) {
    return examples_csv(run.comparison, test, rows);
  });
}

io::CalibratorInfo calibrator_info(const ComparisonRun& run, const ComparisonData& data,
                                   ScoreKind kind) {
  const SplitResult& first = run.comparison.splits.front();
  const std::vector<std::size_t>& rows = first.split.calibration;
  return io::calibrator_info(rows.empty() ? data.data->data : data.data->data.select(rows), kind,
                             first.seed);
}

std::vector<NamedText> comparison_files(const ComparisonRun& run, const ComparisonData& data,
                                        ScoreKind kind) {
  const SplitResult& first = run.comparison.splits.front();
  std::vector<NamedText> files{{"results.csv", results_csv(run.results)},
                               {"table.md", table_markdown(run.results)},
                               {"table.tex", table_latex(run.results)}};
  for (NamedText& file : calibrator_files(run, data, kind)) files.push_back(std::move(file));
  if (!first.split.calibration.empty()) {
    files.push_back(
        {"calibration_rows.txt", fmt::format("{}\n", fmt::join(first.split.calibration, "\n"))});
  }
  files.push_back({"results.json", results_json(run.results, run.comparison.protocol.threads)});
  return files;
}

std::vector<std::string> optional_comparison_files() {
  return {"calibrator-as-scored.json", "candidate.json", "calibration_rows.txt"};
}

AblationRecord run_ablation(const Dataset& data, const AblateOptions& options,
                            const Provenance& origin) {
  return ablation_record(ablate(data, options), options, summarise_annotations(data), origin);
}

std::vector<NamedText> ablation_files(const AblationRecord& ablation) {
  return {{"results.csv", ablation_csv(ablation)},
          {"table.md", ablation_markdown(ablation)},
          {"results.json", ablation_json(ablation)}};
}

const std::string& text_of(const std::vector<NamedText>& files, std::string_view name) {
  const auto found = std::ranges::find(files, name, &NamedText::name);
  if (found != files.end()) return found->text;
  throw Error(ErrorCode::usage, fmt::format("no file named '{}'", name));
}

}  // namespace credence::report
