// credence._onnx: calibrators as ONNX graphs. A module of its own, loaded when it is asked for: it alone
// brings protobuf and the ONNX schema into the process.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "credence/error.hpp"
#include "credence/export.hpp"

namespace {

namespace nb = nanobind;
using namespace credence;

exporter::Precision precision_named(const std::string& name) {
  using exporter::Precision;
  for (const Precision one : {Precision::float16, Precision::float32, Precision::float64}) {
    if (name == exporter::to_string(one)) return one;
  }
  throw Error(ErrorCode::usage, "precision is '" + name + "'",
              "wanted \"float16\", \"float32\" or \"float64\"");
}

exporter::Arithmetic arithmetic_named(const std::string& name) {
  using exporter::Arithmetic;
  if (name == "auto") return Arithmetic::automatic;
  if (name == "float32") return Arithmetic::float32;
  if (name == "float64") return Arithmetic::float64;
  throw Error(ErrorCode::usage, "arithmetic is '" + name + "'",
              "wanted \"auto\", \"float32\" or \"float64\"");
}

exporter::Result result_named(const std::string& name) {
  if (name == "probs") return exporter::Result::probs;
  if (name == "log_probs") return exporter::Result::log_probs;
  throw Error(ErrorCode::usage, "result is '" + name + "'", "wanted \"probs\" or \"log_probs\"");
}

std::optional<ScoreKind> input_named(const std::string& name) {
  if (name.empty()) return std::nullopt;
  if (const auto kind = exporter::kind_named(name)) return kind;
  throw Error(ErrorCode::usage, "input is '" + name + "'",
              "wanted \"logits\", \"log_probs\" or \"probs\"");
}

/// The bytes that `credence export` writes for the calibrator file with this text.
nb::bytes onnx_model(const std::string& calibrator, const std::string& input,
                     const std::string& result, const std::string& precision,
                     const std::string& arithmetic, int opset, int rank) {
  const io::LoadedCalibrator loaded = io::calibrator_from_json(calibrator, "the calibrator");
  exporter::ModelOptions options;
  options.input = exporter::input_of(loaded, input_named(input), "the calibrator");
  options.result = result_named(result);
  options.precision = precision_named(precision);
  options.arithmetic = arithmetic_named(arithmetic);
  options.opset = opset;
  options.rank = rank;
  options.properties = exporter::properties_of(loaded);
  const std::string bytes = exporter::onnx_model(loaded.calibrator, options).bytes;
  return nb::bytes(bytes.data(), bytes.size());
}

}  // namespace

NB_MODULE(_onnx, module) {
  module.doc() = "Calibrators as ONNX graphs. Use Calibrator.to_onnx().";
  nb::set_leak_warnings(false);  // as in bindings/module.cpp
  credence::python::bind_errors(module);
  module.def("onnx_model", &onnx_model, nb::arg("calibrator"), nb::arg("input"), nb::arg("result"),
             nb::arg("precision"), nb::arg("arithmetic"), nb::arg("opset"), nb::arg("rank"));
}
