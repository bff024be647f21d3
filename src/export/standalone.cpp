// The calibrator as a model of its own.
#include <fmt/format.h>

#include "credence/error.hpp"
#include "export/lowering.hpp"
#include "export/model_io.hpp"

namespace credence::exporter {
namespace {

/// The IR version that came with an opset: the oldest that every runtime of that opset reads.
int ir_version(int opset) {
  if (opset >= 21) return 10;
  if (opset >= 19) return 9;
  if (opset >= 15) return 8;
  return opset >= 12 ? 7 : 6;
}

void check_options(const Calibrator& calibrator, const ModelOptions& options) {
  if (options.opset < kLeastOpset || options.opset > kMostOpset) {
    throw Error(
        ErrorCode::usage,
        fmt::format("opset {} is not between {} and {}", options.opset, kLeastOpset, kMostOpset),
        "leave it out for opset 13, which every current runtime reads");
  }
  if (options.rank != 2 && options.rank != 3) {
    throw Error(ErrorCode::usage, fmt::format("rank {} is neither 2 nor 3", options.rank),
                "2 is [batch, classes], 3 is [batch, positions, classes]");
  }
  if (calibrator.all_stages().empty()) throw Error(ErrorCode::model, "the calibrator has no stage");
}

}  // namespace

std::string_view to_string(Precision precision) {
  switch (precision) {
    case Precision::float16:
      return "float16";
    case Precision::float64:
      return "float64";
    case Precision::float32:
      break;
  }
  return "float32";
}

OnnxModel onnx_model(const Calibrator& calibrator, const ModelOptions& options) {
  check_options(calibrator, options);
  ::onnx::ModelProto model;
  model.set_ir_version(ir_version(options.opset));
  model.set_producer_name("credence");
  model.set_producer_version(CREDENCE_VERSION);
  ::onnx::OperatorSetIdProto& opset = *model.add_opset_import();
  opset.set_domain("");
  opset.set_version(options.opset);
  ::onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("calibrator");

  const int type = static_cast<int>(type_of(options.precision));
  std::vector<Dimension> dims{{"batch"}};
  if (options.rank == 3) dims.push_back({"positions"});
  dims.push_back({{}, static_cast<std::int64_t>(calibrator.class_count)});
  ::onnx::ValueInfoProto& input = *graph.add_input();
  input.set_name(std::string(kInputName));
  set_tensor_type(input, type, dims);
  ::onnx::ValueInfoProto& output = *graph.add_output();
  output.set_name(std::string(output_name(options.result)));
  set_tensor_type(output, type, dims);

  Names names(graph);
  GraphBuilder builder(graph, names,
                       choose_arithmetic(calibrator, options.arithmetic, options.precision));
  lower(calibrator, builder, std::string(kInputName), options.input, options.precision,
        options.result);
  // The last node gives the output itself, without a copy.
  ::onnx::NodeProto& last = *graph.mutable_node(graph.node_size() - 1);
  last.set_output(0, output.name());
  set_properties(model, options.properties);
  return {serialise(model), builder.arithmetic() == Type::float64};
}

}  // namespace credence::exporter
