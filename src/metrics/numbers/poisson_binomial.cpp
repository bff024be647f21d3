#include "metrics/numbers/poisson_binomial.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/wide.hpp"
#include "metrics/numbers/sum.hpp"

namespace credence::metrics {
namespace {

/// An end of the distribution below this is forgotten. Each flip makes one new entry and at most
/// two can be dropped for it, so 65,536 flips forget less than 2e-25 of the probability in all, and
/// the result moves by less than 65,536 times that.
constexpr double kNegligible = 1e-30;

/// after = before convolved with (1-r, r): one more flip.
[[gnu::always_inline]] inline void convolve(const double* before, std::size_t size, double r,
                                            double* after) {
  const double q = 1.0 - r;
  after[0] = before[0] * q;
  for (std::size_t k = 1; k < size; ++k) after[k] = before[k] * q + before[k - 1] * r;
  after[size] = before[size - 1] * r;
}

#ifdef CREDENCE_WIDE
/// The same for wider registers. Nothing is contracted, so the bits are the same.
__attribute__((target("avx2"), optimize("O3"))) void convolve_wide(const double* before,
                                                                   std::size_t size, double r,
                                                                   double* after) {
  convolve(before, size, r, after);
}
#endif

void flip(const double* before, std::size_t size, double r, double* after) {
#ifdef CREDENCE_WIDE
  if (core::kHasWide) return convolve_wide(before, size, r, after);
#endif
  convolve(before, size, r, after);
}

}  // namespace

double exact_deviation(double total, std::span<const double> chances) {
  // before[first .. first + size) holds P(X = offset + first), ...; the window follows the mean and
  // is about 23 standard deviations wide, which makes the programme O(n^1.5) instead of O(n^2).
  std::vector<double> before(chances.size() + 1), after(chances.size() + 1);
  before[0] = 1.0;
  std::size_t first = 0, size = 1, offset = 0;
  for (const double r : chances) {
    if (r <= 0.0) continue;
    if (r >= 1.0) {
      ++offset;
      continue;
    }
    flip(before.data() + first, size, r, after.data() + first);
    ++size;
    while (after[first] < kNegligible) ++first, --size;
    while (after[first + size - 1] < kNegligible) --size;
    before.swap(after);
  }
  Sum deviation;
  for (std::size_t k = first; k < first + size; ++k) {
    deviation.add(before[k] * std::abs(total - static_cast<double>(offset + k)));
  }
  return deviation.value();
}

namespace {

/// The mean and the second to sixth cumulant of the number of heads.
struct Cumulants {
  Sum mean, second, third, fourth, fifth, sixth;
  void add(double r, double count) {
    const double v = r * (1.0 - r), lean = 1.0 - 2.0 * r;
    mean.add(count * r);
    second.add(count * v);
    third.add(count * (v * lean));
    fourth.add(count * (v * (1.0 - 6.0 * v)));
    fifth.add(count * (v * lean * (1.0 - 12.0 * v)));
    sixth.add(count * (v * (1.0 - 30.0 * v + 120.0 * v * v)));
  }
};

/// Hermite's polynomials of z, those with He_{n+1} = z He_n - n He_{n-1}.
std::array<double, 11> hermite(double z) {
  std::array<double, 11> he{1.0, z};
  for (std::size_t n = 1; n + 1 < he.size(); ++n) {
    he[n + 1] = z * he[n] - static_cast<double>(n) * he[n - 1];
  }
  return he;
}

/// Edgeworth's series up to the fourth power of 1 / sigma. A term c He_n(w) phi(w) of the density
/// adds c 2 He_{n-2}(z) phi(z) to E|w - z|: |w - z| bends at z alone. That is the law of a smooth
/// density; heads are whole numbers, and by Poisson's formula their sum differs from the integral
/// by sum_j (-1)^j 2j G^(j-1)(total) B_{j+1}(u) / (j+1)!, where G is that density, B are
/// Bernoulli's polynomials and u is what `total` has behind the point.
double normal_deviation(double total, const Cumulants& of) {
  const double variance = of.second.value(), sigma = std::sqrt(variance);
  const double gap = total - of.mean.value();
  if (!(sigma > 0.0)) return std::abs(gap);
  const double z = gap / sigma;
  const double c3 = of.third.value() / (variance * sigma) / 6.0;
  const double c4 = of.fourth.value() / (variance * variance) / 24.0;
  const double c5 = of.fifth.value() / (variance * variance * sigma) / 120.0;
  const double c6 = of.sixth.value() / (variance * variance * variance) / 720.0;
  const auto he = hermite(z);
  const double smooth = 1.0 + c3 * he[1] + c4 * he[2] + c3 * c3 / 2.0 * he[4] + c5 * he[3] +
                        c3 * c4 * he[5] + c3 * c3 * c3 / 6.0 * he[7] + c6 * he[4] +
                        (c4 * c4 / 2.0 + c3 * c5) * he[6] + c3 * c3 * c4 / 2.0 * he[8] +
                        c3 * c3 * c3 * c3 / 24.0 * he[10];
  const double u = total - std::floor(total);
  const double b2 = u * (u - 1.0) + 1.0 / 6.0, b3 = u * (u - 0.5) * (u - 1.0);
  const double b4 = u * u * (u - 1.0) * (u - 1.0) - 1.0 / 30.0;
  const double whole = -b2 / variance * (1.0 + c3 * he[3] + c4 * he[4] + c3 * c3 / 2.0 * he[6]) -
                       2.0 * b3 / (3.0 * variance * sigma) * (he[1] + c3 * he[4]) -
                       b4 / (4.0 * variance * variance) * he[2];
  const double density = std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
  const double deviation =
      sigma * density * (2.0 * smooth + whole) + gap * std::erf(z / std::numbers::sqrt2);
  // Never less than the distance of the mean (Jensen), which what is left out could make of it.
  return std::max(deviation, std::abs(gap));
}

}  // namespace

double normal_deviation(double total, std::span<const double> chances) {
  Cumulants cumulants;
  for (const double r : chances) cumulants.add(r, 1.0);
  return normal_deviation(total, cumulants);
}

double mean_absolute_deviation(double total, std::span<const Chance> chances) {
  Cumulants cumulants;
  std::uint64_t flips = 0;
  for (const Chance& some : chances) {
    cumulants.add(some.chance, static_cast<double>(some.count));
    flips += some.count;
  }
  if (flips > kExactFlips || cumulants.second.value() > kExactVariance) {
    return normal_deviation(total, cumulants);
  }
  std::vector<double> each;
  each.reserve(static_cast<std::size_t>(flips));
  for (const Chance& some : chances) each.insert(each.end(), some.count, some.chance);
  return exact_deviation(total, each);
}

double mean_absolute_deviation(double total, std::span<double> chances) {
  std::sort(chances.begin(), chances.end());
  Cumulants cumulants;
  for (const double r : chances) cumulants.add(r, 1.0);
  return chances.size() > kExactFlips || cumulants.second.value() > kExactVariance
             ? normal_deviation(total, cumulants)
             : exact_deviation(total, chances);
}

}  // namespace credence::metrics
