// Calibrators of every method, as the engine has them and as C programs load them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "credence/auto_fit.hpp"
#include "credence/credence.h"
#include "credence/io.hpp"
#include "synthetic.hpp"

namespace credence::c_testing {

/// Frees what it holds.
class Handle {
 public:
  explicit Handle(const std::string& text) {
    EXPECT_EQ(credence_load_memory(text.data(), text.size(), &calibrator_), CREDENCE_OK)
        << credence_last_error();
  }
  ~Handle() { credence_free(calibrator_); }
  Handle(const Handle&) = delete;
  operator credence_calibrator*() const { return calibrator_; }

 private:
  credence_calibrator* calibrator_ = nullptr;
};

inline constexpr std::size_t kRows = 300, kClasses = 4;
inline constexpr const char* kMethodNames[] = {
    "uncalibrated", "slts",           "vs",
    "soft-platt",   "dirichlet-soft", "ats",
    "ir-soft",      "hist-bin",       "dirichlet-soft then ts",
    "floor",        "adaptive-floor", "ridge-sharp",
    "channel-both", "clip",           "curves",
    "auto"};

inline const testing_data::Synthetic& data() {
  static const auto set = testing_data::make_synthetic(kRows, kClasses, 5);
  return set;
}

inline Calibrator fitted(const char* method, Gauge gauge = Gauge::log_probs) {
  FitOptions options;
  options.threads = 1;
  options.gauge = gauge;
  return fit_any(parse_method(method), data().data, options);
}

inline std::string as_json(const Calibrator& calibrator) {
  io::CalibratorInfo info;
  info.fingerprint = "00112233445566778899aabbccddeeff";
  info.rows = kRows;
  info.score_kind = "logits";
  info.evidence = "distributions";
  info.votes_per_example = 5.0;
  return io::calibrator_to_json(calibrator, info);
}

}  // namespace credence::c_testing
