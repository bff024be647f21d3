#include "credence/compare.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <utility>

#include "bindings.hpp"
#include "bytes.hpp"
#include "calibrator.hpp"
#include "credence/aligned_calibrator.hpp"
#include "credence/comparison_run.hpp"
#include "credence/options.hpp"
#include "credence/output.hpp"
#include "credence/page.hpp"
#include "credence/report.hpp"
#include "inputs.hpp"
#include "rows.hpp"
#include "words.hpp"
#include "work.hpp"

namespace credence::python {
namespace {

/// What is left of a comparison when the data are gone.
struct PyComparison {
  report::Results results;
  std::vector<report::NamedText> files;
  std::vector<std::pair<std::string, PyCalibrator>> calibrators;  ///< of the first split
  std::optional<PyCalibrator> final_calibrator;  ///< what is recommended, fitted to all rows
  std::string examples_csv;                                       ///< empty unless kept
  std::optional<report::ExampleRecords> examples;
  std::vector<std::string> notes;  ///< of reading and joining

  /// For drawing, with some of the examples.
  report::Results drawn(std::size_t embed_examples) const {
    report::Results copy = results;
    if (examples && embed_examples > 0) copy.examples = report::thinned(*examples, embed_examples);
    return copy;
  }
};

void require_votes(const Inputs& inputs) {
  if (inputs.has_votes()) return;
  throw Error(ErrorCode::usage, "no annotations given to compare against",
              "give votes, or labels= when only majority labels are known");
}

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// What was read, kept alive by what it is a part of.
std::shared_ptr<const io::LoadedDataset> loaded(const Inputs& inputs) {
  const std::shared_ptr<const Prepared> prepared = inputs.read();
  return {prepared, &prepared->loaded()};
}

PyComparison compare_inputs(const Inputs& inputs, const std::optional<Inputs>& test,
                            const std::optional<std::vector<std::size_t>>& calibration_rows,
                            const std::string& calibration_rows_path, CompareOptions options,
                            bool examples, const nb::object& progress) {
  require_votes(inputs);
  if (test) require_votes(*test);
  PyComparison result;
  run(progress, [&](Monitor& monitor) {
    const report::ComparisonData data =
        calibration_rows
            ? report::load_by_calibration_rows(inputs.files, "calibration_rows", calibration_rows)
        : test ? report::comparison_data(loaded(inputs), test->read()->loaded())
               : report::comparison_data(loaded(inputs));
    options.progress = [&monitor](double share, const std::string& what) {
      return monitor.report(share, what);
    };
    monitor.warn(cautions_before(options.methods, data.data->data.rows(),
                                 data.data->data.classes_count()));
    result.notes = data.data->join.notes;
    if (data.test != nullptr) append(result.notes, data.test->join.notes);
    std::vector<std::string> words;
    if (test) append(words, test_words(*test));
    if (calibration_rows) append(words, {flag_of(Option::calibration_rows), calibration_rows_path});
    append(words, words_of(options));
    report::ComparisonRun found =
        report::run_comparison(data, options, provenance("compare", inputs, *data.data, words));
    const ScoreKind kind = inputs.files.scores.kind;
    result.files = report::comparison_files(found, data, kind);
    const io::CalibratorInfo info = report::calibrator_info(found, data, kind);
    for (const MethodResult& method : found.comparison.splits.front().methods) {
      if (method.oracle) continue;
      result.calibrators.emplace_back(method.name, PyCalibrator{{method.calibrator, info}, {}});
    }
    if (!found.comparison.final_calibrators.empty()) {
      const io::CalibratorInfo all =
          io::calibrator_info(data.data->data, kind, found.comparison.splits.front().seed);
      result.final_calibrator = PyCalibrator{{found.comparison.final_calibrators.front(), all}, {}};
    }
    if (examples) {
      result.examples = report::example_records(found, data);
      result.examples_csv = report::examples_csv(found, data);
    }
    result.results = std::move(found.results);
  });
  return result;
}

/// Rows elsewhere. `facts` are those of all rows, and facts_of(tags) gives those of the rows whose tag
/// is not 0; without them, calibrators record no fingerprint.
PyComparison compare_rows(PyRows& rows, CompareOptions options, const std::string& input,
                          std::size_t memory, const nb::object& progress,
                          const std::optional<nb::bytes>& facts, const nb::object& facts_of,
                          const std::string& joined_by) {
  PyComparison result;
  const ScoreKind kind = read_kind(input);
  const RowsInfo about = rows.worker().info();
  const auto read = [&](const nb::bytes& bytes) {
    return io::facts_of(io::row_facts_from_bytes(from_python(bytes)), about.class_names);
  };
  io::DataFacts all;
  all.rows = about.rows;
  all.evidence = about.evidence;
  if (facts) all = read(*facts);
  run(progress, [&](Monitor& monitor) {
    monitor.warn(cautions_before(options.methods, about.rows, about.classes));
    options.progress = [&monitor](double share, const std::string& what) {
      return monitor.report(share, what);
    };
    const report::CalibrationFacts facts_of_tagged = [&](std::span<const std::uint8_t> tags) {
      if (!facts) return io::DataFacts{};
      const nb::gil_scoped_acquire acquire;
      const nb::bytes given(reinterpret_cast<const char*>(tags.data()), tags.size());
      return read(nb::cast<nb::bytes>(facts_of(given)));
    };
    io::JoinReport join;
    join.joined_by = joined_by;
    join.classes_matched = about.class_names.empty() ? "assumed" : "given";
    RowsElsewhere limits;
    limits.listed_bytes = memory / 2;
    limits.sums_bytes = memory / 4;
    report::ComparisonInPasses found =
        report::run_comparison(rows.worker(), std::move(limits), facts_of_tagged, options,
                               report::provenance_of(join, all.fingerprint, about.class_names, kind,
                                                     {"credence", "compare"}));
    const Comparison& comparison = found.run.comparison;
    const SplitResult& first = comparison.splits.front();
    if (!facts) {
      found.calibration.rows = first.calibration_rows;
      found.calibration.votes_per_example = comparison.calibration.votes_per_example;
    }
    result.files = report::comparison_files(found, all, kind);
    const io::CalibratorInfo scored = io::calibrator_info(found.calibration, kind, first.seed);
    for (const MethodResult& method : first.methods) {
      if (method.oracle) continue;
      result.calibrators.emplace_back(method.name, PyCalibrator{{method.calibrator, scored}, {}});
    }
    if (!comparison.final_calibrators.empty()) {
      result.final_calibrator = PyCalibrator{
          {comparison.final_calibrators.front(), io::calibrator_info(all, kind, first.seed)}, {}};
    }
    result.results = std::move(found.run.results);
  });
  return result;
}

void save(const PyComparison& self, const std::string& path) {
  io::OutputFolder folder(path);
  if (self.examples) folder.add("evaluation.csv", self.examples_csv);
  for (const report::NamedText& file : self.files) folder.add(file.name, file.text);
  for (const std::string& name : report::optional_comparison_files()) folder.replace(name);
  folder.commit();
}

}  // namespace

void bind_compare(nb::module_& module) {
  nb::class_<PyComparison>(module, "Comparison")
      .def(
          "text",
          [](const PyComparison& self, const std::string& name) {
            return report::text_of(self.files, name);
          },
          nb::arg("name"))
      .def("save", &save, nb::arg("folder"))
      .def(
          "drawn",
          [](const PyComparison& self, const report::PageOptions& options) {
            return self.drawn(options.embed_examples);
          },
          nb::arg("options"), "The results for drawing, with some of the examples.")
      .def_ro("calibrators", &PyComparison::calibrators)
      .def_ro("final_calibrator", &PyComparison::final_calibrator)
      .def_prop_ro("recommended", [](const PyComparison& self) { return self.results.recommended; })
      .def_prop_ro("has_examples",
                   [](const PyComparison& self) { return self.examples.has_value(); })
      .def_prop_ro("answer", [](const PyComparison& self) { return self.results.words; })
      .def_prop_ro("notes",
                   [](const PyComparison& self) { return render(self.notes, Speech::python); });
  module.def("compare", &compare_inputs, nb::arg("inputs"), nb::arg("test").none(),
             nb::arg("calibration_rows").none(), nb::arg("calibration_rows_path"),
             nb::arg("options"), nb::arg("examples"), nb::arg("progress").none());
  module.def("compare_rows", &compare_rows, nb::arg("rows"), nb::arg("options"), nb::arg("input"),
             nb::arg("memory"), nb::arg("progress").none(), nb::arg("facts").none(),
             nb::arg("facts_of").none(), nb::arg("joined_by"));
}

}  // namespace credence::python
