// How long fits take: one thread, data in memory. "sums" is the time in plain sums over the scores;
// "gradients" the time in gradient passes of the same map.
#include <sys/resource.h>

#include "bench_data.hpp"
#include "core/kernels.hpp"
#include "fit/search/local_objective.hpp"
#include "map/all_maps.hpp"

namespace credence::bench {
namespace {

FitOptions one_thread() {
  FitOptions options;
  options.threads = 1;
  return options;
}

void report(benchmark::State& state, const Calibrator& calibrator) {
  const FitReport& fitted = calibrator.stages.front().report;
  state.counters["passes"] = fitted.passes;
  state.counters["gradient"] = fitted.gradient_norm;
  state.SetLabel(std::string(to_string(fitted.stop)));
}

/// The target is part of the fit: a user starts from votes.
void fit_temperature(benchmark::State& state, const char* method) {
  const Problem& p =
      problem(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  const MethodSpec spec = parse_method(method);
  Stage stage;
  InSums(state, p.data.scores).run([&] {
    const Targets targets = make_target(spec.stages[0].target, p.data, 42);
    stage = fit_stage(spec.stages[0].map, p.data, targets, one_thread());
  });
  state.counters["passes"] = stage.report.passes;
  state.counters["gradient"] = stage.report.gradient_norm;
  state.counters["ns_per_score"] = benchmark::Counter(
      static_cast<double>(p.data.scores.size()) * 1e-9,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.SetLabel(std::string(to_string(stage.report.stop)));
}

void fit_matrix(benchmark::State& state) {
  const Problem& p =
      problem(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  const std::size_t classes = p.data.classes_count();
  const Targets targets = make_target(Annotators{}, p.data, 42);
  const FitOptions options = one_thread();
  fit_detail::LocalObjective objective(MatrixAffine{}, p.data.scores, targets, options);
  const auto identity = map::Math<MatrixAffine>::identity(classes);
  Calibrator calibrator;
  double gradient = 1e300, best = 1e300;
  for (auto _ : state) {
    for (int repeat = 0; repeat < 3; ++repeat) {
      gradient =
          std::min(gradient,
                   seconds([&] { benchmark::DoNotOptimize(objective.evaluate(identity, false)); }));
    }
    const double now =
        seconds([&] { calibrator = fit(parse_method("dirichlet-soft"), p.data, options); });
    state.SetIterationTime(now);
    best = std::min(best, now);
  }
  state.counters["gradients"] = best / gradient;
  state.counters["gradient_ms"] = gradient * 1e3;
  state.counters["best_ms"] = best * 1e3;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_MB"] = static_cast<double>(usage.ru_maxrss) / 1024.0;
  report(state, calibrator);
}

BENCHMARK_CAPTURE(fit_temperature, slts, "slts")
    ->Args({1000000, 10})
    ->Args({500000, 10})
    ->Args({2000000, 10})
    ->Args({100000, 100})
    ->Args({50000, 1000})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fit_temperature, ls_ts, "ls-ts")
    ->Args({1000000, 10})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(fit_matrix)
    ->Name("fit_matrix/dirichlet_soft")
    ->Args({10000, 10})
    ->Args({20000, 10})
    ->Args({100000, 10})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(fit_matrix)
    ->Name("fit_matrix_large/dirichlet_soft")
    ->Args({100000, 100})
    ->Args({50000, 1000})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kSecond);

}  // namespace
}  // namespace credence::bench

BENCHMARK_MAIN();
