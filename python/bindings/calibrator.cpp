#include "calibrator.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "credence/calibrators.hpp"
#include "inputs.hpp"
#include "work.hpp"

namespace credence::python {
namespace {

// As 'credence apply' has it: large enough to keep every thread busy.
constexpr std::size_t kBlockBytes = std::size_t{4} << 20;

/// Appends probabilities as T; room for all rows is made at once where their number is known.
template <class T>
class Output {
 public:
  explicit Output(std::size_t columns) : columns_(columns) {}
  void reserve(std::size_t rows) { values_.reserve(rows * columns_); }
  void add(Rows block) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      values_.push_back(static_cast<T>(block.data()[i]));
    }
  }
  nb::object finish() {
    const std::size_t rows = values_.size() / columns_;
    return to_numpy(std::move(values_), rows, columns_);
  }

 private:
  std::size_t columns_;
  std::vector<T> values_;
};

template <class T>
nb::object predict(const PyCalibrator& model, const Inputs& inputs, int threads,
                   const nb::object& progress) {
  const io::ScoreFile& file = inputs.files.scores;
  const auto& given =
      inputs.files.score_classes.empty() ? inputs.files.classes : inputs.files.score_classes;
  std::unique_ptr<Output<T>> output;
  run(progress, [&](Monitor& monitor) {
    const auto reader = io::open_scores(file);
    std::vector<std::string> notes;
    const auto classes = io::column_names(reader->classes(), given, file.path, notes);
    const std::size_t columns = reader->cols();
    io::check_class_names(classes, file.path, ErrorCode::data);
    io::AlignedCalibrator aligned(model.loaded, "the calibrator", columns, classes, file.kind,
                                  file.path);
    output = std::make_unique<Output<T>>(columns);
    const auto all = reader->rows();
    if (all) output->reserve(*all);
    const std::size_t most = std::max<std::size_t>(all.value_or(kBlockBytes), 1);
    const std::size_t block =
        std::clamp<std::size_t>(kBlockBytes / (sizeof(double) * columns), 1, most);
    Matrix<double> values(block, columns), probabilities(block, columns);
    std::size_t done = 0;
    while (const std::size_t rows = reader->read(values.view(), nullptr)) {
      const Rows read(values.data(), rows, columns);
      check_scores(read, file.kind, file.path, done);
      const Conversion finite = to_finite_logits(read, file.kind);
      const MutRows out(probabilities.data(), rows, columns);
      aligned.apply(finite.scores.view(), out, threads);
      output->add(out);
      done += rows;
      const double share = all ? static_cast<double>(done) / static_cast<double>(*all) : -1.0;
      if (!monitor.report(share, std::to_string(done) + " rows")) {
        throw Error(ErrorCode::cancelled, "stopped");
      }
    }
  });
  return output->finish();
}

nb::object predict_any(const PyCalibrator& model, const Inputs& inputs, bool float32, int threads,
                       const nb::object& progress) {
  return float32 ? predict<float>(model, inputs, threads, progress)
                 : predict<double>(model, inputs, threads, progress);
}

nb::list stages_of(const PyCalibrator& self) {
  nb::list stages;
  for (const Stage& stage : self.loaded.calibrator.stages) {
    nb::dict one;
    one["target"] = nb::cast(target_name(stage.target));
    one["map"] = nb::cast(map_name(stage.map));
    one["parameters"] = stage.theta.size();
    one["stop"] = nb::cast(to_string(stage.report.stop));
    one["passes"] = stage.report.passes;
    one["loss"] = stage.report.loss;
    one["gradient_norm"] = stage.report.gradient_norm;
    one["notes"] = nb::cast(stage.report.notes);
    stages.append(one);
  }
  return stages;
}

nb::dict info_of(const PyCalibrator& self) {
  const io::CalibratorInfo& info = self.loaded.info;
  nb::dict facts;
  facts["rows"] = info.rows;
  facts["score_kind"] = nb::cast(info.score_kind);
  facts["evidence"] = nb::cast(info.evidence);
  facts["votes_per_example"] = info.votes_per_example;
  facts["seed"] = info.seed;
  facts["fingerprint"] = nb::cast(info.fingerprint);
  return facts;
}

}  // namespace

void bind_calibrator(nb::module_& module) {
  nb::class_<PyCalibrator>(module, "Calibrator")
      .def_static(
          "from_json",
          [](const std::string& text, const std::string& origin) {
            return PyCalibrator{io::calibrator_from_json(text, origin), {}};
          },
          nb::arg("text"), nb::arg("origin"))
      .def_static(
          "load",
          [](const std::string& path) {
            return PyCalibrator{io::load_calibrator(path), {}};
          },
          nb::arg("path"))
      .def("to_json", &PyCalibrator::json)
      .def(
          "save",
          [](const PyCalibrator& self, const std::string& path) {
            io::write_text(path, self.json());
          },
          nb::arg("path"))
      .def("predict", &predict_any, nb::arg("inputs"), nb::arg("float32"), nb::arg("threads"),
           nb::arg("progress").none())
      .def_prop_ro("method", [](const PyCalibrator& self) { return self.loaded.calibrator.method; })
      .def_prop_ro(
          "gauge",
          [](const PyCalibrator& self) {
            return std::string(self.loaded.calibrator.gauge == Gauge::raw ? "raw" : "log_probs");
          })
      .def_prop_ro("classes",
                   [](const PyCalibrator& self) { return self.loaded.calibrator.classes; })
      .def_prop_ro("class_count",
                   [](const PyCalibrator& self) { return self.loaded.calibrator.class_count; })
      .def_prop_ro("temperature",
                   [](const PyCalibrator& self) { return self.loaded.calibrator.temperature(); })
      .def_prop_ro("stages", &stages_of)
      .def_prop_ro("info", &info_of)
      .def_ro("notes", &PyCalibrator::notes);
}

}  // namespace credence::python
