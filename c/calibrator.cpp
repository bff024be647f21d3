// Loading, freeing and asking.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/kernels.hpp"
#include "handle.hpp"
#include "io/calibrator/calibrator_json.hpp"
#include "last_error.hpp"

namespace credence::c {
namespace {

/// In C a name would end at its first 0, and two classes could look the same.
void check_text(std::string_view text, std::string_view what) {
  if (text.find('\0') == std::string_view::npos) return;
  throw Error(ErrorCode::model, std::string(what) + " contains a character U+0000",
              "C strings cannot hold it; choose other names and fit again");
}

credence_calibrator* make_handle(io::LoadedCalibrator loaded) {
  for (const std::string& name : loaded.calibrator.classes) check_text(name, "a class name");
  check_text(loaded.calibrator.method, "the method");
  check_text(loaded.info.fingerprint, "the fingerprint");
  auto handle = std::make_unique<credence_calibrator>();
  for (const ScoreKind kind : {ScoreKind::logits, ScoreKind::log_probs, ScoreKind::probs}) {
    if (loaded.info.score_kind == to_string(kind)) handle->fitted_kind = kind;
  }
  const std::size_t classes = loaded.calibrator.class_count;
  const std::size_t tile = core::tile_rows(classes);
  handle->block_rows = std::max(tile, kBlockNumbers / classes / tile * tile);
  if (classes <= kPreparedBytes / sizeof(double) / tile) {
    handle->lease_bytes = handle->block_rows * classes * sizeof(double);
  }
  handle->loaded = std::move(loaded);
  return handle.release();
}

template <class Load>
credence_status load(credence_calibrator** out, const void* source, const Load& read) noexcept {
  if (out == nullptr) return fail(CREDENCE_ERROR_USAGE, "no place for the calibrator: NULL given");
  *out = nullptr;
  if (source == nullptr) return fail(CREDENCE_ERROR_USAGE, "no calibrator to load: NULL given");
  return guarded([&] {
    *out = make_handle(read());
    return CREDENCE_OK;
  });
}

}  // namespace
}  // namespace credence::c

using namespace credence;

extern "C" {

const char* credence_version(void) { return CREDENCE_VERSION; }

uint32_t credence_format_version(void) { return static_cast<uint32_t>(io::kCalibratorVersion); }

credence_status credence_load_file(const char* path, credence_calibrator** calibrator) {
  return c::load(calibrator, path, [&] {
    // For the program "-" is standard input; a library does not take that from its host.
    const std::string name = std::string_view(path) == "-" ? "./-" : path;
    return io::load_calibrator(name);
  });
}

credence_status credence_load_memory(const void* text, size_t size,
                                     credence_calibrator** calibrator) {
  return c::load(calibrator, text, [&] {
    return io::calibrator_from_json({static_cast<const char*>(text), size}, "calibrator in memory");
  });
}

void credence_free(credence_calibrator* calibrator) { delete calibrator; }

size_t credence_class_count(const credence_calibrator* calibrator) {
  return calibrator == nullptr ? 0 : calibrator->loaded.calibrator.class_count;
}

const char* credence_class_name(const credence_calibrator* calibrator, size_t k) {
  if (calibrator == nullptr || k >= calibrator->loaded.calibrator.classes.size()) return nullptr;
  return calibrator->loaded.calibrator.classes[k].c_str();
}

const char* credence_method(const credence_calibrator* calibrator) {
  return calibrator == nullptr ? nullptr : calibrator->loaded.calibrator.method.c_str();
}

credence_gauge credence_get_gauge(const credence_calibrator* calibrator) {
  return calibrator != nullptr && calibrator->loaded.calibrator.gauge == Gauge::raw
             ? CREDENCE_GAUGE_RAW
             : CREDENCE_GAUGE_LOG_PROBS;
}

int credence_fitted_kind(const credence_calibrator* calibrator) {
  if (calibrator == nullptr || !calibrator->fitted_kind) return 0;
  switch (*calibrator->fitted_kind) {
    case ScoreKind::logits:
      return CREDENCE_LOGITS;
    case ScoreKind::log_probs:
      return CREDENCE_LOG_PROBS;
    case ScoreKind::probs:
      return CREDENCE_PROBS;
  }
  return 0;
}

const char* credence_fingerprint(const credence_calibrator* calibrator) {
  return calibrator == nullptr ? nullptr : calibrator->loaded.info.fingerprint.c_str();
}

uint64_t credence_fitted_rows(const credence_calibrator* calibrator) {
  return calibrator == nullptr ? 0 : calibrator->loaded.info.rows;
}

double credence_votes_per_example(const credence_calibrator* calibrator) {
  return calibrator == nullptr ? 0.0 : calibrator->loaded.info.votes_per_example;
}

double credence_temperature(const credence_calibrator* calibrator) {
  return calibrator == nullptr ? 0.0 : calibrator->loaded.calibrator.temperature();
}

}  // extern "C"
