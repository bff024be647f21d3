#include "core/dirichlet_multinomial.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "core/kernels.hpp"

namespace credence::core {
namespace {

/// Terms that are added one by one; from there on r / (q + j r) <= 1/64, and what the formula of
/// Euler and Maclaurin leaves out is below 1e-15.
constexpr double kHead = 64.0;
/// Fewer terms than this are not worth the formula.
constexpr double kWorthwhile = 64.0;

/// A product of many numbers, beyond the range of a double; its logarithm is taken once.
class Product {
 public:
  void times(double factor) {
    mantissa_ *= factor;
    if (mantissa_ < kSmall || mantissa_ > kLarge) {
      int shift = 0;
      mantissa_ = std::frexp(mantissa_, &shift);
      exponent_ += shift;
    }
  }
  double log() const {
    return log_of(mantissa_) + static_cast<double>(exponent_) * std::numbers::ln2;
  }

 private:
  // The next factor, from 1e-308 to 1e30, cannot carry it out of range.
  static constexpr double kSmall = 0.5, kLarge = 1e200;
  double mantissa_ = 1.0;
  std::int64_t exponent_ = 0;
};

/// (1 + x) log(1 + x) - x for x >= 0, without loss where x is small.
double entropic(double x) {
  if (x > 0.01) return (1.0 + x) * log_of(1.0 + x) - x;
  // sum over k >= 2 of (-x)^k / (k (k - 1)), until a term is below 1e-17 of the first.
  double sum = 0.0, power = x * x;
  for (int k = 2; k <= 10; ++k, power *= -x) sum += power / static_cast<double>(k * (k - 1));
  return sum;
}

/// log(1 + x) for x >= 0.
double log_above_one(double x) {
  if (x > 0.01) return log_of(1.0 + x);
  double sum = 0.0, power = x;
  for (int k = 1; k <= 10; ++k, power *= -x) sum += power / static_cast<double>(k);
  return sum;
}

/// The terms j from `first` to `end` - 1, for r > 0.
Rising tail(double q, double r, double first, double end) {
  const double a = q + first * r, b = q + end * r, n = end - first, x = n * r / a;
  const double va = 1.0 / a, vb = 1.0 / b, ra = r * va, rb = r * vb;
  const auto cube = [](double v) { return v * v * v; };
  const auto fifth = [](double v) { return v * v * v * v * v; };
  Rising out;
  // Integrals from first to end, less half of the last term minus the first, and corrections with
  // the Bernoulli numbers 1/6, -1/30, 1/42.
  out.log = n * log_of(a) + a / r * entropic(x) - 0.5 * log_above_one(x) + (rb - ra) / 12.0 -
            (cube(rb) - cube(ra)) / 360.0 + (fifth(rb) - fifth(ra)) / 1260.0;
  const double inverses = log_above_one(x) / r - 0.5 * (vb - va) - (vb * rb - va * ra) / 12.0 +
                          (vb * cube(rb) - va * cube(ra)) / 120.0 -
                          (vb * fifth(rb) - va * fifth(ra)) / 252.0;
  const double squares = n * va * vb - 0.5 * (vb * vb - va * va) -
                         (vb * vb * rb - va * va * ra) / 6.0 +
                         (vb * vb * cube(rb) - va * va * cube(ra)) / 30.0 -
                         (vb * vb * fifth(rb) - va * va * fifth(ra)) / 42.0;
  out.slope = -(n - q * inverses);
  out.curve = q * inverses - q * q * squares;
  return out;
}

}  // namespace

double log_of(double positive) {
  std::array<double, 8> lanes;
  lanes.fill(positive);
  kernels().f64.log_positive(lanes.data(), lanes.size());
  return lanes[0];
}

Odds odds_of(double log_odds) {
  const std::array<double, 2> logits{log_odds, 0.0};
  std::array<double, 2> shares{};
  kernels().softmax_row_f64(logits.data(), logits.size(), shares.data());
  return {shares[0], shares[1]};
}

Rising rising(double q, double r, double count) {
  if (!(count > 0.0)) return {};
  if (r == 0.0) return {count * log_of(q), 0.0, 0.0};
  const double head = count > kHead + kWorthwhile ? kHead : count;
  Product product;
  Rising out;
  for (double j = 0.0; j < head; j += 1.0) {
    const double y = q + j * r, share = j * r / y;
    product.times(y);
    out.slope -= share;
    out.curve += share * (1.0 - share);
  }
  out.log = product.log();
  if (head < count) {
    const Rising rest = tail(q, r, head, count);
    out.log += rest.log;
    out.slope += rest.slope;
    out.curve += rest.curve;
  }
  return out;
}

VoteLikelihood vote_likelihood(std::span<const double> q, std::span<const double> counts, double m,
                               double r) {
  const Rising all = rising(1.0, r, m);
  VoteLikelihood out{rising(1.0, 1.0, m).log - all.log, -all.slope, -all.curve};
  for (std::size_t v = 0; v < counts.size(); ++v) {
    const Rising one = rising(q[v], r, counts[v]);
    out.log += one.log - rising(1.0, 1.0, counts[v]).log;
    out.slope += one.slope;
    out.curve += one.curve;
  }
  return out;
}

}  // namespace credence::core
