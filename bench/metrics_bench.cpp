// How long scoring takes: Monte Carlo ece_true, all metrics at once, and the bootstrap that
// 'compare' runs for every split. bench/numpy_ece_true.py times the first in NumPy on data of the
// same shape and prints the ratio.
#include <vector>

#include "bench_data.hpp"
#include "credence/bootstrap.hpp"
#include "credence/evaluate.hpp"
#include "metrics/rows/scored.hpp"

namespace credence::bench {
namespace {

/// softmax(inverse_temperature * scores).
Matrix<double> probabilities(const Problem& p, double inverse_temperature = 1.0) {
  Matrix<double> out(p.scores.rows(), p.scores.cols());
  for (std::size_t i = 0; i < out.rows(); ++i) {
    double sum = 0.0;
    for (std::size_t k = 0; k < out.cols(); ++k) {
      sum += out(i, k) = std::exp(inverse_temperature * static_cast<double>(p.scores(i, k)));
    }
    for (double& x : out.row(i)) x /= sum;
  }
  return out;
}

/// The draws alone: the rows have been scored.
void ece_true(benchmark::State& state) {
  const auto rows = static_cast<std::size_t>(state.range(0));
  const Problem& p = problem(rows, 10);
  const Matrix<double> given = probabilities(p);
  metrics::Scored scored(p.data.votes, {.draws = 100, .threads = static_cast<int>(state.range(1))},
                         0, 0, rows);
  scored.add(given.view(), {});
  const metrics::TopRows top{0, scored.confidence, scored.agreement, scored.hit};
  for (auto _ : state) {
    benchmark::DoNotOptimize(metrics::draw_top(top, scored.bins, scored.options));
  }
}
BENCHMARK(ece_true)
    ->ArgsProduct({{10'000, 1'000'000}, {1, 0}})
    ->ArgNames({"rows", "threads"})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void all_metrics(benchmark::State& state) {
  const Problem& p = problem(static_cast<std::size_t>(state.range(0)), 10);
  const Matrix<double> given = probabilities(p);
  for (auto _ : state) {
    benchmark::DoNotOptimize(evaluate(given.view(), p.data.votes, {.threads = 1}));
  }
}
BENCHMARK(all_metrics)->Arg(5'000)->Arg(100'000)->ArgName("rows")->Unit(benchmark::kMillisecond);

void resample(benchmark::State& state, IntervalKind kind) {
  const Problem& p = problem(5'000, 10);
  std::vector<Evaluation> methods;
  for (int m = 0; m < 16; ++m) {
    methods.push_back(evaluate(probabilities(p, 0.3 + 0.1 * m).view(), p.data.votes,
                               {.draws = 0, .keep_rows = true}));
  }
  const std::size_t references[] = {0, 1};
  for (auto _ : state) {
    benchmark::DoNotOptimize(bootstrap(
        methods, {}, references, {.kind = kind, .threads = static_cast<int>(state.range(0))}));
  }
}
BENCHMARK_CAPTURE(resample, percentile, IntervalKind::percentile)
    ->Arg(1)
    ->Arg(0)
    ->ArgName("threads")
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(resample, studentised, IntervalKind::studentised)
    ->Arg(0)
    ->ArgName("threads")
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace credence::bench

BENCHMARK_MAIN();
