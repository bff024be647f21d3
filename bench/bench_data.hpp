// Data and the yardstick shared by the benchmarks.
#pragma once

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "credence/fit.hpp"

namespace credence::bench {

struct Problem {
  Matrix<float> scores;
  Dataset data;
};

/// Over-confident logits and five votes per row that follow them loosely: two or three distinct
/// classes a row, as in CIFAR-10H.
inline Problem make_problem(std::size_t rows, std::size_t classes) {
  Problem out{Matrix<float>(rows, classes), {}};
  std::vector<std::size_t> offsets{0};
  std::vector<std::uint32_t> labels;
  std::vector<double> weights;
  for (std::size_t i = 0; i < rows; ++i) {
    float best = -1e9f, second = -1e9f;
    std::uint32_t first = 0, runner_up = 0;
    for (std::size_t k = 0; k < classes; ++k) {
      // A sum of four uniforms is close enough to normal, and cheap.
      float z = 0.0f;
      for (std::uint64_t s = 0; s < 4; ++s) {
        z += static_cast<float>(core::uniform(1, i, 4 * k + s)) - 0.5f;
      }
      z *= 8.0f;
      out.scores(i, k) = z;
      if (z > best) {
        second = std::exchange(best, z);
        runner_up = std::exchange(first, static_cast<std::uint32_t>(k));
      } else if (z > second) {
        second = z;
        runner_up = static_cast<std::uint32_t>(k);
      }
    }
    const auto other = static_cast<std::uint32_t>(core::random_bits(2, i, 0) % classes);
    std::map<std::uint32_t, double> votes;
    votes[first] += 3.0;
    votes[core::uniform(2, i, 1) < 0.5 ? first : runner_up] += 1.0;
    votes[core::uniform(2, i, 2) < 0.6 ? first : other] += 1.0;
    for (const auto& [label, weight] : votes) {
      labels.push_back(label);
      weights.push_back(weight);
    }
    offsets.push_back(labels.size());
  }
  out.data = make_dataset(
      out.scores.view(), ScoreKind::logits,
      Votes::from_compressed(std::move(offsets), std::move(labels), std::move(weights), classes));
  return out;
}

/// Problems are made once per size.
inline const Problem& problem(std::size_t rows, std::size_t classes) {
  static std::map<std::pair<std::size_t, std::size_t>, std::unique_ptr<Problem>> made;
  auto& slot = made[{rows, classes}];
  if (!slot) slot = std::make_unique<Problem>(make_problem(rows, classes));
  return *slot;
}

/// A folder for the files of this run.
class Folder {
 public:
  Folder() { std::filesystem::create_directories(path_); }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("credence-bench-" + std::to_string(getpid()));
};

inline const Folder& folder() {
  static const Folder made;
  return made;
}

/// Adds up every score once, at the speed of memory.
inline float plain_sum(Scores scores) {
  constexpr std::size_t kLanes = 64;
  float lanes[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= scores.size(); i += kLanes) {
    for (std::size_t l = 0; l < kLanes; ++l) lanes[l] += scores.data()[i + l];
  }
  float sum = 0.0f;
  for (const float lane : lanes) sum += lane;
  for (; i < scores.size(); ++i) sum += scores.data()[i];
  return sum;
}

template <class Body>
double seconds(const Body& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Times the body of a benchmark and reports it in plain sums. The two are timed in turn and the
/// fastest of each counts: what slows a run down is other programs, never this one.
class InSums {
 public:
  InSums(benchmark::State& state, Scores scores) : state_(state), scores_(scores) {}
  template <class Body>
  void run(const Body& body) {
    double best = 1e300, sum = 1e300;
    for (auto _ : state_) {
      const double now = seconds(body);
      state_.SetIterationTime(now);
      best = std::min(best, now);
      sum = std::min(sum, seconds([&] { benchmark::DoNotOptimize(plain_sum(scores_)); }));
    }
    state_.counters["sums"] = best / sum;
    state_.counters["sum_ms"] = sum * 1e3;
    state_.counters["best_ms"] = best * 1e3;
  }

 private:
  benchmark::State& state_;
  Scores scores_;
};

}  // namespace credence::bench
