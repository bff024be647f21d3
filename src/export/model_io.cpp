#include "export/model_io.hpp"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <limits>

#include "credence/error.hpp"

namespace credence::exporter {
namespace {

constexpr std::size_t kMostBytes = std::numeric_limits<int>::max();
/// Subgraphs, types and attributes of real networks nest a dozen deep; a file that nests deeper
/// wants to exhaust the stack.
constexpr int kMostNesting = 100;

}  // namespace

::onnx::ModelProto parse_model(std::string_view bytes, const std::string& origin) {
  if (bytes.size() > kMostBytes) {
    throw Error(ErrorCode::format,
                fmt::format("{}: larger than 2 GiB, which no ONNX file can be", origin),
                "save the network with its weights as external data");
  }
  google::protobuf::io::ArrayInputStream array(bytes.data(), static_cast<int>(bytes.size()));
  google::protobuf::io::CodedInputStream stream(&array);
  stream.SetTotalBytesLimit(static_cast<int>(kMostBytes));
  stream.SetRecursionLimit(kMostNesting);
  ::onnx::ModelProto model;
  if (bytes.empty() || !model.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage()) {
    throw Error(ErrorCode::format, fmt::format("{}: not an ONNX model, or one cut off", origin),
                "name the .onnx file of the network; export it again if it was cut off");
  }
  if (!model.has_graph() || model.graph().node_size() == 0) {
    throw Error(
        ErrorCode::format,
        fmt::format("{}: an ONNX model that computes nothing: its graph has no nodes", origin),
        "name the .onnx file of the network");
  }
  return model;
}

std::string serialise(const ::onnx::ModelProto& model) {
  if (model.ByteSizeLong() > kMostBytes) {
    throw Error(ErrorCode::model, "the model would be larger than the 2 GiB that protobuf allows",
                "save the network with its weights as external data");
  }
  std::string bytes;
  google::protobuf::io::StringOutputStream out(&bytes);
  google::protobuf::io::CodedOutputStream coded(&out);
  coded.SetSerializationDeterministic(true);
  if (!model.SerializeToCodedStream(&coded)) {
    throw Error(ErrorCode::model, "the model cannot be written");
  }
  coded.Trim();
  return bytes;
}

void set_properties(::onnx::ModelProto& model, const Properties& properties) {
  for (const auto& [key, value] : properties) {
    auto& all = *model.mutable_metadata_props();
    const auto same = std::find_if(all.begin(), all.end(),
                                   [&key = key](const auto& p) { return p.key() == key; });
    ::onnx::StringStringEntryProto& entry = same == all.end() ? *all.Add() : *same;
    entry.set_key(key);
    entry.set_value(value);
  }
}

void set_tensor_type(::onnx::ValueInfoProto& value, int type, const std::vector<Dimension>& dims) {
  ::onnx::TypeProto::Tensor& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  ::onnx::TensorShapeProto& shape = *tensor.mutable_shape();
  for (const Dimension& dim : dims) {
    ::onnx::TensorShapeProto::Dimension& added = *shape.add_dim();
    if (dim.name.empty()) {
      added.set_dim_value(dim.size);
    } else {
      added.set_dim_param(dim.name);
    }
  }
}

}  // namespace credence::exporter
