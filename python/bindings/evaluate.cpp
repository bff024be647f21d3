#include "credence/evaluation_report.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <utility>

#include "bindings.hpp"
#include "bytes.hpp"
#include "calibrator.hpp"
#include "credence/inspect.hpp"
#include "credence/options.hpp"
#include "inputs.hpp"
#include "work.hpp"

namespace credence::python {
namespace {

/// What is left of an evaluation when the data are gone.
struct PyEvaluation {
  std::string json;
  std::vector<MetricValue> metrics;
  std::vector<std::string> notes;
  std::string subgroup_figure;  ///< empty without subgroups
};

void require_votes(const Inputs& inputs) {
  if (inputs.has_votes()) return;
  throw Error(ErrorCode::usage, "no annotations given to score against",
              "give votes, or labels= when only majority labels are known");
}

PyEvaluation evaluate_inputs(const Inputs& inputs, const std::optional<PyCalibrator>& model,
                             const MetricOptions& metrics, const BootstrapOptions& bootstrap,
                             int threads, const nb::object& progress) {
  require_votes(inputs);
  PyEvaluation result;
  run(progress, [&](Monitor& monitor) {
    const io::ScoreFile& file = inputs.files.scores;
    report::EvaluationOptions options{
        .metrics = metrics, .bootstrap = bootstrap, .threads = threads};
    options.progress = [&monitor](double done) { return monitor.report(done, "resampling"); };
    io::LoadedDataset loaded =
        io::load_dataset(inputs.files, {.keep_probabilities = !model && file.kind == ScoreKind::probs});
    std::optional<io::LoadedCalibrator> calibrator;
    if (model) calibrator = model->loaded;
    const report::EvaluationResult found = report::evaluate(
        std::move(loaded), file.kind, std::move(calibrator), "the calibrator", file.path, options);
    result.json = report::evaluation_json(found);
    result.metrics = found.evaluation.metrics;
    result.notes = report::cautions(found);
    if (found.subgroups) result.subgroup_figure = report::subgroups_figure(found);
  });
  return result;
}

nb::dict top_errors(const Inputs& inputs, const std::optional<PyCalibrator>& model,
                    MetricOptions options, int threads) {
  require_votes(inputs);
  options.threads = threads;
  TopErrors errors;
  const auto score = [&] {
    const io::ScoreFile& file = inputs.files.scores;
    std::optional<io::LoadedCalibrator> calibrator;
    if (model) calibrator = model->loaded;
    // Files that are read once need no memory for their rows.
    if (!inputs.prepared) {
      const Calibrator* const given = model ? &model->loaded.calibrator : nullptr;
      if (const auto found = report::top_errors(inputs.files, given, options)) {
        errors = *found;
        return;
      }
    }
    // Probabilities that are scored as they were given need no logarithms.
    const bool as_given = !model && file.kind == ScoreKind::probs;
    if (as_given && inputs.prepared && inputs.prepared->probabilities_are_in_place()) {
      const Votes& votes = inputs.prepared->as_read().data.votes;
      if (const auto found = report::top_errors(*file.given->array, votes, options)) {
        errors = *found;
        return;
      }
    }
    const std::shared_ptr<const Prepared> prepared = inputs.read(as_given);
    errors = report::top_errors(as_given ? prepared->as_read() : prepared->loaded(), file.kind,
                                std::move(calibrator), "the calibrator", file.path, options);
  };
  if (inputs.are_arrays()) {
    run_here(score);
  } else {
    run(nb::none(), [&](Monitor&) { score(); });
  }
  nb::dict values;
  values["ece_voted"] = errors.ece_voted;
  values["ece_expected"] = errors.ece_expected;
  if (errors.ece_true) values["ece_true"] = *errors.ece_true;
  return values;
}

nb::dict metrics_of(const std::vector<MetricValue>& metrics) {
  nb::dict values;
  for (const MetricValue& metric : metrics) {
    values[nb::cast(metric.name)] = nb::cast(metric.value);
  }
  return values;
}

nb::bytes sums_of(const Inputs& inputs, const std::optional<PyCalibrator>& model,
                  std::uint64_t first_row, MetricOptions options, int threads) {
  require_votes(inputs);
  options.threads = threads;
  std::vector<std::byte> out;
  run(nb::none(), [&](Monitor&) {
    const io::ScoreFile& file = inputs.files.scores;
    std::optional<io::LoadedCalibrator> calibrator;
    if (model) calibrator = model->loaded;
    out = to_bytes(report::evaluation_sums(
        inputs.read(!model && file.kind == ScoreKind::probs)->loaded(), file.kind,
        std::move(calibrator), "the calibrator", file.path, first_row, options));
  });
  return to_python(out);
}

nb::bytes merge_sums(const std::vector<nb::bytes>& pieces) {
  std::vector<EvaluationSums> read;
  for (const nb::bytes& piece : pieces) {
    read.push_back(evaluation_sums_from_bytes(from_python(piece)));
  }
  return to_python(to_bytes(merge(std::move(read))));
}

nb::dict metrics_of_sums(const nb::bytes& sums) {
  return metrics_of(evaluation_of(evaluation_sums_from_bytes(from_python(sums))).metrics);
}

/// Standard error, low and high by metric, of those that have an interval.
nb::dict intervals_of_sums(const nb::bytes& bytes, const BootstrapOptions& how) {
  const EvaluationSums sums = evaluation_sums_from_bytes(from_python(bytes));
  const Evaluation evaluation = evaluation_of(sums);
  nb::dict intervals;
  if (how.resamples == 0) return intervals;
  const BootstrapResult found = bootstrap_of_sums({&evaluation, 1}, {&sums, 1}, {}, how);
  for (const Estimate& estimate : found.estimates.front()) {
    if (!estimate.low) continue;
    nb::dict one;
    one["standard_error"] = estimate.standard_error;
    one["low"] = estimate.low;
    one["high"] = estimate.high;
    intervals[std::string(estimate.name).c_str()] = one;
  }
  return intervals;
}

/// The bins of the reliability diagram.
nb::list reliability_of_sums(const nb::bytes& sums) {
  const Evaluation found = evaluation_of(evaluation_sums_from_bytes(from_python(sums)));
  nb::list bins;
  const auto count = static_cast<double>(found.reliability.size());
  for (std::size_t b = 0; b < found.reliability.size(); ++b) {
    const ReliabilityBin& bin = found.reliability[b];
    nb::dict one;
    one["from"] = static_cast<double>(b) / count;
    one["to"] = static_cast<double>(b + 1) / count;
    one["count"] = bin.count;
    const bool filled = bin.count != 0;
    one["confidence"] = filled ? nb::cast(bin.confidence) : nb::none();
    one["agreement"] = filled ? nb::cast(bin.agreement) : nb::none();
    one["accuracy"] = filled ? nb::cast(bin.accuracy) : nb::none();
    bins.append(one);
  }
  return bins;
}

std::string inspect_inputs(Inputs inputs) {
  // Whoever looks for what is wrong wants to see it, not to be stopped by it.
  inputs.files.assume_order = true;
  std::string json;
  run(nb::none(), [&](Monitor&) {
    json = report::findings_json(report::inspect(inputs.read()->loaded(), inputs.files.scores.kind),
                                 Speech::python);
  });
  return json;
}

std::string inspect_votes(const Data& votes, bool labels_only, std::vector<std::string> classes) {
  io::VoteFile file;
  file.path = votes.given ? std::string(labels_only ? "labels" : "votes") : votes.path;
  file.given = votes.given;
  file.labels_only = labels_only;
  file.classes = std::move(classes);
  return report::findings_json(report::inspect(io::load_votes(file)), Speech::python);
}

}  // namespace

void bind_evaluate(nb::module_& module) {
  nb::class_<PyEvaluation>(module, "Evaluation")
      .def_ro("json", &PyEvaluation::json)
      .def_ro("subgroup_figure", &PyEvaluation::subgroup_figure)
      .def_prop_ro("notes",
                   [](const PyEvaluation& self) { return render(self.notes, Speech::python); })
      .def_prop_ro("metrics",
                   [](const PyEvaluation& self) { return metrics_of(self.metrics); });
  module.def("evaluate", &evaluate_inputs, nb::arg("inputs"), nb::arg("calibrator").none(),
             nb::arg("metrics"), nb::arg("bootstrap"), nb::arg("threads"),
             nb::arg("progress").none());
  module.def("top_errors", &top_errors, nb::arg("inputs"), nb::arg("calibrator").none(),
             nb::arg("options"), nb::arg("threads"));
  module.def("accumulate_scores", &sums_of, nb::arg("inputs"), nb::arg("calibrator").none(),
             nb::arg("first_row"), nb::arg("options"), nb::arg("threads"));
  module.def("merge_scores", &merge_sums, nb::arg("sums"));
  module.def("metrics_of_sums", &metrics_of_sums, nb::arg("sums"));
  module.def("intervals_of_sums", &intervals_of_sums, nb::arg("sums"), nb::arg("how"));
  module.def("reliability_of_sums", &reliability_of_sums, nb::arg("sums"));
  module.def("inspect", &inspect_inputs, nb::arg("inputs"));
  module.def("inspect_votes", &inspect_votes, nb::arg("votes"), nb::arg("labels_only"),
             nb::arg("classes"));
}

}  // namespace credence::python
