// exp and log as straight-line arithmetic on lanes: the same bits for every vector width. Included
// by kernels_isa.cpp only. Polynomials: Remez fits in 200-bit arithmetic on the reduced interval,
// in Estrin's order: pairs first, so that the chain of dependent operations stays short.

/// exp(x) = exp2(x * kLog2E): working in base 2 saves the two-part reduction by log 2. The
/// product's rounding costs |x| half-ulps of a number that is exp(-|x|) small.
constexpr double kLog2E = 0x1.71547652b82fep+0;

/// 2^y for y <= 0, error near 1 ulp; below the smallest normal number it stays there.
template <std::size_t Bytes>
[[gnu::always_inline]] static inline Lanes<double, Bytes> exp2_nonpositive(Lanes<double, Bytes> y) {
  using D = Lanes<double, Bytes>;
  constexpr double kShift = 0x1.8p52;  // adding it leaves round(y) in the low bits
  y = D::max(D::fill(-1022.0), y);
  const D t = y + kShift;
  const D f = y - (t - kShift);
  const D f2 = f * f, f4 = f2 * f2, f8 = f4 * f4;
  const D a = f * 0x1.62e42fefa3a12p-1 + 1.0;
  const D b = f * 0x1.c6b08d703e17ap-5 + 0x1.ebfbdff82c431p-3;
  const D c = f * 0x1.5d87fe9b8efe0p-10 + 0x1.3b2ab6fbd6d05p-7;
  const D d = f * 0x1.ffcb58ca2ddd4p-17 + 0x1.4309126c00b8cp-13;
  const D e = f * 0x1.b671b2f4bdf05p-24 + 0x1.62c147a4b7ed2p-20;
  const D p = (f2 * 0x1.e3a90465e9b40p-28 + e) * f8 + ((d * f2 + c) * f4 + (b * f2 + a));
  return p.with_bits(
      [&](auto bits, std::size_t i) { return bits + ((typename D::B)t.part[i] << 52); });
}

/// The same in float32.
template <std::size_t Bytes>
[[gnu::always_inline]] static inline Lanes<float, Bytes> exp2_nonpositive(Lanes<float, Bytes> y) {
  using F = Lanes<float, Bytes>;
  constexpr float kShift = 0x1.8p23f;
  y = F::max(F::fill(-126.0f), y);
  const F t = y + kShift;
  const F f = y - (t - kShift);
  const F f2 = f * f, f4 = f2 * f2;
  const F a = f * 0x1.62e430p-1f + 1.0f;
  const F b = f * 0x1.c6aee8p-5f + 0x1.ebfbdcp-3f;
  const F c = f * 0x1.5f3e52p-10f + 0x1.3b2d4cp-7f;
  const F p = (f2 * 0x1.41fbbcp-13f + c) * f4 + (b * f2 + a);
  return p.with_bits(
      [&](auto bits, std::size_t i) { return bits + ((typename F::B)t.part[i] << 23); });
}

/// exp(x) for x <= 0 with an error below 3/4 ulp, of which 1/2 is unavoidable: for places
/// where equal inputs in another order should still be recognised as ties.
template <std::size_t Bytes>
[[gnu::always_inline]] static inline Lanes<double, Bytes> exp_accurate(Lanes<double, Bytes> x) {
  using D = Lanes<double, Bytes>;
  constexpr double kShift = 0x1.8p52;
  x = D::max(D::fill(-708.0), x);
  const D t = x * kLog2E + kShift;
  const D n = t - kShift;
  // log 2 in two parts; n times the first is exact, and the rounding of r is kept.
  const D high = x - n * 0x1.62e42fee00000p-1;
  const D low = n * 0x1.a39ef35793c76p-33;
  const D r = high - low;
  const D rest = (high - r) - low;
  const D r2 = r * r, r4 = r2 * r2, r6 = r4 * r2;
  const D a = r * 0x1.55555555554fap-3 + 0x1.000000000000ap-1;
  const D b = r * 0x1.1111111127be4p-7 + 0x1.555555555087dp-5;
  const D c = r * 0x1.a01a012a57b7ap-13 + 0x1.6c16c18429eddp-10;
  const D d = r * 0x1.71df25529d075p-19 + 0x1.a0199a0cbadfap-16;
  const D e = r * 0x1.ad7f6debf59a2p-26 + 0x1.28ad72885a7dfp-22;
  const D sum = r + 1.0;
  const D lost = r - (sum - 1.0);
  const D low_terms = (b * r2 + a) * r2 + (lost + rest);
  const D p = sum + ((e * r4 + (d * r2 + c)) * r6 + low_terms);
  return p.with_bits(
      [&](auto bits, std::size_t i) { return bits + ((typename D::B)t.part[i] << 52); });
}
static inline Lanes<float> exp_accurate(const Lanes<float>& x) {
  return exp2_nonpositive(x * static_cast<float>(kLog2E));
}

/// log(x) for positive normal x, error below 1 ulp.
template <std::size_t Bytes>
[[gnu::always_inline]] static inline Lanes<double, Bytes> log_positive(
    const Lanes<double, Bytes>& x) {
  using D = Lanes<double, Bytes>;
  const D m = x.with_bits([](auto bits, std::size_t) {
    return (bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL;  // mantissa, in [1, 2)
  });
  // The exponent as a double, by placing it in the mantissa of 2^52.
  const D e = x.with_bits([](auto bits, std::size_t) {
    return (bits >> 52) | 0x4330000000000000ULL;
  }) - (0x1p52 + 1023.0);
  const D root = D::fill(0x1.6a09e667f3bcdp+0);  // sqrt 2: above it halve, so |log m| <= log(2)/2
  const D f = D::if_greater(m, root, m * 0.5, m) - 1.0;
  const D k = D::if_greater(m, root, e + 1.0, e);
  // log(1 + f) = 2 atanh(s) with s = f / (2 + f), arranged around f, which is exact.
  const D s = f / (f + 2.0);
  const D z = s * s;
  const D z2 = z * z, sz = s * z;
  const D a = z * 0x1.999999997fb32p-2 + 0x1.5555555555593p-1;
  const D b = z * 0x1.c71c51e7fc41ap-3 + 0x1.24924942179abp-2;
  const D c = z * 0x1.39a0f517d47a2p-3 + 0x1.7466462ba4651p-3;
  const D q = (z2 * 0x1.2f0d8dcf54c76p-3 + c) * (z2 * z2) + (b * z2 + a);
  // f - f^2/2 with the rounding of both operations kept; the split makes the square exact.
  const D split = f * 0x1.0000002p+27;
  const D f_high = split - (split - f), f_low = f - f_high;
  const D square = f * f;
  const D lost = ((f_high * f_high - square) + f_high * f_low * 2.0) + f_low * f_low;
  const D half_square = square * 0.5;
  const D lead = f - half_square;
  const D lead_lost = ((f - lead) - half_square) - lost * 0.5;
  const D scaled = k * 0x1.62e42fee00000p-1;
  const D sum = scaled + lead;
  const D sum_lost = (scaled - sum) + lead;  // exact: |scaled| >= |lead|, or scaled = 0
  // Whatever does not wait for the division comes before what does.
  const D early = sum_lost + (lead_lost + k * 0x1.a39ef35793c76p-33);
  return sum + (sz * q + (s * half_square + early));
}

static inline Lanes<float> log_positive(const Lanes<float>& x) {
  alignas(64) float in[Lanes<float>::count];
  x.store(in);
  for (std::size_t i = 0; i < Lanes<float>::count; i += Lanes<double>::count) {
    log_positive(Lanes<double>::widen(in + i)).narrow(in + i);
  }
  return Lanes<float>::load(in);
}

/// The logarithm of a sum over classes: the same in double ...
template <std::size_t Bytes>
[[gnu::always_inline]] static inline Lanes<double, Bytes> log_of_sum(
    const Lanes<double, Bytes>& x) {
  return log_positive(x);
}

/// ... and in float32 throughout, error near 1 ulp: the passes that it serves are no better.
template <std::size_t Bytes>
[[gnu::always_inline]] static inline Lanes<float, Bytes> log_of_sum(const Lanes<float, Bytes>& x) {
  using F = Lanes<float, Bytes>;
  const F m = x.with_bits([](auto bits, std::size_t) {
    return (bits & 0x007fffffU) | 0x3f800000U;  // mantissa, in [1, 2)
  });
  // The exponent as a float, by placing it in the mantissa of 2^23.
  const F e = x.with_bits([](auto bits, std::size_t) { return (bits >> 23) | 0x4b000000U; }) -
              (0x1p23f + 127.0f);
  const F root = F::fill(0x1.6a09e6p+0f);  // above sqrt 2 halve
  const F f = F::if_greater(m, root, m * 0.5f, m) - 1.0f;
  const F k = F::if_greater(m, root, e + 1.0f, e);
  // log(1 + f) = f - f^2/2 + f^3 P(f), with the polynomial of Cephes' logf.
  const F f2 = f * f, f4 = f2 * f2;
  const F a = f * -2.4999993993e-1f + 3.3333331174e-1f;
  const F b = f * -1.6668057665e-1f + 2.0000714765e-1f;
  const F c = f * -1.2420140846e-1f + 1.4249322787e-1f;
  const F d = f * -1.1514610310e-1f + 1.1676998740e-1f;
  const F high = f4 * 7.0376836292e-2f + (d * f2 + c);
  const F p = high * f4 + (b * f2 + a);
  // log 2 in two parts; k times the first is exact.
  const F rest = (p * f) * f2 + k * -2.12194440e-4f;
  return k * 0.693359375f + ((rest - f2 * 0.5f) + f);
}
