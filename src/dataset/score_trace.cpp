#include "dataset/score_trace.hpp"

#include <algorithm>
#include <cmath>
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
  void add(Scores rows, float* others, std::uint32_t* top) {
    sketch_.add(rows, others, top);
    print_.add(rows);
  }
  ScoreTrace finish() const { return {print_.scores(), sketch_.finish(), {}, nullptr}; }

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
  ScoreTracer tracer;
  for_each_part(scores, [&](Scores rows) {
    tracer.add(rows);
    return true;
  });
  return tracer.finish();
}

std::shared_ptr<const ScoreTrace> trace_finite_scores(Scores scores, bool with_look) {
  ScoreTracer tracer;
  const auto look = with_look ? std::make_shared<FirstLook>() : nullptr;
  std::vector<std::uint32_t> predicted;
  if (look) {
    look->of = scores;
    look->others.resize(scores.rows());
    look->top.resize(scores.rows());
  } else if (dataset::class_order_step(scores.rows()) <= kWorthIt) {
    predicted.resize(scores.rows());
  }
  std::size_t first = 0;
  const bool all_finite = for_each_part(scores, [&](Scores rows) {
    const std::size_t here = std::exchange(first, first + rows.rows());
    if (look) {
      float* const others = look->others.data() + here;
      tracer.add(rows, others, look->top.data() + here);
      return is_finite_where_unclear(rows, others);
    }
    tracer.add(rows);
    if (!predicted.empty()) {
      core::array_kernels().top_of_rows(rows.data(), rows.rows(), rows.cols(),
                                        predicted.data() + here);
    }
    return core::kernels().all_finite(rows.data(), rows.size());
  });
  if (!all_finite) return nullptr;
  ScoreTrace trace = tracer.finish();
  trace.predicted = std::move(predicted);
  trace.look = look;
  return std::make_shared<const ScoreTrace>(std::move(trace));
}

}  // namespace credence
