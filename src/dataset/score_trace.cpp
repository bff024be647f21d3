#include "dataset/score_trace.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/array_kernels.hpp"
#include "dataset/cross_table.hpp"

namespace credence {
namespace {

/// Only one of so many rows will be asked for its predicted class, and all of them be looked at all
/// the same while they are in the cache.
constexpr std::size_t kWorthIt = 4;

class ScoreTracer {
 public:
  void add(Scores rows) {
    sketch_.add(rows);  // asks for the rows behind these
    print_.add(rows);
  }
  ScoreTrace finish(std::vector<std::uint32_t> predicted) const {
    return {print_.scores(), sketch_.finish(), std::move(predicted)};
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

}  // namespace

ScoreTrace trace_scores(Scores scores) {
  ScoreTracer tracer;
  for_each_part(scores, [&](Scores rows) {
    tracer.add(rows);
    return true;
  });
  return tracer.finish({});
}

std::shared_ptr<const ScoreTrace> trace_finite_scores(Scores scores) {
  ScoreTracer tracer;
  std::vector<std::uint32_t> predicted;
  if (dataset::class_order_step(scores.rows()) <= kWorthIt) predicted.resize(scores.rows());
  std::uint32_t* next = predicted.data();
  const bool all_finite = for_each_part(scores, [&](Scores rows) {
    tracer.add(rows);
    if (next != nullptr) {
      core::array_kernels().top_of_rows(rows.data(), rows.rows(), rows.cols(), next);
      next += rows.rows();
    }
    return core::kernels().all_finite(rows.data(), rows.size());
  });
  if (!all_finite) return nullptr;
  return std::make_shared<const ScoreTrace>(tracer.finish(std::move(predicted)));
}

}  // namespace credence
