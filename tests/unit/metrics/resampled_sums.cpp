// Intervals of rows that are never together are those of bootstrap() over all of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "credence/evaluation_sums.hpp"
#include "errors.hpp"
#include "samples.hpp"

namespace credence {
namespace {

using samples::Problem;

constexpr std::size_t kManyRows = 21 * kBlockRows + 77;
const BootstrapOptions kHow{.resamples = 70, .seed = 8};

MetricOptions resampled(std::size_t rows) {
  MetricOptions options;
  options.resampling = {kHow.resamples, kHow.seed, rows};
  return options;
}

EvaluationSums sums_of_rows(const Problem& all, std::size_t first, std::size_t end) {
  std::vector<std::size_t> chosen(end - first);
  std::iota(chosen.begin(), chosen.end(), first);
  return accumulate(resampled(all.p.rows()), first, all.p.view().block(first, end - first),
                    all.votes().select(chosen));
}

/// In pieces of so many blocks, the last first, each sent as bytes.
EvaluationSums sums_in_pieces(const Problem& all, std::size_t blocks) {
  std::vector<EvaluationSums> pieces;
  for (std::size_t first = 0; first < all.p.rows(); first += blocks * kBlockRows) {
    const std::size_t end = std::min(first + blocks * kBlockRows, all.p.rows());
    pieces.push_back(evaluation_sums_from_bytes(to_bytes(sums_of_rows(all, first, end))));
  }
  std::reverse(pieces.begin(), pieces.end());
  return merge(std::move(pieces));
}

/// Whether metrics over equally filled bins have an interval as well.
enum class Filled { both, neither };

void expect_same_intervals(const std::vector<Estimate>& found, const std::vector<Estimate>& wanted,
                           Filled filled) {
  ASSERT_EQ(found.size(), wanted.size());
  std::size_t with_interval = 0;
  for (std::size_t m = 0; m < found.size(); ++m) {
    const bool aece = found[m].name.starts_with("aece");
    EXPECT_EQ(found[m].value, wanted[m].value) << found[m].name;
    if (aece && filled == Filled::neither) {
      EXPECT_FALSE(found[m].low) << found[m].name;
      continue;
    }
    EXPECT_EQ(found[m].low, wanted[m].low) << found[m].name;
    EXPECT_EQ(found[m].high, wanted[m].high) << found[m].name;
    EXPECT_EQ(found[m].standard_error, wanted[m].standard_error) << found[m].name;
    with_interval += found[m].low ? 1 : 0;
  }
  EXPECT_GT(with_interval, 12U);
}

TEST(ResampledSums, GiveTheIntervalsOfBootstrapToTheBitInAnyPieces) {
  const Problem one = samples::problem(3, kManyRows, 4, 5);
  Problem other = one;
  // Other probabilities for the same votes: half way to the uniform ones.
  for (std::size_t i = 0; i < other.p.rows(); ++i) {
    for (std::size_t k = 0; k < 4; ++k) other.p(i, k) = 0.5 * (other.p(i, k) + 0.25);
  }
  const std::vector<Evaluation> kept{one.evaluate({.keep_rows = true}),
                                     other.evaluate({.keep_rows = true})};
  const std::vector<std::size_t> references{0};
  const BootstrapResult wanted = bootstrap(kept, {}, references, kHow);
  for (const std::size_t blocks : {1, 3, 8, 64}) {
    const std::vector<EvaluationSums> sums{sums_in_pieces(one, blocks),
                                           sums_in_pieces(other, blocks)};
    const std::vector<Evaluation> evaluations{evaluation_of(sums[0]), evaluation_of(sums[1])};
    const BootstrapResult found = bootstrap_of_sums(evaluations, sums, references, kHow);
    EXPECT_EQ(found.units, wanted.units);
    for (std::size_t e = 0; e < 2; ++e) {
      expect_same_intervals(found.estimates[e], wanted.estimates[e], Filled::neither);
      expect_same_intervals(found.differences[0][e], wanted.differences[0][e], Filled::neither);
    }
  }
}

TEST(ResampledSums, AreGatheredInOnePlaceWhileTheRestIsMerged) {
  const Problem all = samples::problem(4, 6 * kBlockRows, 3, 4);
  const EvaluationSums wanted = sums_of_rows(all, 0, all.p.rows());
  EvaluationSums first = sums_of_rows(all, 0, 2 * kBlockRows);
  EvaluationSums rest = sums_of_rows(all, 2 * kBlockRows, 6 * kBlockRows);
  const EvaluationSums copy = rest;
  gather_resamples(rest, first);
  EXPECT_EQ(merge({rest, first}), wanted);
  // The copy has kept its own.
  EXPECT_EQ(merge({copy, sums_of_rows(all, 0, 2 * kBlockRows)}), wanted);
}

TEST(ResampledSums, TakeTheSameRoomWhateverTheRows) {
  const Problem all = samples::problem(5, 4 * kBlockRows, 3, 4);
  MetricOptions without;
  const std::size_t bytes = resampled_bytes(resampled(4 * kBlockRows), 3);
  // 16 single sums, 5 for each of 15 bins and 2 for each of 45 of the classes.
  EXPECT_EQ(bytes, (16 + 5 * 15 + 2 * 45) * 71 * sizeof(std::int64_t));
  for (const std::size_t end : {kBlockRows, 4 * kBlockRows}) {
    std::vector<std::size_t> chosen(end);
    std::iota(chosen.begin(), chosen.end(), 0U);
    const Votes votes = all.votes().select(chosen);
    const auto plain = accumulate(without, 0, all.p.view().block(0, end), votes);
    EXPECT_EQ(to_bytes(sums_of_rows(all, 0, end)).size(), to_bytes(plain).size() + bytes);
  }
  EXPECT_EQ(resampled_bytes(without, 3), 0U);
  // With 1,000 classes and resamples, the bins of the classes would take 240 MB: left out.
  MetricOptions large;
  large.resampling = {1000, 1, 5000};
  EXPECT_EQ(resampled_bytes(large, 1000), (16 + 5 * 15) * 1001 * sizeof(std::int64_t));
}

TEST(ResampledSums, OfOtherRowsOrOtherResamplesAreRefused) {
  const Problem all = samples::problem(6, 3 * kBlockRows, 3, 4);
  const EvaluationSums whole = sums_of_rows(all, 0, all.p.rows()),
                       part = sums_of_rows(all, 0, kBlockRows);
  const auto refused = [&](const EvaluationSums& sums, const BootstrapOptions& how) {
    const Evaluation evaluation = evaluation_of(sums);
    return std::string(test::error_of([&] {
                         bootstrap_of_sums({&evaluation, 1}, {&sums, 1}, {}, how);
                       }).what());
  };
  EXPECT_EQ(refused(part, kHow), "bootstrap: the sums are of rows 0 to 1024 of 3072");
  EXPECT_EQ(refused(whole, {.resamples = 71, .seed = 8}),
            "bootstrap: the sums hold 70 resamples of seed 8; wanted 71 of seed 8");
  EXPECT_EQ(refused(whole, {.resamples = 70, .seed = 8, .kind = IntervalKind::studentised}),
            "bootstrap: sums give percentile intervals over examples alone");
  MetricOptions fewer = resampled(kBlockRows + 1);
  EXPECT_STREQ(
      test::error_of([&] { accumulate(fewer, 0, all.p.view(), all.votes()); }).what(),
      "a piece ends at row 3072, and resamples are drawn from 1025 rows in blocks of 1024");
  std::string why;
  EXPECT_EQ(resampling_of({.annotators = true}, 10, why).resamples, 0);
  EXPECT_EQ(why, "no intervals: redrawing annotators needs all rows at once");
}

}  // namespace
}  // namespace credence
