#include "commands/export.hpp"

#include <memory>

#include "option_helpers.hpp"
#include "verbs.hpp"

namespace credence::cli {
namespace {

constexpr const char* kGraph = "Graph";
constexpr const char* kNetwork = "Appending to a network";

void graph_options(CLI::App& verb, ExportCommandOptions& options) {
  verb.add_option("--input-kind", options.input_kind,
                  "what the graph will be given (what the calibrator was fitted to)")
      ->type_name("KIND")
      ->check(CLI::IsMember({"logits", "log-probs", "probs"}))
      ->group(kGraph);
  verb.add_option("--result", options.result,
                  "what it gives; log-probs suit code that applies a softmax itself (probs)")
      ->type_name("KIND")
      ->check(CLI::IsMember({"probs", "log-probs"}))
      ->group(kGraph);
  verb.add_option("--precision", options.precision, "type of its input and output (float32)")
      ->type_name("TYPE")
      ->check(CLI::IsMember({"float16", "float32", "float64"}))
      ->group(kGraph);
  verb.add_option("--arithmetic", options.arithmetic,
                  "type in which it computes; auto takes float32 where that is within 1e-6 of the "
                  "engine for all scores, else float64 (auto)")
      ->type_name("TYPE")
      ->check(CLI::IsMember({"auto", "float32", "float64"}))
      ->group(kGraph);
  verb.add_option("--opset", options.opset, "version of the ONNX operators, 11 to 21 (13)")
      ->type_name("N")
      ->check(whole_number(11, 21))
      ->group(kGraph);
  verb.add_option("--rank", options.rank, "2: [batch, classes]; 3: [batch, positions, classes] (2)")
      ->type_name("N")
      ->check(whole_number(2, 3))
      ->group(kGraph);
}

void network_options(CLI::App& verb, ExportCommandOptions& options) {
  file_option(verb, "--append-to", options.append_to, kNetwork,
              "ONNX network whose scores are to be calibrated; it is read, never changed");
  verb.add_option("--mode", options.mode,
                  "replace: the output keeps its name; add: one more output (replace)")
      ->type_name("MODE")
      ->check(CLI::IsMember({"replace", "add"}))
      ->group(kNetwork);
  verb.add_option("--output-name", options.output_name,
                  "output with the scores, where several could be meant")
      ->type_name("NAME")
      ->group(kNetwork);
  verb.add_option("--class-axis", options.class_axis,
                  "axis of the classes, from 0, where several have their number")
      ->type_name("N")
      ->check(whole_number(0, 15))
      ->group(kNetwork);
  verb.add_flag("--copy-data", options.copy_data,
                "copy the network's external data beside a result in another folder")
      ->group(kNetwork);
}

}  // namespace

Action declare_export(CLI::App& verb) {
  verb.description("Write a calibrator as ONNX, alone or at the end of a network");
  verb.footer(
      "Examples:\n"
      "  credence export model.json -o calibrator.onnx\n"
      "  credence export model.json --append-to net.onnx -o calibrated.onnx\n"
      "  credence export model.json --append-to net.onnx --mode add -o calibrated.onnx\n"
      "  credence export model.json --check-with logits.npy -o calibrator.onnx\n"
      "  credence export out/calibrator.json --results out/results.json --card card.md\n"
      "Beside the result appears NAME.check.npz: 64 rows of scores and what the engine makes of "
      "them,\n"
      "and the lines are printed that compare the two in ONNX Runtime.");
  const auto options = std::make_shared<ExportCommandOptions>();
  verb.add_option("model", options->model, "calibrator written by 'credence fit' or 'compare'")
      ->type_name("FILE");
  verb.add_option("-o,--output", options->output, "where the ONNX model goes")
      ->type_name("FILE")
      ->group(kResult);
  file_option(verb, "--check-with", options->check_with, kResult,
              "scores of your own for the check, of the kind that the graph is given");
  verb.add_option("--card", options->card, "write a model card for a registry, in Markdown")
      ->type_name("FILE")
      ->group(kResult);
  file_option(verb, "--results", options->results, kResult,
              "results.json that 'credence compare' wrote with the calibrator: the card's scores");
  format_option(verb, options->format, {"text", "json"});
  graph_options(verb, *options);
  network_options(verb, *options);
  return [options] { run_export(*options); };
}

}  // namespace credence::cli
