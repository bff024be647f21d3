// The kernels against plain long double arithmetic, and against each other: every instruction set
// must give the same bits.
#include "core/kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace credence::core {
namespace {

std::vector<const Kernels*> all_sets() {
  const Kernels* sets[kMostKernels + 1];
  available_kernels(sets);
  std::vector<const Kernels*> out;
  for (std::size_t i = 0; sets[i] != nullptr; ++i) out.push_back(sets[i]);
  return out;
}

std::vector<float> random_scores(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal(0.0f, 6.0f);
  std::vector<float> out(count);
  for (float& x : out) x = normal(generator);
  return out;
}

// Class counts on both sides of every tile height, odd ones, and fewer than a vector holds.
constexpr std::size_t kClassCounts[] = {2, 3, 5, 10, 37, 128, 129, 513, 1000};

TEST(Kernels, ExpIsWithinThreeQuartersOfAnUlp) {
  for (const Kernels* set : all_sets()) {
    constexpr std::size_t kCount = 16 * 4096;
    for (std::size_t i = 0; i < kCount; ++i) {
      const double x = -700.0 * double(i) / double(kCount), row[2] = {0.0, x};
      double e[2], sum;
      set->exp_from_top_row(row, 2, e, &sum);
      // Half an ulp for the last addition, a quarter for the rounding of the terms it adds.
      const long double exact = std::exp(static_cast<long double>(x));
      const double ulp = std::nextafter(e[1], 1e300) - e[1];
      ASSERT_LE(std::abs(static_cast<double>((e[1] - exact) / ulp)), 0.75) << set->name << x;
    }
  }
}

TEST(Kernels, SoftplusKeepsItsSmallEnd) {
  for (const Kernels* set : all_sets()) {
    std::vector<double> a(16 * 4096), decay(a.size()), value(a.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      a[i] = -600.0 + 1200.0 * double(i) / double(a.size());
    set->f64.softplus(a.data(), a.size(), decay.data(), value.data());
    for (std::size_t i = 0; i < a.size(); ++i) {
      const long double x = a[i],
                        exact = x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
      // exp in base 2 is off by |a| roundings; adding 1 before the logarithm costs an absolute one.
      const double tolerance =
          1e-15 * (1.0 + std::abs(a[i])) * double(exact) + (a[i] > -39.2 ? 2e-16 : 0.0);
      ASSERT_NEAR(value[i], double(exact), tolerance) << set->name << a[i];
      ASSERT_EQ(value[i], set->softplus_row(a[i])) << a[i];
      ASSERT_NEAR(decay[i], double(std::exp(-std::abs(x))),
                  1e-15 * (1.0 + std::abs(a[i])) * decay[i])
          << a[i];
    }
  }
}

TEST(Kernels, ShapeIsEntropyAndTheTwoLargest) {
  for (const Kernels* set : all_sets()) {
    for (const std::size_t classes :
         {std::size_t{2}, std::size_t{3}, std::size_t{10}, std::size_t{130}}) {
      std::vector<float> z = random_scores(classes, 4);
      z[classes - 1] = z[0];  // a tie
      const std::vector<double> u(z.begin(), z.end());
      double top, log_sum, fall, first, second;
      set->shape_row(u.data(), classes, {&top, &log_sum, &fall, &first, &second});
      std::vector<long double> p;
      long double sum = 0.0L, entropy = 0.0L;
      for (const double x : u) sum += std::exp(static_cast<long double>(x));
      for (const double x : u) p.push_back(std::exp(static_cast<long double>(x)) / sum);
      for (const long double q : p) entropy -= q * std::log(q);
      std::sort(p.rbegin(), p.rend());
      // A few hundred roundings of numbers up to 40.
      EXPECT_EQ(top, *std::max_element(u.begin(), u.end()));
      EXPECT_NEAR(top + log_sum, double(std::log(sum)), 1e-13);
      EXPECT_NEAR(log_sum + fall, double(entropy), 1e-13);
      EXPECT_NEAR(first, double(p[0]), 1e-14);
      EXPECT_NEAR(second, double(p[1]), 1e-14);
    }
  }
}

TEST(Kernels, LogIsWithinOneUlp) {
  for (const Kernels* set : all_sets()) {
    std::vector<double> x(16 * 4096);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = std::exp(-80.0 + 160.0 * double(i) / double(x.size()));
    }
    std::vector<double> y = x;
    set->f64.log_positive(y.data(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const long double exact = std::log(static_cast<long double>(x[i]));
      const double ulp = std::nextafter(std::abs(y[i]), 1e300) - std::abs(y[i]);
      ASSERT_LE(std::abs(static_cast<double>((y[i] - exact) / ulp)), 1.0) << set->name << x[i];
    }
  }
}

TEST(Kernels, TemperatureSumsMatchLongDouble) {
  for (const std::size_t classes : kClassCounts) {
    const std::size_t rows = 203;  // not a multiple of any tile
    const std::vector<float> z = random_scores(rows * classes, 1);
    const double b = 0.37;
    long double log_sum = 0, mean = 0, variance = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      const float* row = &z[i * classes];
      const float top = *std::max_element(row, row + classes);
      long double s = 0, m = 0, mm = 0;
      for (std::size_t k = 0; k < classes; ++k) {
        const long double d = static_cast<long double>(row[k]) - top, e = std::exp(b * d);
        s += e;
        m += e * d;
        mm += e * d * d;
      }
      log_sum += std::log(s);
      mean += m / s;
      variance += mm / s - (m / s) * (m / s);
    }
    for (const Kernels* set : all_sets()) {
      TemperatureSums f64, f32;
      std::vector<float> row_max(rows);
      set->temperature_f64(z.data(), rows, classes, b, &f64, row_max.data());
      set->temperature_f32(z.data(), rows, classes, b, &f32, nullptr);
      // Double: K roundings of each row. Float: the same with 2^-24, relative to d up to 40.
      EXPECT_NEAR(f64.log_sum, double(log_sum), 1e-13 * double(rows));
      EXPECT_NEAR(f64.mean, double(mean), 1e-12 * double(rows));
      EXPECT_NEAR(f64.variance, double(variance), 1e-11 * double(rows));
      EXPECT_NEAR(f32.mean, double(mean), 1e-4 * double(rows));
      EXPECT_EQ(row_max[7], *std::max_element(&z[7 * classes], &z[8 * classes]));
    }
  }
}

TEST(Kernels, SoftmaxRowsSumToOneAndTheLargestIsTheConfidence) {
  for (const std::size_t classes : kClassCounts) {
    const std::size_t rows = 131;
    const std::vector<float> z = random_scores(rows * classes, 2);
    std::vector<double> p(rows * classes), confidence(rows);
    std::vector<std::uint32_t> top(rows);
    kernels().softmax_f64(z.data(), rows, classes, 1.3, p.data());
    kernels().top_confidence(z.data(), rows, classes, 1.3, confidence.data(), top.data());
    for (std::size_t i = 0; i < rows; ++i) {
      double sum = 0.0;
      for (std::size_t k = 0; k < classes; ++k) sum += p[i * classes + k];
      EXPECT_NEAR(sum, 1.0, 1e-15 * double(classes));
      // Long rows are added up in two orders; each loses a rounding per class at most.
      EXPECT_NEAR(p[i * classes + top[i]], confidence[i], 1e-15 + 0x1p-53 * double(classes));
      const auto best = std::max_element(&z[i * classes], &z[(i + 1) * classes]) - &z[i * classes];
      EXPECT_EQ(top[i], static_cast<std::uint32_t>(best));
    }
  }
}

TEST(Kernels, TiesGoToTheLowestClass) {
  const std::vector<float> z{1, 3, 3, 2, 5, 5};
  double confidence[2];
  std::uint32_t top[2];
  kernels().top_confidence(z.data(), 2, 3, 1.0, confidence, top);
  EXPECT_EQ(top[0], 1U);
  EXPECT_EQ(top[1], 1U);
}

TEST(Kernels, ScoresFarApartNeitherOverflowNorTurnIntoNan) {
  const std::vector<float> z{3e38f, -3e38f, 0.0f, -1e9f, 0.0f, 1e9f};
  for (const Kernels* set : all_sets()) {
    TemperatureSums sums;
    set->temperature_f64(z.data(), 2, 3, 100.0, &sums, nullptr);
    EXPECT_TRUE(std::isfinite(sums.log_sum + sums.mean + sums.variance));
    std::vector<double> p(6);
    set->softmax_f64(z.data(), 2, 3, 100.0, p.data());
    EXPECT_EQ(p[0], 1.0);
    EXPECT_EQ(p[5], 1.0);
  }
}

TEST(Kernels, EveryInstructionSetGivesTheSameBits) {
  const auto sets = all_sets();
  if (sets.size() < 2) GTEST_SKIP() << "this processor runs the baseline only";
  for (const std::size_t classes : kClassCounts) {
    const std::size_t rows = 77, stride = tile_rows(classes), cells = classes * stride;
    const std::vector<float> z = random_scores(rows * classes, 3);
    std::vector<std::vector<double>> results;
    for (const Kernels* set : sets) {
      std::vector<double> out;
      const auto keep = [&](const auto& values) {
        for (const auto v : values) out.push_back(static_cast<double>(v));
      };
      TemperatureSums a, b;
      set->temperature_f32(z.data(), rows, classes, 0.7, &a, nullptr);
      set->temperature_f64(z.data(), rows, classes, 0.7, &b, nullptr);
      keep(std::vector{a.log_sum, a.mean, a.variance, b.log_sum, b.mean, b.variance});
      std::vector<double> p(rows * classes), lse(rows), confidence(rows);
      std::vector<float> pf(rows * classes);
      std::vector<std::uint32_t> top(rows);
      set->softmax_f64(z.data(), rows, classes, 0.7, p.data());
      set->softmax_f32(z.data(), rows, classes, 0.7, pf.data());
      set->log_sum_exp(z.data(), rows, classes, lse.data());
      set->top_confidence(z.data(), rows, classes, 0.7, confidence.data(), top.data());
      keep(p), keep(pf), keep(lse), keep(confidence), keep(top);
      std::vector<double> u(cells), v(cells), tile_lse(stride), c(classes * classes, 0.0);
      const std::size_t here = std::min(stride, rows);
      set->f64.load(z.data(), here, classes, lse.data(), u.data());
      set->f64.multiply(p.data(), 2, std::min<std::size_t>(classes, 5), 2, nullptr, u.data(),
                        v.data(), stride);
      keep(v);
      v = u;
      set->f64.softmax(v.data(), classes, tile_lse.data());
      keep(v), keep(tile_lse);
      std::vector<double> row(z.begin(), z.begin() + static_cast<std::ptrdiff_t>(classes));
      std::vector<double> changed(classes), shape(5);
      std::vector<float> narrow(classes);
      set->load_log_probs_row(z.data(), classes, changed.data());
      keep(changed);
      set->softmax_row_f32(row.data(), classes, narrow.data());
      keep(narrow);
      set->scaled_softmax_row_f64(row.data(), classes, 0.3, changed.data());
      keep(changed);
      set->shape_row(row.data(), classes, {&shape[0], &shape[1], &shape[2], &shape[3], &shape[4]});
      keep(shape);
      set->f64.multiply_transposed(u.data(), classes, v.data(), classes, stride, c.data(), classes,
                                   false);
      set->f64.centre(v.data(), classes, u.data());
      keep(c), keep(u);
      // As many rows as a stride of float32 products has that is no power of two.
      const std::size_t long_stride = 48, few = std::min<std::size_t>(classes, 23);
      const std::vector<float> x = random_scores(few * long_stride, 7);
      std::vector<float> y(few * long_stride);
      set->f32.multiply(x.data(), few, few, few, nullptr, x.data(), y.data(), long_stride);
      set->f32.multiply_transposed(x.data(), few, y.data(), few, long_stride, c.data(), few, false);
      keep(y), keep(c);
      const std::size_t wide = (classes + 7) / 8 * 8, some = std::min<std::size_t>(classes, 50);
      std::vector<float> forward(rows * wide, 0.0f), share(rows * wide, 0.01f);
      set->multiply_add_f32(z.data(), classes, 1, rows, classes, z.data(), 1, some, forward.data(),
                            wide);
      set->centre_rows(share.data(), rows, wide, forward.data());
      set->multiply_add_f64(forward.data(), 1, wide, some, rows, z.data(), classes, some, c.data(),
                            classes);
      keep(forward), keep(c);
      results.push_back(out);
    }
    for (std::size_t i = 1; i < results.size(); ++i) {
      ASSERT_EQ(results[0].size(), results[i].size());
      EXPECT_EQ(std::memcmp(results[0].data(), results[i].data(), results[0].size() * 8), 0)
          << classes << " classes, " << sets[i]->name;
    }
  }
}

template <class T>
void expect_products_of_plain_loops(const TileKernels<T>& set, std::size_t m, std::size_t n,
                                    std::size_t stride, double rounding) {
  std::mt19937 generator(4);
  std::normal_distribution<double> normal;
  std::vector<T> w(m * n), u(n * stride), bias(m), v(m * stride);
  std::vector<double> c(m * n, 0.5);
  for (auto* x : {&w, &u, &bias}) {
    for (T& value : *x) value = static_cast<T>(normal(generator));
  }
  set.multiply(w.data(), n, m, n, bias.data(), u.data(), v.data(), stride);
  set.multiply_transposed(v.data(), m, u.data(), n, stride, c.data(), n, false);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t r = 0; r < stride; ++r) {
      double sum = double(bias[i]);
      for (std::size_t a = 0; a < n; ++a) sum += double(w[i * n + a]) * double(u[a * stride + r]);
      // Terms are seldom above 10; every addition rounds once.
      EXPECT_NEAR(double(v[i * stride + r]), sum, 10 * rounding * double(n));
    }
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0.5;
      for (std::size_t r = 0; r < stride; ++r) {
        sum += double(v[i * stride + r]) * double(u[j * stride + r]);
      }
      EXPECT_NEAR(c[i * n + j], sum, 100 * rounding * double(stride));
    }
  }
}

TEST(Kernels, ProductsMatchPlainLoops) {
  // Fewer rows than a strip has, whole strips, and what is left of them.
  for (const Kernels* set : all_sets()) {
    for (const std::size_t m : {1u, 3u, 4u, 5u, 7u, 12u}) {
      for (const std::size_t n : {1u, 9u, 10u}) {
        for (const std::size_t stride : {16u, 32u, 112u}) {
          SCOPED_TRACE(set->name);
          expect_products_of_plain_loops<double>(set->f64, m, n, stride, 1.2e-16);
          expect_products_of_plain_loops<float>(set->f32, m, n, stride, 6e-8);
        }
      }
    }
  }
}

TEST(Kernels, FloatProductsMatchPlainLoopsForBothOrdersOfTheLeftFactor) {
  // Sizes past the depth of a panel, and no multiples of its width or of a strip.
  const std::size_t m = 13, depth = 300, n = 37;
  const std::vector<float> a = random_scores(m * depth, 5), b = random_scores(depth * n, 6);
  std::vector<float> turned(m * depth);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < depth; ++k) turned[k * m + i] = a[i * depth + k];
  }
  for (const Kernels* set : all_sets()) {
    std::vector<float> narrow(m * n, 1.0f);
    std::vector<double> wide(m * n, 1.0);
    set->multiply_add_f32(a.data(), depth, 1, m, depth, b.data(), n, n, narrow.data(), n);
    set->multiply_add_f64(turned.data(), 1, m, m, depth, b.data(), n, n, wide.data(), n);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        double sum = 1.0, size = 1.0;
        for (std::size_t k = 0; k < depth; ++k) {
          const double term = double{a[i * depth + k]} * double{b[k * n + j]};
          sum += term;
          size += std::abs(term);
        }
        // Each of `depth` roundings is at most 2^-24 of the sum of sizes; they rarely agree.
        const double tolerance = 1e-6 * size;
        EXPECT_NEAR(narrow[i * n + j], sum, tolerance);
        EXPECT_NEAR(wide[i * n + j], sum, tolerance);
      }
    }
  }
}

}  // namespace
}  // namespace credence::core
