#include "export_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "credence/error.hpp"
#include "credence/io.hpp"
#include "text/json_output.hpp"
#include "text/terminal.hpp"

namespace credence::cli {
namespace {

using exporter::Precision;
using exporter::Result;

/// A string literal in Python and JavaScript alike, which also share the escapes of `printable`.
std::string literal(const std::string& text) {
  return printable(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// Column of the file for each class of the calibrator; empty: the same order.
std::vector<std::size_t> columns_for(const io::ScoreTable& table, const std::string& path,
                                     const Calibrator& calibrator) {
  if (table.cols != calibrator.class_count) {
    throw Error(ErrorCode::model,
                fmt::format("the calibrator is for {} classes, {} has {} columns",
                            calibrator.class_count, path, table.cols),
                "check with scores of the same model");
  }
  if (table.classes.empty() || calibrator.classes.empty()) return {};
  std::vector<std::string> ignored;
  const std::vector<std::string> names =
      table.one_column ? io::column_names(table.classes, calibrator.classes, path, ignored)
                       : table.classes;
  const auto columns = io::positions_by_name(calibrator.classes, names);
  if (columns.empty() && !io::are_numbered(names) && !io::are_numbered(calibrator.classes)) {
    throw Error(ErrorCode::model,
                fmt::format("{} has other classes ({}) than the calibrator ({})", path,
                            fmt::join(names, ", "), fmt::join(calibrator.classes, ", ")),
                "check with scores of the same model");
  }
  return columns;
}

std::string sizes(const std::vector<std::size_t>& shape) {
  return fmt::format("{}", fmt::join(shape, ", "));
}

}  // namespace

namespace {

std::string beside(const std::string& model_path, std::string_view ending) {
  std::filesystem::path path(model_path);
  if (path.extension() == ".onnx") path.replace_extension();
  return path.string().append(ending);
}

}  // namespace

std::string check_path(const std::string& model_path) { return beside(model_path, ".check.npz"); }
std::string check_script_path(const std::string& model_path) {
  return beside(model_path, ".check.py");
}

std::string check_script(const CheckedModel& model) {
  CheckedModel here = model;
  here.path = std::filesystem::path(model.path).filename().string();
  here.check_path = std::filesystem::path(model.check_path).filename().string();
  return fmt::format(
      "# Prints the largest difference between ONNX Runtime and the engine: less than {}.\n"
      "# Needs: pip install {}onnxruntime numpy\n"
      "import os\n\n"
      "os.chdir(os.path.dirname(os.path.abspath(__file__)))\n{}",
      tolerance(model.precision), model.inside_network ? "onnx " : "", python_lines(here));
}

Matrix<double> check_scores_from(const std::string& path, const Calibrator& calibrator,
                                 ScoreKind kind) {
  if (path.empty()) return exporter::made_up_scores(calibrator.class_count, kind);
  const io::ScoreTable table = io::load_scores({.path = path, .kind = kind}, io::LoadAs::as_stored);
  const std::string name = io::display_name(path);
  const std::vector<std::size_t> columns = columns_for(table, name, calibrator);
  const std::size_t rows = std::min(table.rows, exporter::kCheckRows);
  Matrix<double> scores(rows, table.cols);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t from = i * table.rows / rows;
    for (std::size_t k = 0; k < table.cols; ++k) {
      const std::size_t column = columns.empty() ? k : columns[k];
      scores(i, k) = table.f64.data() != nullptr ? table.f64(from, column)
                                                 : static_cast<double>(table.f32(from, column));
    }
    check_scores(Rows(scores.view()).block(i, 1), kind, name, from);
  }
  return scores;
}

std::string_view tolerance(Precision precision) {
  return precision == Precision::float16 ? "5e-4" : "1e-6";
}

std::string python_lines(const CheckedModel& model) {
  const std::string& path = model.path;
  std::string out = "import numpy as np, onnxruntime as ort\n";
  std::string runs = path;
  if (model.inside_network) {
    // Only the part behind the scores is run: the network's own input does not matter.
    runs = std::filesystem::path(path).replace_extension("part.onnx").string();
    out = fmt::format(
        "import numpy as np, onnx.utils, onnxruntime as ort\n"
        "onnx.utils.extract_model({}, {}, [{}], [{}])\n",
        literal(path), literal(runs), literal(model.scores), literal(model.output));
  }
  out += fmt::format(
      "check = np.load({})\n"
      "model = ort.InferenceSession({}, providers=[\"CPUExecutionProvider\"])\n"
      "given = model.run([{}], {{{}: check[\"scores\"]}})[0].astype(np.float64)\n",
      literal(model.check_path), literal(runs), literal(model.output), literal(model.scores));
  out += fmt::format("print(abs({} - check[\"probabilities\"]).max())\n",
                     model.result == Result::log_probs ? "np.exp(given)" : "given");
  return out;
}

std::string javascript_lines(const CheckedModel& model) {
  if (model.inside_network) return {};
  const std::string shape = sizes(model.shape);
  const char* array = model.precision == Precision::float64   ? "Float64Array"
                      : model.precision == Precision::float32 ? "Float32Array"
                                                              : "Uint16Array";
  std::string value = "p";
  // onnxruntime-node hands out float16 as whole numbers; probabilities have no sign.
  if (model.precision == Precision::float16) {
    value = model.result == Result::log_probs
                ? "-(p % 32768 < 1024 ? p % 32768 / 2 ** 24 : (1 + p % 1024 / 1024) * 2 ** "
                  "((p % 32768 >> 10) - 15))"
                : "(p < 1024 ? p / 2 ** 24 : (1 + p % 1024 / 1024) * 2 ** ((p >> 10) - 15))";
  }
  if (model.result == Result::log_probs) value = "Math.exp(" + value + ")";
  return fmt::format(
      "import fs from \"node:fs\"; import ort from \"onnxruntime-node\";\n"
      "const npz = fs.readFileSync({}), read = (name, type) => {{ const at = "
      "npz.indexOf(\"\\x93NUMPY\", npz.indexOf(name), \"latin1\"), from = npz.byteOffset + at + 10 "
      "+ "
      "npz.readUInt16LE(at + 8); return new type(npz.buffer.slice(from, from + {} * "
      "type.BYTES_PER_ELEMENT)); }};\n"
      "const model = await ort.InferenceSession.create({});\n"
      "const given = await model.run({{ {}: new ort.Tensor(\"{}\", read(\"scores.npy\", {}), [{}]) "
      "}}), engine = read(\"probabilities.npy\", Float64Array);\n"
      "console.log(Array.from(given.{}.data, (p, i) => Math.abs({} - engine[i])).reduce((a, b) => "
      "Math.max(a, b)));\n",
      literal(model.check_path), fmt::join(model.shape, " * "), literal(model.path), model.scores,
      to_string(model.precision), array, shape, model.output, value);
}

}  // namespace credence::cli
