// `credence export`: a calibrator as an ONNX graph, with the rows that prove it.
#include "commands/export.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <set>

#include "credence/export.hpp"
#include "credence/files.hpp"
#include "credence/io.hpp"
#include "credence/model_card.hpp"
#include "credence/options.hpp"
#include "credence/settings.hpp"
#include "export_check.hpp"
#include "text/json_output.hpp"
#include "text/terminal.hpp"

namespace credence::cli {
namespace {

using exporter::Arithmetic;
using exporter::Precision;
using exporter::Result;
namespace fs = std::filesystem;

Precision precision_named(const std::string& name) {
  return name == "float16"   ? Precision::float16
         : name == "float64" ? Precision::float64
                             : Precision::float32;
}

Arithmetic arithmetic_named(const std::string& name) {
  return name == "float32"   ? Arithmetic::float32
         : name == "float64" ? Arithmetic::float64
                             : Arithmetic::automatic;
}

/// What was written, for people and for JSON.
struct Written {
  std::string script;  ///< that checks the export
  CheckedModel checked;
  ScoreKind input = ScoreKind::logits;
  bool float64 = false;  ///< computes in float64
  int opset = 0;
  std::vector<std::string> data_files, notes;
};

void refuse_for_networks(bool given, std::string_view option, std::string_view why) {
  if (!given) return;
  throw Error(ErrorCode::usage, fmt::format("{} and --append-to contradict each other", option),
              fmt::format("{}; leave {} out", why, option));
}

void refuse_without_network(bool given, std::string_view option) {
  if (!given) return;
  throw Error(ErrorCode::usage,
              fmt::format("{} says how to change a network, but none is given", option),
              "name it with --append-to net.onnx");
}

void check_request(const ExportCommandOptions& options) {
  if (options.model.empty()) {
    throw Error(ErrorCode::usage, "no calibrator given",
                "name the file that 'credence fit' wrote: credence export model.json -o "
                "calibrator.onnx");
  }
  if (!options.results.empty() && options.card.empty()) {
    throw Error(ErrorCode::usage, "--results are for a model card, and none is asked for",
                "add --card card.md");
  }
  if (options.output == "-" || options.card == "-") {
    throw Error(ErrorCode::usage, "export writes files, not to standard output",
                "-o calibrator.onnx, --card card.md");
  }
  if (options.output.empty() && (options.card.empty() || !options.append_to.empty())) {
    throw Error(ErrorCode::usage, "no file given for the ONNX model",
                "-o calibrator.onnx; calibrator.check.npz appears beside it");
  }
  if (options.append_to.empty()) {
    refuse_without_network(!options.mode.empty(), "--mode");
    refuse_without_network(!options.output_name.empty(), "--output-name");
    refuse_without_network(options.class_axis.has_value(), "--class-axis");
    refuse_without_network(options.copy_data, "--copy-data");
  } else {
    refuse_for_networks(options.opset.has_value(), "--opset", "the network's opset stays");
    refuse_for_networks(options.rank.has_value(), "--rank", "the network's shapes stay");
    refuse_for_networks(!options.precision.empty(), "--precision", "the network's types stay");
  }
}

/// Nothing that is read may be replaced, however the two paths are spelt.
void check_not_read(const std::string& output, const std::vector<std::string>& inputs) {
  std::error_code ignored;
  for (const std::string& input : inputs) {
    if (input.empty() || !fs::equivalent(output, input, ignored)) continue;
    throw Error(ErrorCode::usage, fmt::format("{} is read and would be replaced", input),
                "give the output another name; a result does not replace what it was made from");
  }
}

/// No two results may have one name.
void check_distinct(const std::vector<std::string>& outputs) {
  std::set<fs::path> seen;
  std::error_code ignored;
  for (const std::string& output : outputs) {
    if (output.empty()) continue;
    if (seen.insert(fs::weakly_canonical(fs::absolute(output), ignored)).second) continue;
    throw Error(ErrorCode::usage, fmt::format("two results would be written to {}", output),
                "the model goes to -o, its check to NAME.check.npz, the card to --card card.md");
  }
}

void export_alone(const ExportCommandOptions& options, const io::LoadedCalibrator& loaded,
                  io::OutputFiles& files, Written& written) {
  const Calibrator& calibrator = loaded.calibrator;
  exporter::ModelOptions graph;
  graph.precision = precision_named(options.precision);
  graph.arithmetic = arithmetic_named(options.arithmetic);
  graph.result = written.checked.result;
  graph.input = exporter::input_of(loaded, exporter::kind_named(options.input_kind), options.model);
  graph.opset = options.opset.value_or(graph.opset);
  graph.rank = options.rank.value_or(graph.rank);
  graph.properties = exporter::properties_of(loaded);
  const exporter::OnnxModel model = exporter::onnx_model(calibrator, graph);
  files.add(options.output, model.bytes);

  const exporter::CheckRows rows = exporter::check_rows(
      calibrator, check_scores_from(options.check_with, calibrator, graph.input), graph.input,
      graph.precision);
  written.checked.scores = exporter::kInputName;
  written.checked.output = exporter::output_name(graph.result);
  written.checked.precision = graph.precision;
  const std::size_t count = rows.scores.rows();
  written.checked.shape = {count, calibrator.class_count};
  if (graph.rank == 3) {
    const std::size_t inner = count % 8 == 0 ? 8 : 1;
    written.checked.shape = {count / inner, inner, calibrator.class_count};
  }
  files.add(written.checked.check_path,
            exporter::check_archive(rows, graph.precision, written.checked.shape,
                                    written.checked.shape.size() - 1));
  written.input = graph.input;
  written.float64 = model.computes_in_float64;
  written.opset = graph.opset;
}

/// The network's folder, as a prefix for the files beside it.
fs::path folder_of(const std::string& path) { return fs::path(path).parent_path(); }

bool same_folder(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  return fs::equivalent(a.empty() ? "." : a, b.empty() ? "." : b, ignored);
}

/// External data stay beside the network; a result elsewhere needs a copy of them.
void keep_data(const ExportCommandOptions& options, const exporter::AppendedModel& model,
               io::OutputFiles& files, Written& written) {
  const fs::path from = folder_of(options.append_to), to = folder_of(options.output);
  const bool beside = same_folder(from, to);
  for (const std::string& name : model.external_data) {
    const std::string source = (from / name).string(), copy = (to / name).string();
    std::error_code ignored;
    if (!fs::is_regular_file(source, ignored)) {
      throw Error(ErrorCode::io,
                  fmt::format("{} keeps data in {}, which is not there", options.append_to, source),
                  "put the file beside the network");
    }
    for (const std::string& path :
         {written.checked.path, written.checked.check_path, written.script, options.card}) {
      if (!path.empty()) check_not_read(path, {source});
    }
    if (beside || fs::equivalent(source, copy, ignored)) continue;
    if (!options.copy_data) {
      throw Error(ErrorCode::usage,
                  fmt::format("{} keeps data in {}, and {} would be in another folder",
                              options.append_to, source, options.output),
                  "write the result beside the network, or add --copy-data");
    }
    if (fs::exists(copy, ignored)) {
      throw Error(ErrorCode::usage, fmt::format("{} is there already and would be replaced", copy),
                  "write the result to another folder");
    }
    files.copy(copy, source);
    written.data_files.push_back(copy);
  }
}

/// Places for the check rows in a tensor like the network's: sizes that it fixes, one where it does
/// not, and all rows along the first axis that is open.
std::vector<std::size_t> check_shape(const exporter::AppendedModel& model, std::size_t classes,
                                     std::size_t rows) {
  std::vector<std::size_t> shape;
  bool spread = false;
  for (std::size_t axis = 0; axis < model.shape.size(); ++axis) {
    const std::int64_t size = model.shape[axis];
    if (axis == model.class_axis) {
      shape.push_back(classes);
    } else if (size > 0) {
      shape.push_back(static_cast<std::size_t>(size));
    } else {
      shape.push_back(spread ? 1 : rows);
      spread = true;
    }
  }
  return shape;
}

/// Columns in the network's order.
Matrix<double> reordered(const Matrix<double>& values, const std::vector<std::size_t>& column_of) {
  if (column_of.empty()) return values;
  Matrix<double> result(values.rows(), values.cols());
  for (std::size_t i = 0; i < values.rows(); ++i) {
    for (std::size_t k = 0; k < values.cols(); ++k) result(i, column_of[k]) = values(i, k);
  }
  return result;
}

/// A check larger than this is no longer a small file beside the model.
constexpr std::size_t kMostChecked = std::size_t{1} << 22;

void append(const ExportCommandOptions& options, const io::LoadedCalibrator& loaded,
            io::OutputFiles& files, Written& written) {
  const Calibrator& calibrator = loaded.calibrator;
  exporter::AppendOptions wanted;
  wanted.mode = options.mode == "add" ? exporter::AppendMode::add : exporter::AppendMode::replace;
  wanted.output_name = options.output_name;
  wanted.class_axis = options.class_axis;
  wanted.recorded_kind = loaded.info.score_kind;
  wanted.input = exporter::kind_named(options.input_kind);
  wanted.arithmetic = arithmetic_named(options.arithmetic);
  wanted.result = written.checked.result;
  wanted.properties = exporter::properties_of(loaded);
  const exporter::AppendedModel model = exporter::append_to_model(
      calibrator, io::read_file(options.append_to, std::numeric_limits<int>::max()),
      options.append_to, wanted);
  files.add(options.output, model.bytes);
  keep_data(options, model, files, written);

  exporter::CheckRows rows = exporter::check_rows(
      calibrator, check_scores_from(options.check_with, calibrator, model.input), model.input,
      model.precision);
  rows.scores = reordered(rows.scores, model.column_of);
  rows.probabilities = reordered(rows.probabilities, model.column_of);
  CheckedModel& checked = written.checked;
  checked.scores = model.scores;
  checked.output = model.output;
  checked.inside_network = true;
  checked.precision = model.precision;
  written.notes = model.notes;
  std::size_t axis = model.class_axis;
  checked.shape = check_shape(model, calibrator.class_count, rows.scores.rows());
  double size = 1.0;
  for (const std::size_t dim : checked.shape) size *= static_cast<double>(dim);
  if (size > static_cast<double>(kMostChecked)) {
    checked.shape = {rows.scores.rows(), calibrator.class_count};
    axis = 1;
    written.notes.push_back(
        fmt::format("the check has {} rows of scores, not the network's large shape; put them into "
                    "it to run the script",
                    rows.scores.rows()));
  }
  files.add(checked.check_path,
            exporter::check_archive(rows, model.precision, checked.shape, axis));
  written.input = model.input;
  written.float64 = model.computes_in_float64;
  written.opset = model.opset;
}

std::string card_text(const ExportCommandOptions& options, const io::LoadedCalibrator& loaded,
                      const Written& written) {
  report::CardOptions card;
  card.calibrator_file = fs::path(options.model).filename().string();
  if (!options.output.empty()) {
    card.graph = {.file = fs::path(options.output).filename().string(),
                  .output = written.checked.output,
                  .input_kind = std::string(to_string(written.input)),
                  .gives_logarithms = written.checked.result == Result::log_probs,
                  .is_network = written.checked.inside_network};
  }
  std::string results;
  if (!options.results.empty()) {
    results = io::read_file(options.results, std::numeric_limits<int>::max());
    card.results = results;
    card.results_file = options.results;
  }
  return report::model_card(loaded, card);
}

std::string as_text(const Calibrator& calibrator, const Written& written) {
  const CheckedModel& model = written.checked;
  std::string out = fmt::format(
      "{}: {} for {} classes, opset {}\n"
      "  reads {} from '{}' ({}), gives {} as '{}', computes in {}\n",
      printable(model.path), calibrator.method, calibrator.class_count, written.opset,
      to_string(written.input), printable(model.scores), to_string(model.precision),
      model.result == Result::probs ? "probabilities" : "log-probabilities",
      printable(model.output), written.float64 ? "float64" : "float32");
  for (const std::string& file : written.data_files) {
    out += fmt::format("  data copied: {}\n", printable(file));
  }
  out += fmt::format("  {}: rows of scores, and what the engine makes of them\n",
                     printable(model.check_path));
  out += fmt::format(
      "Check it: python3 {}\n  (needs: pip install {}onnxruntime numpy; prints less than {})\n",
      printable(written.script), model.inside_network ? "onnx " : "", tolerance(model.precision));
  return out;
}

Json as_json(const Calibrator& calibrator, const Written& written) {
  const CheckedModel& model = written.checked;
  return {
      {"output", model.path},
      {"check", model.check_path},
      {"check_script", written.script},
      {"method", calibrator.method},
      {"classes", calibrator.class_count},
      {"opset", written.opset},
      {"scores",
       {{"name", model.scores},
        {"kind", to_string(written.input)},
        {"type", exporter::to_string(model.precision)}}},
      {"result",
       {{"name", model.output}, {"kind", model.result == Result::probs ? "probs" : "log_probs"}}},
      {"arithmetic", written.float64 ? "float64" : "float32"},
      {"data_files", written.data_files},
      {"python", python_lines(model)},
      {"javascript", javascript_lines(model)},
      {"notes", render(written.notes, Speech::command_line)}};
}

}  // namespace

void run_export(const ExportCommandOptions& options) {
  check_request(options);
  Written written;
  CheckedModel& checked = written.checked;
  checked.path = options.output;
  if (!options.output.empty()) {
    checked.check_path = check_path(options.output);
    written.script = check_script_path(options.output);
  }
  checked.result = options.result == "log-probs" ? Result::log_probs : Result::probs;
  check_distinct({checked.path, checked.check_path, written.script, options.card});
  for (const std::string& path : {checked.path, checked.check_path, written.script, options.card}) {
    if (path.empty()) continue;
    check_not_read(path, {options.model, options.append_to, options.check_with, options.results});
    io::check_writable(path);
  }
  const io::LoadedCalibrator loaded = io::load_calibrator(options.model);
  io::OutputFiles files;
  if (!options.append_to.empty()) {
    append(options, loaded, files, written);
  } else if (!options.output.empty()) {
    export_alone(options, loaded, files, written);
  }
  if (!options.output.empty()) files.add(written.script, check_script(checked));
  if (!options.card.empty()) files.add(options.card, card_text(options, loaded, written));
  print_notes(written.notes);
  if (options.format == Format::json) {
    Json summary = options.output.empty() ? Json::object() : as_json(loaded.calibrator, written);
    if (!options.card.empty()) summary["card"] = options.card;
    print(to_text(summary));
  } else {
    if (!options.card.empty()) print(fmt::format("{}: model card\n", printable(options.card)));
    if (!options.output.empty()) print(as_text(loaded.calibrator, written));
  }
  publish(files);
}

}  // namespace credence::cli
