// Any bytes as a network to append to: an Error or a model, nothing else.
#include <cstdint>
#include <cstdlib>

#include "calibrators.hpp"
#include "credence/error.hpp"
#include "credence/export.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace credence;
  static const std::vector<Calibrator> kCalibrators = fuzz::calibrators();
  // The first byte chooses what is asked for; the rest is the network.
  if (size == 0) return 0;
  const unsigned choice = data[0];
  exporter::AppendOptions options;
  options.mode = (choice & 1u) != 0 ? exporter::AppendMode::add : exporter::AppendMode::replace;
  options.result = (choice & 2u) != 0 ? exporter::Result::log_probs : exporter::Result::probs;
  options.recorded_kind = (choice & 4u) != 0 ? "probs" : "logits";
  const Calibrator& calibrator = kCalibrators[(choice >> 3) % kCalibrators.size()];
  const std::string_view network(reinterpret_cast<const char*>(data + 1), size - 1);
  exporter::AppendedModel model;
  try {
    model = exporter::append_to_model(calibrator, network, "net.onnx", options);
  } catch (const Error&) {
    return 0;
  }
  // What was written can be read again, up to the refusal to calibrate twice.
  options.properties = {{"credence.method", "fuzz"}};
  const exporter::AppendedModel marked =
      exporter::append_to_model(calibrator, network, "net.onnx", options);
  try {
    exporter::append_to_model(calibrator, marked.bytes, "again.onnx", options);
  } catch (const Error&) {
    return 0;
  }
  std::abort();
}
