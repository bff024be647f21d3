#include "dataset/score_trace.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/array_kernels.hpp"
#include "core/parallel.hpp"
#include "dataset/cross_table.hpp"

namespace credence {
namespace {

/// Only one of so many rows will be asked for its predicted class, and all of them be looked at all
/// the same while they are in the cache.
constexpr std::size_t kWorthIt = 4;

class ScoreTracer {
 public:
  /// Of rows from the beginning of a block on.
  explicit ScoreTracer(std::uint64_t first_block = 0) : print_(first_block) {}

  void add(Scores rows) {
    sketch_.add(rows);  // asks for the rows behind these
    print_.add(rows);
  }
  void add(Scores rows, float* others, std::uint32_t* top) {
    sketch_.add(rows, others, top);
    print_.add(rows);
  }
  /// Several, one behind the other.
  static ScoreTrace finish(const std::vector<ScoreTracer>& all) {
    HashTree hashes = all.front().print_.scores();
    RowSketcher sketch = all.front().sketch_;
    for (std::size_t i = 1; i < all.size(); ++i) {
      hashes.merge(all[i].print_.scores());
      sketch.merge(all[i].sketch_);
    }
    return {std::move(hashes), sketch.finish(), {}, nullptr};
  }

 private:
  Fingerprint print_;
  RowSketcher sketch_;
};

/// Calls body(rows) for some rows at a time, until it returns false.
template <class Body>
bool for_each_part(Scores scores, const Body& body) {
  constexpr std::size_t kNumbers = 8192;
  const std::size_t tile = scores.cols() < core::kLongRow ? core::tile_rows(scores.cols()) : 1;
  const std::size_t part = std::max<std::size_t>(kNumbers / scores.cols() / tile, 1) * tile;
  for (std::size_t first = 0; first < scores.rows(); first += part) {
    if (!body(scores.block(first, std::min(part, scores.rows() - first)))) return false;
  }
  return true;
}

/// A first look finds NaN in every row with a score that is not finite, and in some others.
bool is_finite_where_unclear(Scores rows, const float* others) {
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    if (std::isnan(others[r]) && !core::kernels().all_finite(rows.row(r).data(), rows.cols())) {
      return false;
    }
  }
  return true;
}

}  // namespace

ScoreTrace trace_scores(Scores scores) {
  std::vector<ScoreTracer> tracer(1);
  for_each_part(scores, [&](Scores rows) {
    tracer.front().add(rows);
    return true;
  });
  return ScoreTracer::finish(tracer);
}

std::shared_ptr<const ScoreTrace> trace_finite_scores(Scores scores, bool with_look, int threads) {
  const auto look = with_look ? std::make_shared<FirstLook>() : nullptr;
  std::vector<std::uint32_t> predicted;
  if (look) {
    look->of = scores;
    look->others.resize(scores.rows());
    look->top.resize(scores.rows());
  } else if (dataset::class_order_step(scores.rows()) <= kWorthIt) {
    predicted.resize(scores.rows());
  }
  // A stretch of whole blocks for each thread.
  const std::size_t blocks = (scores.rows() + kBlockRows - 1) / kBlockRows;
  const auto team =
      std::min(blocks, static_cast<std::size_t>(core::threads_for(scores.size(), threads)));
  std::vector<ScoreTracer> tracers;
  for (std::size_t i = 0; i < team; ++i) tracers.emplace_back(blocks * i / team);
  std::atomic<bool> all_finite{true};
  core::parallel_for(static_cast<int>(team), team, [&](std::size_t i) {
    std::size_t first = blocks * i / team * kBlockRows;
    const std::size_t end = std::min(blocks * (i + 1) / team * kBlockRows, scores.rows());
    for_each_part(scores.block(first, end - first), [&](Scores rows) {
      const std::size_t here = std::exchange(first, first + rows.rows());
      bool finite = true;
      if (look) {
        float* const others = look->others.data() + here;
        tracers[i].add(rows, others, look->top.data() + here);
        finite = is_finite_where_unclear(rows, others);
      } else {
        tracers[i].add(rows);
        if (!predicted.empty()) {
          core::array_kernels().top_of_rows(rows.data(), rows.rows(), rows.cols(),
                                            predicted.data() + here);
        }
        finite = core::kernels().all_finite(rows.data(), rows.size());
      }
      if (!finite) all_finite = false;
      return all_finite.load(std::memory_order_relaxed);
    });
  });
  if (!all_finite) return nullptr;
  ScoreTrace trace = ScoreTracer::finish(tracers);
  trace.predicted = std::move(predicted);
  trace.look = look;
  return std::make_shared<const ScoreTrace>(std::move(trace));
}

}  // namespace credence
