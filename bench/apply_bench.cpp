// Applying a calibrator and scoring from logits, in plain sums over the same scores; one thread.
#include "bench_data.hpp"
#include "core/kernels.hpp"
#include "credence/evaluate.hpp"

namespace credence::bench {
namespace {

Calibrator fitted(const char* method, const Problem& p) {
  FitOptions options;
  options.threads = 1;
  return fit(parse_method(method), p.data, options);
}

template <class T>
void apply(benchmark::State& state, const char* method) {
  const Problem& p =
      problem(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  const Calibrator calibrator = fitted(method, p);
  Matrix<T> out(p.scores.rows(), p.scores.cols());
  InSums(state, p.data.scores).run([&] { calibrator.apply(p.data.scores, out.view(), 1); });
}

void apply_f32(benchmark::State& state, const char* method) { apply<float>(state, method); }
void apply_f64(benchmark::State& state, const char* method) { apply<double>(state, method); }

/// ece_expected straight from logits: confidence and agreement of each row, then bins.
void ece_from_logits(benchmark::State& state) {
  const Problem& p =
      problem(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  double ece = 0.0;
  InSums(state, p.data.scores).run([&] {
    ece = ece_expected_from_logits(p.data.scores, p.data.votes, 1.0);
    benchmark::DoNotOptimize(ece);
  });
  state.counters["ece"] = ece;
}

BENCHMARK_CAPTURE(apply_f32, temperature, "slts")
    ->Args({1000000, 10})
    ->Args({100000, 100})
    ->Args({10000, 1000})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(apply_f64, temperature, "slts")
    ->Args({1000000, 10})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(apply_f32, diagonal, "soft-platt")
    ->Args({1000000, 10})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(apply_f32, isotonic, "ir-soft")
    ->Args({1000000, 10})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(ece_from_logits)
    ->Args({1000000, 10})
    ->Args({100000, 100})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace credence::bench

BENCHMARK_MAIN();
