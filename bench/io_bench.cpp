// Reading scores: MB/s of file read, one thread. CSV in the shape people write it, NPY mapped and
// then summed once, which is what a first pass over the scores costs.
#include <filesystem>
#include <string>

#include "bench_data.hpp"
#include "credence/io.hpp"

namespace credence::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRows = 1000000, kClasses = 10;

std::string written(io::TableFormat format, const char* name) {
  const std::string path = folder().file(name);
  if (fs::exists(path)) return path;
  const Problem& p = problem(kRows, kClasses);
  Matrix<double> values(kRows, kClasses);
  for (std::size_t i = 0; i < kRows * kClasses; ++i) values.data()[i] = p.scores.data()[i];
  auto table = io::create_table(path, {.format = format, .float64 = false}, {});
  table->write(values.view(), {});
  table->commit();
  return path;
}

void load(benchmark::State& state, io::TableFormat format, const char* name) {
  const std::string path = written(format, name);
  const io::ScoreFile file{
      path, ScoreKind::logits, format == io::TableFormat::jsonl ? "probs" : "", {}};
  InSums(state, problem(kRows, kClasses).data.scores).run([&] {
    const io::ScoreTable table = io::load_scores(file, io::LoadAs::float32);
    benchmark::DoNotOptimize(plain_sum(table.f32));
  });
  state.SetBytesProcessed(static_cast<std::int64_t>(fs::file_size(path)) * state.iterations());
}

BENCHMARK_CAPTURE(load, npy, io::TableFormat::npy, "scores.npy")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(load, csv, io::TableFormat::csv, "scores.csv")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(load, jsonl, io::TableFormat::jsonl, "scores.jsonl")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace credence::bench

BENCHMARK_MAIN();
