// Any bytes as a calibrator file: an Error, or a calibrator that applies and exports.
#include <cstdint>

#include "credence/error.hpp"
#include "credence/export.hpp"
#include "credence/io.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace credence;
  constexpr std::size_t kMostClasses = 64;  // for speed: parameters are bounded by the bytes anyway
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const io::LoadedCalibrator loaded = io::calibrator_from_json(text, "model.json");
    const Calibrator& calibrator = loaded.calibrator;
    if (calibrator.class_count > kMostClasses) return 0;
    const Matrix<double> scores =
        exporter::made_up_scores(calibrator.class_count, ScoreKind::logits);
    exporter::check_rows(calibrator, scores, ScoreKind::logits, exporter::Precision::float32);
    exporter::onnx_model(calibrator, {});
    io::calibrator_to_json(calibrator, loaded.info);
  } catch (const Error&) {
  }
  return 0;
}
