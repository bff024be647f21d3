#include "credence/compare.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <utility>

#include "bindings.hpp"
#include "calibrator.hpp"
#include "credence/aligned_calibrator.hpp"
#include "credence/comparison_files.hpp"
#include "credence/output.hpp"
#include "credence/report.hpp"
#include "inputs.hpp"
#include "words.hpp"
#include "work.hpp"

namespace credence::python {
namespace {

/// What is left of a comparison when the data are gone.
struct PyComparison {
  std::vector<report::NamedText> files;
  std::vector<std::pair<std::string, PyCalibrator>> calibrators;  ///< of the first split
  std::string recommended, examples;
  std::vector<std::string> answer, notes;

  const std::string& text(const std::string& name) const {
    for (const report::NamedText& file : files) {
      if (file.name == name) return file.text;
    }
    throw Error(ErrorCode::usage, "no file named '" + name + "'");
  }
};

void require_votes(const Inputs& inputs) {
  if (inputs.has_votes()) return;
  throw Error(ErrorCode::usage, "no annotations given to compare against",
              "give votes, or labels= when only voted labels are known");
}

std::shared_ptr<const Prepared> read_rows(io::DatasetFiles files,
                                          const std::vector<std::size_t>& rows) {
  files.given_rows = rows;
  files.rows = "calibration_rows";
  return std::make_shared<Prepared>(Prepared{io::load_dataset(files), {}});
}

/// Rows of the scores that judge when `listed` calibrate, where rows are known at all.
std::vector<std::size_t> judging_rows(const io::LoadedDataset& fitted,
                                      const io::LoadedDataset& judged,
                                      const std::vector<std::size_t>& listed) {
  std::vector<std::size_t> rows;
  if (judged.join.joined_by != "row") return rows;
  std::vector<bool> judges(judged.data.rows() + fitted.data.rows(), true);
  for (const std::size_t i : listed) judges[i] = false;
  for (std::size_t i = 0; i < judges.size(); ++i) {
    if (judges[i]) rows.push_back(i);
  }
  return rows;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

PyComparison summarise(const Comparison& comparison, const Inputs& inputs,
                       const io::LoadedDataset& data, report::Provenance origin) {
  PyComparison result;
  const std::string results = report::results_json(comparison, origin);
  const ScoreKind kind = inputs.files.scores.kind;
  result.files = report::comparison_files(comparison, data.data, kind, results);
  const SplitResult& first = comparison.splits.front();
  const bool split_here = !first.split.calibration.empty();
  const io::CalibratorInfo info = io::calibrator_info(
      split_here ? data.data.select(first.split.calibration) : data.data, kind, first.seed);
  for (const MethodResult& method : first.methods) {
    if (method.oracle) continue;
    result.calibrators.emplace_back(method.name, PyCalibrator{{method.calibrator, info}, {}});
  }
  result.recommended = first.recommended;
  result.answer = report::answer(comparison);
  result.notes = std::move(origin.notes);
  return result;
}

PyComparison compare_inputs(const Inputs& inputs, const std::optional<Inputs>& test,
                            const std::optional<std::vector<std::size_t>>& calibration_rows,
                            const std::string& calibration_rows_path, CompareOptions options,
                            bool examples, const nb::object& progress) {
  require_votes(inputs);
  if (test) require_votes(*test);
  PyComparison result;
  run(progress, [&](Monitor& monitor) {
    const std::shared_ptr<const Prepared> prepared =
        calibration_rows ? read_rows(inputs.files, *calibration_rows) : inputs.read();
    const io::LoadedDataset& data = prepared->loaded;
    std::optional<io::LoadedDataset> judged;
    std::vector<std::size_t> judged_rows;
    if (calibration_rows) {
      io::DatasetFiles rest = inputs.files;
      rest.given_skip_rows = calibration_rows;
      rest.skip_rows = "calibration_rows";
      judged = io::load_dataset(rest);
      judged_rows = judging_rows(data, *judged, *calibration_rows);
    } else if (test) {
      judged = test->read()->loaded;
      io::align_classes(judged->data, data.data.classes);
    }
    options.progress = [&monitor](double share, const std::string& what) {
      return monitor.report(share, what);
    };
    const Comparison comparison =
        judged ? compare(data.data, judged->data, options) : compare(data.data, options);
    std::vector<std::string> words;
    if (test) append(words, input_words(*test, "test-"));
    if (calibration_rows) append(words, {"--calibration-rows", calibration_rows_path});
    append(words, words_of(options));
    report::Provenance origin = provenance("compare", inputs, data, words);
    if (judged) append(origin.notes, judged->join.notes);
    result = summarise(comparison, inputs, data, std::move(origin));
    if (!examples) return;
    const Split& split = comparison.splits.front().split;
    const bool split_here = !split.calibration.empty();
    result.examples = report::examples_csv(
        comparison, split_here ? data.data.select(split.evaluation) : judged->data,
        split_here ? split.evaluation : judged_rows);
  });
  return result;
}

void save(const PyComparison& self, const std::string& path) {
  io::OutputFolder folder(path);
  if (!self.examples.empty()) folder.add("evaluation.csv", self.examples);
  for (const report::NamedText& file : self.files) folder.add(file.name, file.text);
  folder.commit();
}

}  // namespace

void bind_compare(nb::module_& module) {
  nb::class_<PyComparison>(module, "Comparison")
      .def("text", &PyComparison::text, nb::arg("name"))
      .def("save", &save, nb::arg("folder"))
      .def_ro("calibrators", &PyComparison::calibrators)
      .def_ro("recommended", &PyComparison::recommended)
      .def_ro("examples", &PyComparison::examples)
      .def_ro("answer", &PyComparison::answer)
      .def_ro("notes", &PyComparison::notes);
  module.def("compare", &compare_inputs, nb::arg("inputs"), nb::arg("test").none(),
             nb::arg("calibration_rows").none(), nb::arg("calibration_rows_path"),
             nb::arg("options"), nb::arg("examples"), nb::arg("progress").none());
}

}  // namespace credence::python
