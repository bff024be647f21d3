#include "core/array_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/random.hpp"

namespace credence::core {
namespace {

std::vector<const ArrayKernels*> all_array_sets() {
  const ArrayKernels* sets[kMostKernels + 1];
  available_array_kernels(sets);
  std::vector<const ArrayKernels*> list;
  for (std::size_t i = 0; sets[i] != nullptr; ++i) list.push_back(sets[i]);
  return list;
}

/// Rows of numbers that add up to 1.
template <class T>
std::vector<T> some_probabilities(std::size_t rows, std::size_t classes) {
  std::vector<T> p(rows * classes);
  for (std::size_t i = 0; i < rows; ++i) {
    double sum = 0.0;
    std::vector<double> row(classes);
    for (std::size_t k = 0; k < classes; ++k) sum += row[k] = 0.01 + uniform(7, i, k);
    for (std::size_t k = 0; k < classes; ++k) p[i * classes + k] = static_cast<T>(row[k] / sum);
  }
  return p;
}

unsigned tops(const ArrayKernels& set, const std::vector<float>& p, std::size_t classes,
              std::vector<double>& confidence, std::vector<std::uint32_t>& top) {
  return set.top_probability_f32(p.data(), confidence.size(), classes, confidence.data(),
                                 top.data());
}
unsigned tops(const ArrayKernels& set, const std::vector<double>& p, std::size_t classes,
              std::vector<double>& confidence, std::vector<std::uint32_t>& top) {
  return set.top_probability_f64(p.data(), confidence.size(), classes, confidence.data(),
                                 top.data());
}

template <class T>
class ProbabilityRows : public testing::Test {};
using ProbabilityTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(ProbabilityRows, ProbabilityTypes);

TYPED_TEST(ProbabilityRows, FindTheLargestForAnyNumberOfClasses) {
  for (const std::size_t classes : {2u, 3u, 4u, 7u, 10u, 31u, 32u, 33u, 64u, 100u, 257u, 1000u}) {
    const std::size_t rows = 70;
    std::vector<TypeParam> p = some_probabilities<TypeParam>(rows, classes);
    // A tie: the lower class has it.
    std::fill_n(p.begin(), classes, TypeParam(1) / static_cast<TypeParam>(classes));
    for (const ArrayKernels* set : all_array_sets()) {
      std::vector<double> confidence(rows);
      std::vector<std::uint32_t> top(rows);
      EXPECT_EQ(tops(*set, p, classes, confidence, top), 0u) << set->name << ' ' << classes;
      for (std::size_t i = 0; i < rows; ++i) {
        const auto row = p.begin() + static_cast<std::ptrdiff_t>(i * classes);
        const auto best = std::max_element(row, row + static_cast<std::ptrdiff_t>(classes));
        ASSERT_EQ(top[i], static_cast<std::uint32_t>(best - row)) << set->name << ' ' << classes;
        ASSERT_EQ(confidence[i], static_cast<double>(*best));
      }
      EXPECT_EQ(top[0], 0u);
    }
  }
}

TYPED_TEST(ProbabilityRows, TellWhatIsOddWhereverItStands) {
  const std::size_t rows = 66;
  for (const std::size_t classes : {3u, 10u, 40u, 100u}) {
    const std::vector<TypeParam> good = some_probabilities<TypeParam>(rows, classes);
    for (const std::size_t place : {std::size_t{0}, classes - 1, 65 * classes + classes / 2}) {
      const auto facts_with = [&](const ArrayKernels& set, TypeParam value) {
        std::vector<TypeParam> p = good;
        p[place] = value;
        std::vector<double> confidence(rows);
        std::vector<std::uint32_t> top(rows);
        return tops(set, p, classes, confidence, top);
      };
      for (const ArrayKernels* set : all_array_sets()) {
        const TypeParam old = good[place];
        using Limits = std::numeric_limits<TypeParam>;
        for (const TypeParam bad : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(),
                                    -old, TypeParam(-1e-30), old + TypeParam(0.0011)}) {
          EXPECT_NE(facts_with(*set, bad) & kOddProbabilities, 0u) << bad << ' ' << set->name;
        }
        EXPECT_EQ(facts_with(*set, old + TypeParam(0.0009)), 0u);
      }
    }
  }
}

TYPED_TEST(ProbabilityRows, TellAboutZeros) {
  for (const std::size_t classes : {3u, 50u}) {
    std::vector<TypeParam> p(classes, TypeParam(0));
    p[1] = TypeParam(1);
    for (const ArrayKernels* set : all_array_sets()) {
      std::vector<double> confidence(1);
      std::vector<std::uint32_t> top(1);
      EXPECT_EQ(tops(*set, p, classes, confidence, top), unsigned{kTinyProbabilities});
      EXPECT_EQ(top[0], 1u);
      EXPECT_EQ(confidence[0], 1.0);
    }
  }
}

TEST(ProbabilityRowsAboveOne, AreForgivenAMillionth) {
  for (const ArrayKernels* set : all_array_sets()) {
    std::vector<double> confidence(1);
    std::vector<std::uint32_t> top(1);
    EXPECT_EQ(tops(*set, std::vector<float>{1.0000009f, 1e-9f}, 2, confidence, top), 0u);
    EXPECT_EQ(tops(*set, std::vector<double>{1.000001, 1e-9}, 2, confidence, top), 0u);
    EXPECT_EQ(tops(*set, std::vector<float>{1.0000011f, 1e-9f}, 2, confidence, top),
              unsigned{kOddProbabilities});
    EXPECT_EQ(tops(*set, std::vector<double>{1.0000011, 1e-9}, 2, confidence, top),
              unsigned{kOddProbabilities});
  }
}

TEST(TopOfRows, IsTheFirstOfTheLargest) {
  for (std::size_t classes = 2; classes < 300; classes += classes < 150 ? 1 : 49) {
    for (const std::size_t rows : {1u, 131u}) {
      std::vector<float> scores(rows * classes);
      for (std::size_t i = 0; i < scores.size(); ++i) {
        scores[i] = static_cast<float>(std::floor(8.0 * uniform(classes, i, 5)) - 20.0);
        if (classes > 40 && i % 3 != 0) scores[i] -= 8.0f;  // the first of few that are equal
      }
      for (const ArrayKernels* set : all_array_sets()) {
        std::vector<std::uint32_t> top(rows);
        set->top_of_rows(scores.data(), rows, classes, top.data());
        for (std::size_t i = 0; i < rows; ++i) {
          const auto row = std::span(scores).subspan(i * classes, classes);
          const auto largest = std::ranges::max_element(row) - row.begin();
          ASSERT_EQ(top[i], static_cast<std::uint32_t>(largest)) << set->name << ' ' << classes;
        }
      }
    }
  }
}

TEST(TopRoughly, FindsTheClassAndHasTheSameBitsForEveryProcessor) {
  for (const std::size_t classes : {2u, 3u, 10u, 31u, 32u, 33u, 47u, 48u, 100u, 1000u, 5000u}) {
    const std::size_t rows = 37;
    std::vector<float> scores(rows * classes);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      scores[i] = static_cast<float>(std::floor(60.0 * uniform(classes, i, 6)));  // with ties
    }
    std::vector<float> wanted;
    for (const ArrayKernels* set : all_array_sets()) {
      std::vector<float> others(rows);
      std::vector<std::uint32_t> top(rows);
      set->top_roughly(scores.data(), rows, classes, others.data(), top.data());
      for (std::size_t i = 0; i < rows; ++i) {
        const float* const row = scores.data() + i * classes;
        ASSERT_EQ(top[i], static_cast<std::uint32_t>(std::max_element(row, row + classes) - row))
            << set->name << ' ' << classes;
      }
      if (wanted.empty()) wanted = others;
      EXPECT_EQ(others, wanted) << set->name << ' ' << classes;
    }
  }
}

/// Scores of which double might not tell two apart: nobody says anything of such a row.
TEST(TopRoughly, SaysNothingOfNearlyEqualScoresNearZero) {
  for (const std::size_t classes : {3u, 50u}) {
    std::vector<float> scores(2 * classes, -1.0f);
    scores[0] = 0.0f;
    scores[1] = 1e-20f;
    scores[classes] = 1.0f;
    for (const ArrayKernels* set : all_array_sets()) {
      float others[2];
      std::uint32_t top[2];
      set->top_roughly(scores.data(), 2, classes, others, top);
      EXPECT_TRUE(std::isnan(others[0])) << set->name;
      EXPECT_FALSE(std::isnan(others[1])) << set->name;
    }
  }
}

TEST(TopRoughly, SaysNothingOfRowsThatAreNotFinite) {
  const float odd[] = {std::numeric_limits<float>::quiet_NaN(),
                       std::numeric_limits<float>::infinity(),
                       -std::numeric_limits<float>::infinity()};
  for (const std::size_t classes : {3u, 16u, 50u, 64u, 1001u}) {
    for (const std::size_t place : {std::size_t{0}, classes / 2, classes - 1}) {
      for (const float value : odd) {
        std::vector<float> scores(3 * classes);
        for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = static_cast<float>(i % classes);
        scores[classes + place] = value;
        for (const ArrayKernels* set : all_array_sets()) {
          float others[3], looked[3];
          std::uint32_t top[3];
          std::uint64_t hashes[3];
          set->top_roughly(scores.data(), 3, classes, others, top);
          set->look_at_rows(scores.data(), 3, classes, 1e4, -30.0, hashes, looked, top);
          for (const float* const found : {others, looked}) {
            EXPECT_FALSE(std::isnan(found[0]));
            EXPECT_TRUE(std::isnan(found[1])) << set->name << ' ' << classes << ' ' << place;
            EXPECT_FALSE(std::isnan(found[2]));
          }
        }
      }
    }
  }
}

TEST(LookAtRows, HasTheBitsOfItsTwoParts) {
  for (const std::size_t classes :
       {2u, 3u, 10u, 31u, 32u, 33u, 47u, 48u, 64u, 100u, 513u, 1000u, 9000u}) {
    for (const double steps : {6.0, 1e6}) {  // with ties, and without most of them
      const std::size_t rows = 37;
      std::vector<float> scores(rows * classes);
      for (std::size_t i = 0; i < scores.size(); ++i) {
        scores[i] = static_cast<float>(std::floor(steps * uniform(classes, i, 8)) * 10.0 / steps);
      }
      for (const ArrayKernels* set : all_array_sets()) {
        SCOPED_TRACE(std::string(set->name) + ", classes " + std::to_string(classes));
        std::vector<float> others(rows), wanted_others(rows);
        std::vector<std::uint32_t> top(rows), wanted_top(rows);
        std::vector<std::uint64_t> hashes(rows), wanted_hashes(rows);
        set->look_at_rows(scores.data(), rows, classes, 1e4, -30.0, hashes.data(), others.data(),
                          top.data());
        set->hash_rows(scores.data(), rows, classes, 1e4, -30.0, wanted_hashes.data());
        set->top_roughly(scores.data(), rows, classes, wanted_others.data(), wanted_top.data());
        EXPECT_EQ(hashes, wanted_hashes);
        EXPECT_EQ(top, wanted_top);
        for (std::size_t i = 0; i < rows; ++i) {  // NaN is not equal to itself
          EXPECT_EQ(std::bit_cast<std::uint32_t>(others[i]),
                    std::bit_cast<std::uint32_t>(wanted_others[i]));
        }
      }
    }
  }
}

TEST(TopAccurate, HasTheBitsOfATile) {
  for (const std::size_t classes : {2u, 3u, 10u, 37u, 129u, 600u}) {
    const std::size_t rows = 75, stride = tile_rows(classes);
    std::vector<float> scores(rows * classes);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      scores[i] = static_cast<float>(60.0 * uniform(classes, i, 2) - 30.0);
    }
    std::vector<double> tile(classes * stride), sum(stride), wanted_top(stride);
    for (const ArrayKernels* set : all_array_sets()) {
      std::vector<double> confidence(rows);
      std::vector<std::uint32_t> top(rows);
      set->top_accurate(scores.data(), rows, classes, confidence.data(), top.data());
      for (std::size_t first = 0; first < rows; first += stride) {
        const std::size_t here = std::min(stride, rows - first);
        kernels().f64.load(scores.data() + first * classes, here, classes, nullptr, tile.data());
        kernels().f64.exp_from_top(tile.data(), classes, tile.data(), sum.data(),
                                   wanted_top.data());
        for (std::size_t r = 0; r < here; ++r) {
          ASSERT_EQ(confidence[first + r], 1.0 / sum[r]) << set->name << ' ' << classes;
          ASSERT_EQ(top[first + r], static_cast<std::uint32_t>(wanted_top[r]));
        }
      }
    }
  }
}

TEST(SumCounts, AreThoseOfPlainLoops) {
  for (const std::size_t classes : {1u, 2u, 3u, 10u, 31u}) {
    const std::size_t rows = 150;
    std::vector<float> counts(rows * classes);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const double drawn = std::floor(4.0 * uniform(classes, i, 3));
      counts[i] = static_cast<float>(i % classes == 0 ? drawn + 1.0 : drawn);
    }
    for (const ArrayKernels* set : all_array_sets()) {
      std::vector<double> total(rows);
      std::vector<std::uint32_t> winner(rows);
      std::vector<unsigned char> tied(rows);
      ASSERT_TRUE(
          set->sum_counts(counts.data(), rows, classes, total.data(), winner.data(), tied.data()));
      for (std::size_t i = 0; i < rows; ++i) {
        const std::vector<float> row(
            counts.begin() + static_cast<std::ptrdiff_t>(i * classes),
            counts.begin() + static_cast<std::ptrdiff_t>((i + 1) * classes));
        double sum = 0.0;
        for (const float count : row) sum += double{count};
        const auto most = std::ranges::max_element(row);
        ASSERT_EQ(total[i], sum) << set->name << ' ' << classes;
        ASSERT_EQ(winner[i], static_cast<std::uint32_t>(most - row.begin()));
        ASSERT_EQ(tied[i] != 0, std::ranges::count(row, *most) > 1);
      }
    }
  }
}

TEST(SumCounts, LeaveWhatFloat32MightGetWrong) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float odd : {-1.0f, -1e-30f, 0.5f, 1e-30f, 4194304.0f, 1e30f, kInfinity, -kInfinity,
                          std::numeric_limits<float>::quiet_NaN()}) {
    for (const std::size_t place : {0u, 9u, 10u * 69u + 4u}) {
      std::vector<float> counts(700, 1.0f);
      counts[place] = odd;
      for (const ArrayKernels* set : all_array_sets()) {
        double total[70];
        std::uint32_t winner[70];
        unsigned char tied[70];
        EXPECT_FALSE(set->sum_counts(counts.data(), 70, 10, total, winner, tied)) << odd;
      }
    }
  }
  const std::vector<float> none(10, 0.0f);
  double total = 1.0;
  std::uint32_t winner = 0;
  unsigned char tied = 0;
  EXPECT_FALSE(array_kernels().sum_counts(none.data(), 1, 10, &total, &winner, &tied));
}

TEST(SoftmaxRounded, IsTheDoubleOneRounded) {
  for (const std::size_t classes : {2u, 3u, 10u, 37u, 129u, 600u}) {
    const std::size_t rows = 75;
    std::vector<float> scores(rows * classes);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      scores[i] = static_cast<float>(20.0 * uniform(classes, i, 1) - 10.0);
    }
    std::vector<double> exact(scores.size());
    kernels().softmax_f64(scores.data(), rows, classes, 0.7, exact.data());
    for (const ArrayKernels* set : all_array_sets()) {
      std::vector<float> rounded(scores.size());
      set->softmax_rounded(scores.data(), rows, classes, 0.7, rounded.data());
      for (std::size_t i = 0; i < scores.size(); ++i) {
        ASSERT_EQ(rounded[i], static_cast<float>(exact[i])) << set->name << ' ' << classes;
      }
    }
  }
}

TEST(NonzeroBits, AreThoseOfTheNumbers) {
  for (const ArrayKernels* const set : all_array_sets()) {
    if (set->nonzero_bits == nullptr) continue;
    SCOPED_TRACE(set->name);
    for (std::size_t count = 64; count < 260; ++count) {
      std::vector<float> numbers(count, 0.0f);
      for (std::size_t j = 0; j < count; ++j) {
        if (uniform(4, count, j) < 0.3) numbers[j] = j % 3 == 0 ? -1.0f : 1e-45f;
      }
      numbers[count / 2] = std::numeric_limits<float>::quiet_NaN();
      numbers[count / 3] = -0.0f;
      std::vector<std::uint64_t> bits((count + 63) / 64 + 1, 5);
      set->nonzero_bits(numbers.data(), count, bits.data());
      for (std::size_t j = 0; j < count; ++j) {
        EXPECT_EQ(bits[j / 64] >> (j % 64) & 1U, numbers[j] != 0.0f ? 1u : 0u) << count << ' ' << j;
      }
      if (count % 64 != 0) {
        EXPECT_EQ(bits[count / 64] >> (count % 64), 0u);
      }
      EXPECT_EQ(bits.back(), 5u);  // nothing behind them
    }
  }
}

TEST(HashRows, RoundsAsTheLibraryOfCDoes) {
  const auto plain = [](std::span<const float> row, double steps, double lowest) {
    std::vector<float> sorted(row.begin(), row.end());
    std::ranges::sort(sorted, std::greater{});
    sorted.resize(std::min<std::size_t>(sorted.size(), 4));
    const double top = double{sorted.front()};
    std::uint64_t sum = 0;
    for (const float score : std::span(sorted).subspan(1)) {
      auto x =
          static_cast<std::uint64_t>(std::llround(-steps * std::max(double{score} - top, lowest)));
      x += 0x9e3779b97f4a7c15U;
      x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
      x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
      sum += x ^ (x >> 31U);
    }
    return sum;
  };
  const auto expect_plain = [&](const ArrayKernels& set, const std::vector<float>& scores,
                                std::size_t classes, double steps) {
    const std::size_t rows = scores.size() / classes;
    std::vector<std::uint64_t> found(rows);
    set.hash_rows(scores.data(), rows, classes, steps, -30.0, found.data());
    for (std::size_t r = 0; r < rows; ++r) {
      const std::span<const float> row(scores.data() + r * classes, classes);
      EXPECT_EQ(found[r], plain(row, steps, -30.0)) << set.name << ' ' << classes << ' ' << r;
    }
  };
  for (const ArrayKernels* set : all_array_sets()) {
    for (std::size_t classes = 2; classes < 70; ++classes) {
      std::vector<float> scores(classes * (1 + 7 * classes % 90));
      for (std::size_t i = 0; i < scores.size(); ++i) {
        scores[i] = static_cast<float>(60.0 * uniform(classes, i, 0) - 40.0);
      }
      expect_plain(*set, scores, classes, 1e4);
    }
    // Halves go away from 0, and what is nearly one half does not; in short rows and in long ones.
    for (std::vector<float> halves : {std::vector<float>{-0.5f, 0.0f, -1.5f, -2.5f},
                                      {-29.5f, -0.49999997f, 0.0f, -1e30f},
                                      {-1e30f, -3e38f, 0.0f, -2.5f}}) {
      expect_plain(*set, halves, halves.size(), 1.0);
      halves.insert(halves.begin(), 45, -1e35f);
      expect_plain(*set, halves, halves.size(), 1.0);
    }
    // Numbers that are equal count as often as they are there.
    for (const std::size_t classes : {5u, 31u, 32u, 40u, 200u}) {
      std::vector<float> equal(classes, -2.0f);
      equal[classes / 2] = equal[classes - 1] = 1.0f;
      expect_plain(*set, equal, classes, 1e4);
    }
  }
}

}  // namespace
}  // namespace credence::core
