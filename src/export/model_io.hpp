// ONNX bytes to messages and back, with bounds.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <string_view>

#include "credence/export.hpp"

namespace credence::exporter {

/// Refuses with advice what is no ONNX model, is cut off, nests too deep, or exceeds 2 GiB.
::onnx::ModelProto parse_model(std::string_view bytes, const std::string& origin);

/// The same model always gives the same bytes. More than protobuf's 2 GiB is an Error.
std::string serialise(const ::onnx::ModelProto& model);

/// Adds the properties; one that is there already is replaced.
void set_properties(::onnx::ModelProto& model, const Properties& properties);

/// `name: elem[dims]` for a graph's inputs and outputs; an empty name in `dims` is a number.
struct Dimension {
  std::string name;
  std::int64_t size = 0;
};
void set_tensor_type(::onnx::ValueInfoProto& value, int type, const std::vector<Dimension>& dims);

}  // namespace credence::exporter
