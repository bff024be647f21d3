#include "metrics/numbers/poisson_binomial.hpp"

#include <algorithm>
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

/// The first three cumulants of the number of heads.
struct Cumulants {
  Sum mean, variance, third;
  void add(double r, double count) {
    mean.add(count * r);
    variance.add(count * (r * (1.0 - r)));
    third.add(count * (r * (1.0 - r) * (1.0 - 2.0 * r)));
  }
};

double normal_deviation(double total, const Cumulants& of) {
  const auto& [mean, variance, third] = of;
  const double gap = total - mean.value(), sigma = std::sqrt(variance.value());
  if (!(sigma > 0.0)) return std::abs(gap);
  // The mean of a folded normal (Leone, Nelson, Nottingham 1961), and what the first Edgeworth term
  // adds to it: with skewness g, the integral of |w - z| g/6 He3(w) phi(w) is g/3 z phi(z).
  const double z = gap / sigma, skewness = third.value() / (variance.value() * sigma);
  const double density = std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
  return sigma * density * (2.0 + skewness * z / 3.0) + gap * std::erf(z / std::numbers::sqrt2);
}

}  // namespace

double normal_deviation(double total, std::span<const double> chances) {
  Cumulants cumulants;
  for (const double r : chances) cumulants.add(r, 1.0);
  return normal_deviation(total, cumulants);
}

double mean_absolute_deviation(double total, std::span<const Chance> chances) {
  std::uint64_t flips = 0;
  for (const Chance& some : chances) flips += some.count;
  if (flips > kExactFlips) {
    Cumulants cumulants;
    for (const Chance& some : chances) {
      cumulants.add(some.chance, static_cast<double>(some.count));
    }
    return normal_deviation(total, cumulants);
  }
  std::vector<double> each;
  each.reserve(static_cast<std::size_t>(flips));
  for (const Chance& some : chances) each.insert(each.end(), some.count, some.chance);
  return exact_deviation(total, each);
}

double mean_absolute_deviation(double total, std::span<double> chances) {
  std::sort(chances.begin(), chances.end());
  return chances.size() <= kExactFlips ? exact_deviation(total, chances)
                                       : normal_deviation(total, chances);
}

}  // namespace credence::metrics
