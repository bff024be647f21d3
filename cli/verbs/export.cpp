#include "commands/export.hpp"

#include <memory>

#include "options/option_helpers.hpp"
#include "verbs.hpp"

namespace credence::cli {
namespace {

constexpr const char* kGraph = "Graph";
constexpr const char* kNetwork = "Appending to a network";

void graph_options(CLI::App& verb, ExportCommandOptions& options) {
  add_option(verb, Option::input_kind, options.input_kind, kGraph);
  add_option(verb, Option::result, options.result, kGraph);
  add_option(verb, Option::precision, options.precision, kGraph);
  add_option(verb, Option::arithmetic, options.arithmetic, kGraph);
  add_option(verb, Option::opset, options.opset, kGraph);
  add_option(verb, Option::rank, options.rank, kGraph);
}

void network_options(CLI::App& verb, ExportCommandOptions& options) {
  add_option(verb, Option::append_to, options.append_to, kNetwork);
  add_option(verb, Option::mode, options.mode, kNetwork);
  add_option(verb, Option::output_name, options.output_name, kNetwork);
  add_option(verb, Option::class_axis, options.class_axis, kNetwork);
  add_switch(verb, Option::copy_data, options.copy_data, kNetwork);
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
  verb.add_option("calibrator", options->model, "calibrator written by 'credence fit' or 'compare'")
      ->type_name("FILE");
  add_option(verb, Option::model_output, options->output, kResult);
  add_option(verb, Option::check_with, options->check_with, kResult);
  add_option(verb, Option::card, options->card, kResult);
  add_option(verb, Option::card_results, options->results, kResult);
  format_option(verb, options->format, {"text", "json"});
  graph_options(verb, *options);
  network_options(verb, *options);
  return [options] { run_export(*options); };
}

}  // namespace credence::cli
