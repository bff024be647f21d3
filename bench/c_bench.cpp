// The C interface: one row at a time in nanoseconds, and a batch beside Calibrator::apply on the
// same scores; one thread.
#include "bench_data.hpp"
#include "credence/credence.h"
#include "credence/io.hpp"

namespace credence::bench {
namespace {

constexpr std::size_t kRows = 20000, kClasses = 10;

struct Loaded {
  Calibrator engine;
  credence_calibrator* handle = nullptr;

  explicit Loaded(const char* method) {
    FitOptions options;
    options.threads = 1;
    engine = fit(parse_method(method), problem(kRows, kClasses).data, options);
    io::CalibratorInfo info;
    info.score_kind = "logits";
    const std::string text = io::calibrator_to_json(engine, info);
    credence_load_memory(text.data(), text.size(), &handle);
  }
  ~Loaded() { credence_free(handle); }
  Loaded(const Loaded&) = delete;
};

/// Nanoseconds for a row, as the counter best_ns; each iteration takes other rows. The fastest
/// counts: what slows a run down is other programs, never this one.
void one_row(benchmark::State& state, const char* method) {
  const Loaded loaded(method);
  const Problem& p = problem(kRows, kClasses);
  constexpr std::size_t kAtATime = 500;
  float out[kClasses];
  double best = 1e300;
  std::size_t first = 0;
  for (auto _ : state) {
    const double now = seconds([&] {
      for (std::size_t i = first; i < first + kAtATime; ++i) {
        const credence_status status =
            credence_apply_row_f32(loaded.handle, CREDENCE_LOGITS, kClasses, &p.scores(i, 0), out);
        benchmark::DoNotOptimize(out);
        if (status != CREDENCE_OK) state.SkipWithError(credence_last_error());
      }
    });
    state.SetIterationTime(now);
    best = std::min(best, now);
    first = (first + kAtATime) % kRows;
  }
  state.counters["best_ns"] = best * 1e9 / kAtATime;
}

/// The counter `engines` is the ratio: 1 when the interface costs nothing.
void batch(benchmark::State& state, const char* method) {
  const Loaded loaded(method);
  const Problem& p = problem(kRows, kClasses);
  Matrix<float> out(kRows, kClasses);
  double best = 1e300, engine = 1e300;
  for (auto _ : state) {
    const double now = seconds([&] {
      credence_apply_f32(loaded.handle, CREDENCE_LOGITS, kRows, kClasses, p.scores.data(), nullptr,
                         out.data(), nullptr);
    });
    state.SetIterationTime(now);
    best = std::min(best, now);
    engine =
        std::min(engine, seconds([&] { loaded.engine.apply(p.scores.view(), out.view(), 1); }));
  }
  state.counters["engines"] = best / engine;
  state.counters["best_ms"] = best * 1e3;
}

#define CREDENCE_BENCH_METHOD(name, method)                                                 \
  BENCHMARK_CAPTURE(one_row, name, method)->UseManualTime()->Unit(benchmark::kMicrosecond); \
  BENCHMARK_CAPTURE(batch, name, method)->UseManualTime()->Unit(benchmark::kMillisecond)

CREDENCE_BENCH_METHOD(temperature, "slts");
CREDENCE_BENCH_METHOD(class_temperatures, "vs");
CREDENCE_BENCH_METHOD(diagonal, "soft-platt");
CREDENCE_BENCH_METHOD(matrix, "dirichlet-soft");
CREDENCE_BENCH_METHOD(adaptive, "ats");
CREDENCE_BENCH_METHOD(isotonic, "ir-soft");
CREDENCE_BENCH_METHOD(histogram, "hist-bin");
CREDENCE_BENCH_METHOD(two_stages, "dirichlet-soft then ts");
CREDENCE_BENCH_METHOD(two_stages_with_steps, "dirichlet-soft then ir-soft");

}  // namespace
}  // namespace credence::bench

BENCHMARK_MAIN();
