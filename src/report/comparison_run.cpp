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
  return comparison_files(run, calibrator_info(run, data, kind), [&] {
    return io::calibrator_info(data.data->data, kind, run.comparison.splits.front().seed);
  });
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
