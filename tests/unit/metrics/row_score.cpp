// What is looked up, counted in tables or computed side by side is what plain arithmetic gives.
#include "metrics/rows/row_score.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/random.hpp"
#include "metrics/numbers/sum.hpp"
#include "metrics/rows/share_table.hpp"

namespace credence::metrics {
namespace {

TEST(ShareTable, GivesSharesAndTheirEntropy) {
  ShareTable table;
  for (const double m : {1.0, 5.0, 63.0, 64.0, 1000.0, 2.5}) {
    for (const double c : {0.0, 1.0, m / 2.0, std::floor(m / 3.0), m}) {
      const double share = c / m;
      const Share found = table.of(c, m);
      EXPECT_EQ(found.share, share);
      EXPECT_EQ(found.variance, share * (1.0 - share));
      EXPECT_EQ(found.looked_up, m < 64.0 && m == std::floor(m) && c == std::floor(c));
      // A whole number of 2^-52, of a term whose own rounding is as large.
      const double term = share > 0.0 ? -share * std::log(share) : 0.0;
      const std::int64_t steps = table.entropy_steps_of(std::vector<double>{share});
      EXPECT_NEAR(entropy_of(steps), term, 0x1p-51);
      EXPECT_EQ(found.entropy_steps, found.looked_up ? steps : 0);
    }
  }
}

TEST(ShareTable, EqualSharesHaveEqualNumbers) {
  ShareTable table;
  EXPECT_EQ(table.of(0.0, 3.0).number, ShareTable::kOfNothing);
  EXPECT_EQ(table.of(1.0, 2.0).number, table.of(2.0, 4.0).number);
  EXPECT_EQ(table.of(5.0, 5.0).number, table.of(1.0, 1.0).number);
  EXPECT_NE(table.of(1.0, 3.0).number, table.of(1.0, 4.0).number);
  EXPECT_EQ(table.of(0.5, 1.0).number, ChanceCounter::kNumbered);
}

TEST(ChanceCounter, CountsEveryPairWhateverTheTable) {
  for (const std::size_t cells : {150u, 100000u}) {  // with a table of numbers, and without
    ChanceCounter counter(cells);
    ShareTable shares;
    std::map<std::pair<std::uint32_t, double>, std::uint64_t> plain;
    for (std::uint64_t i = 0; i < 20000; ++i) {
      const auto cell = static_cast<std::uint32_t>(core::random_bits(1, i, 0) % cells);
      const auto m = static_cast<double>(1 + core::random_bits(1, i, 1) % 20);
      const double c = std::floor(core::uniform(1, i, 2) * m);
      const Share share = shares.of(c, m);
      counter.add(cell, share.share, share.number);
      ++plain[{cell, share.share}];
    }
    Chances expected;
    for (const auto& [what, count] : plain) expected.push_back({what.first, what.second, count});
    EXPECT_EQ(counter.take(), expected);
    EXPECT_TRUE(counter.take().empty());
  }
}

TEST(SumRow, HasTheBitsOfSingleSums) {
  SumRow<3> row;
  std::array<Sum, 3> each;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    std::array<double, 3> terms;
    for (std::size_t s = 0; s < 3; ++s) {
      terms[s] = (core::uniform(2, i, s) - 0.5) * std::exp2(40.0 * core::uniform(3, i, s));
      each[s].add(terms[s]);
    }
    row.add(terms);
  }
  const std::array<double, 3> sums = row.take();
  for (std::size_t s = 0; s < 3; ++s) EXPECT_EQ(sums[s], each[s].value());
  EXPECT_EQ(row.take(), (std::array<double, 3>{}));
}

/// Every pair of classes: more votes, a higher probability.
bool ranked_alike(const std::vector<double>& weights, const std::vector<double>& p) {
  for (std::size_t a = 0; a < p.size(); ++a) {
    for (std::size_t b = 0; b < p.size(); ++b) {
      if (weights[a] > weights[b] && !(p[a] > p[b])) return false;
    }
  }
  return true;
}

TEST(RowScore, RankingIsThatOfEveryPairForFewAndManyClasses) {
  for (const std::size_t classes : {2u, 5u, 32u, 33u, 60u}) {
    std::size_t alike = 0;
    for (std::uint64_t trial = 0; trial < 300; ++trial) {
      std::vector<double> weights(classes), p(classes);
      std::vector<std::uint32_t> labels(classes);
      std::iota(labels.begin(), labels.end(), 0U);
      double total = 0.0;
      for (std::size_t k = 0; k < classes; ++k) {
        weights[k] = 1.0 + static_cast<double>(core::random_bits(4, trial, k) % 4);
        total += weights[k];
        // Ties in p as well, and now and then one class out of place.
        p[k] = weights[k] + 0.5 * static_cast<double>(core::random_bits(5, trial, k) % 2);
      }
      if (trial % 2 == 0) std::swap(p[0], p[trial / 2 % classes]);
      std::vector<double> shares = weights, logs(classes, 0.0);
      for (double& share : shares) share /= total;
      const RowScore score = score_row(ModelRow{}, {labels, weights, shares, p, logs, total, 0.0});
      EXPECT_EQ(at(score, Statistic::ranking), ranked_alike(weights, p) ? 1.0 : 0.0);
      alike += ranked_alike(weights, p) ? 1 : 0;
    }
    EXPECT_GT(alike, 100u);
    EXPECT_LT(alike, 300u);
  }
}

}  // namespace
}  // namespace credence::metrics
