// What the first look at rows claims, against double.
#include "fit/passes/rough_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/array_kernels.hpp"
#include "core/random.hpp"

namespace credence::fit_detail {
namespace {

struct Looked {
  std::vector<float> others;
  std::vector<double> confidence;
};

/// Scores of a wide or a narrow spread, so that predictions are near 1 / K or near certain.
Looked look(std::size_t rows, std::size_t classes, double spread) {
  std::vector<float> scores(rows * classes);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i] = static_cast<float>(spread * core::uniform(9, i, classes) + 3.0);
  }
  Looked out{std::vector<float>(rows), std::vector<double>(rows)};
  std::vector<std::uint32_t> top(rows);
  const core::ArrayKernels& kernels = core::array_kernels();
  kernels.top_roughly(scores.data(), rows, classes, out.others.data(), top.data());
  kernels.top_accurate(scores.data(), rows, classes, out.confidence.data(), top.data());
  return out;
}

TEST(RoughOthers, AreWithinTheirRange) {
  for (const std::size_t classes : {2u, 10u, 31u, 32u, 100u, 1000u, 20000u}) {
    for (const double spread : {0.01, 1.0, 10.0, 40.0, 400.0}) {
      const std::size_t rows = std::max<std::size_t>(40, 100000 / classes);
      const Looked rows_seen = look(rows, classes, spread);
      const RoughOthers rough(classes);
      for (std::size_t i = 0; i < rows; ++i) {
        const double exact = 1.0 / rows_seen.confidence[i] - 1.0;
        const OthersRange range = rough.range(RoughRow::of(rows_seen.others[i], i).others());
        ASSERT_LE(range.low, exact) << classes << ' ' << spread;
        ASSERT_GE(range.high, exact) << classes << ' ' << spread;
      }
    }
  }
}

TEST(RoughOrder, RowsInDifferentRunsAreInOrder) {
  for (const double spread : {1.0, 15.0, 60.0}) {
    const std::size_t rows = 20000, classes = 5;
    const Looked seen = look(rows, classes, spread);
    std::vector<RoughRow> list;
    for (std::size_t i = 0; i < rows; ++i) list.push_back(RoughRow::of(seen.others[i], i));
    const RoughOrder order(list, classes);
    double most = 0.0, before = 0.0;  // of this run, of all before
    for (std::size_t place = 0; place < rows; ++place) {
      if (order.run_at(place).first == place) before = most;
      const double confidence = seen.confidence[order.rows()[place].row];
      ASSERT_GT(confidence, before) << spread;
      most = std::max(most, confidence);
    }
    EXPECT_FALSE(order.runs().empty());  // of so many rows some are too near
  }
}

}  // namespace
}  // namespace credence::fit_detail
