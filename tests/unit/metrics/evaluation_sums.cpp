// An evaluation put together from pieces of the rows has the bits of evaluate().
#include "credence/evaluation_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "errors.hpp"
#include "samples.hpp"

namespace credence {
namespace {

using samples::expect_same_bits;
using samples::Problem;

template <class Call>
std::string refusal(const Call& call) {
  return test::error_of(call).what();
}

/// The sums of rows [first, end).
EvaluationSums piece(const Problem& all, std::size_t first, std::size_t end,
                     const MetricOptions& options = {}) {
  std::vector<std::size_t> chosen(end - first);
  std::iota(chosen.begin(), chosen.end(), first);
  return accumulate(options, first, all.p.view().block(first, end - first),
                    all.votes().select(chosen));
}

/// A random division of the rows into runs of whole blocks, merged in a random order and shape.
EvaluationSums divided(const Problem& all, std::uint64_t seed, const MetricOptions& options = {}) {
  const std::size_t rows = all.p.rows();
  std::vector<EvaluationSums> pieces;
  for (std::size_t first = 0; first < rows;) {
    const std::size_t blocks = 1 + core::random_bits(seed, first, 0) % 4;
    const std::size_t end = std::min(first + blocks * kBlockRows, rows);
    pieces.push_back(piece(all, first, end, options));
    first = end;
  }
  // Neighbours first, at random places, then what is left in reverse order.
  for (std::uint64_t step = 0; step < 2 && pieces.size() > 2; ++step) {
    const auto at =
        static_cast<std::ptrdiff_t>(core::random_bits(seed, step, 1) % (pieces.size() - 1));
    pieces[static_cast<std::size_t>(at)] =
        merge({*(pieces.begin() + at + 1), *(pieces.begin() + at)});
    pieces.erase(pieces.begin() + at + 1);
  }
  std::reverse(pieces.begin(), pieces.end());
  return merge(std::move(pieces));
}

TEST(EvaluationSums, OfAnyDivisionIntoWholeBlocksGiveTheBitsOfEvaluate) {
  const Problem all = samples::problem(3, 20 * kBlockRows + 77, 4, 5);
  const EvaluationSums at_once = piece(all, 0, all.p.rows());
  const Evaluation wanted = all.evaluate();
  expect_same_bits(evaluation_of(at_once), wanted);
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const EvaluationSums merged = divided(all, seed);
    EXPECT_EQ(merged, at_once);
    expect_same_bits(evaluation_of(merged), wanted);
  }
}

TEST(EvaluationSums, ThreadsChangeNoBit) {
  const Problem all = samples::problem(4, 3 * kBlockRows, 3, 4);
  const Evaluation one = all.evaluate({.draws = 500, .threads = 1});
  for (const int threads : {2, 7}) {
    expect_same_bits(evaluation_of(divided(all, 1, {.draws = 500, .threads = threads})), one);
  }
}

TEST(EvaluationSums, TravelAsBytes) {
  const Problem all = samples::problem(5, 3 * kBlockRows + 1, 3, 3);
  std::vector<EvaluationSums> pieces;
  for (const auto& [first, end] : {std::pair{2 * kBlockRows, all.p.rows()},
                                   {std::size_t{0}, kBlockRows},
                                   {kBlockRows, 2 * kBlockRows},
                                   {kBlockRows, 2 * kBlockRows}}) {
    const EvaluationSums made = piece(all, first, end);
    const std::vector<std::byte> bytes = to_bytes(made);
    pieces.push_back(evaluation_sums_from_bytes(bytes));
    EXPECT_EQ(to_bytes(pieces.back()), bytes);
    EXPECT_EQ(pieces.back(), made);
  }
  expect_same_bits(evaluation_of(merge(std::move(pieces))), all.evaluate());
}

TEST(EvaluationSums, WithoutListedRowsTheirSizeDoesNotGrowAndTheOtherMetricsKeepTheirBits) {
  const Problem all = samples::problem(6, 16 * kBlockRows, 3, 3);
  const MetricOptions sums_only{.list_rows = false};
  const EvaluationSums small = piece(all, 0, 8 * kBlockRows, sums_only);
  const EvaluationSums large = piece(all, 0, 16 * kBlockRows, sums_only);
  // Both are one node of the tree; a few bins are entered by the later rows only.
  EXPECT_LT(static_cast<double>(to_bytes(large).size()),
            1.1 * static_cast<double>(to_bytes(small).size()));
  const Evaluation found = evaluation_of(large), wanted = all.evaluate();
  std::size_t empty = 0;
  for (std::size_t i = 0; i < found.metrics.size(); ++i) {
    if (!found.metrics[i].value) {
      ++empty;
    } else {
      EXPECT_EQ(found.metrics[i].value, wanted.metrics[i].value) << found.metrics[i].name;
    }
  }
  // Three of equally filled bins, smooth_ece, and two that need concentrations.
  EXPECT_EQ(empty, 6U);
  EXPECT_TRUE(found.pointwise_by_entropy.empty());
}

TEST(EvaluationSums, GapsOverlapsAndOtherOptionsAreRefused) {
  const Problem all = samples::problem(7, 3 * kBlockRows, 3, 3);
  const EvaluationSums first = piece(all, 0, kBlockRows),
                       third = piece(all, 2 * kBlockRows, 3 * kBlockRows);
  const EvaluationSums two = piece(all, 0, 2 * kBlockRows);
  EXPECT_EQ(refusal([&] {
              merge({first, third});
            }),
            "a gap between sums: rows 0 to 1024 and rows 2048 to 3072");
  EXPECT_EQ(refusal([&] {
              merge({two, piece(all, kBlockRows, 3 * kBlockRows)});
            }),
            "sums that overlap: rows 0 to 2048 and rows 1024 to 3072");
  EXPECT_EQ(
      refusal([&] {
        merge({two, piece(all, 2 * kBlockRows, 3 * kBlockRows, {.bins = 7})});
      }),
      "sums of evaluations with other options or classes: rows 0 to 2048 and rows 2048 to 3072");
  EXPECT_EQ(refusal([&] { piece(all, 5, kBlockRows); }),
            "a piece begins at row 5, which is not a multiple of 1024");
}

TEST(EvaluationSums, DamagedBytesAreRefusedNotBelieved) {
  const Problem all = samples::problem(8, 40, 3, 3);
  const std::vector<std::byte> good = to_bytes(piece(all, 0, 40, {.draws = 3}));
  for (std::size_t length = 0; length < good.size(); length += 13) {
    EXPECT_THROW(evaluation_sums_from_bytes(std::span(good).first(length)), Error) << length;
  }
  // Whatever a changed byte makes of it: an error, or sums that can be evaluated.
  for (std::size_t at = 0; at < good.size(); at += 3) {
    std::vector<std::byte> bad = good;
    bad[at] ^= std::byte{0x81};
    try {
      evaluation_of(evaluation_sums_from_bytes(bad));
    } catch (const Error&) {
    }
  }
}

TEST(EvaluationSums, ConcentrationsMergeAndTravelToo) {
  const Problem all = samples::problem(11, 3000, 4, 5);
  Matrix<double> sure(3000, 2);
  for (std::size_t i = 0; i < 3000; ++i) {
    sure(i, 0) = 0.1 + 9.0 * core::uniform(4, i, 0);
    sure(i, 1) = core::uniform(4, i, 1);
  }
  std::vector<EvaluationSums> pieces;
  for (const std::size_t first : {std::size_t{1024}, std::size_t{0}}) {
    const std::size_t count = first == 0 ? 1024 : 3000 - first;
    std::vector<std::size_t> chosen(count);
    std::iota(chosen.begin(), chosen.end(), first);
    const EvaluationSums sums =
        accumulate({}, first, all.p.view().block(first, count), all.votes().select(chosen),
                   sure.view().block(first, count));
    pieces.push_back(evaluation_sums_from_bytes(to_bytes(sums)));
    EXPECT_EQ(pieces.back(), sums);
  }
  const Votes votes = all.votes();
  Evaluator evaluator(votes);
  evaluator.add(all.p.view(), sure.view());
  const Evaluation whole = evaluator.finish(), merged = evaluation_of(merge(pieces));
  expect_same_bits(whole, merged);
  ASSERT_EQ(whole.disagreement_bins.size(), 10U);
  for (std::size_t b = 0; b < 10; ++b) {
    EXPECT_EQ(whole.disagreement_bins[b].observed, merged.disagreement_bins[b].observed);
  }
  // Rows with and without concentrations do not add up.
  EXPECT_THROW(merge({pieces[1], piece(all, 1024, 3000)}), Error);
}

}  // namespace
}  // namespace credence
