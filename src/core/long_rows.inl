// Passes over rows of many classes for maps of the form b * z: rows stay where they are, with
// neighbouring classes in the lanes. The last group of a row ends with it and overlaps the one
// before; what stands in both counts once. Included by kernels_isa.cpp only.

/// The sum of the lanes, in every lane. One tree, whatever the registers.
template <class T>
[[gnu::always_inline]] static inline Lanes<double> total_of_lanes(const Lanes<T>& x) {
  Lanes<double> sum;
  if constexpr (sizeof(T) == 4) {
    alignas(64) float lane[Lanes<float>::count];
    x.store(lane);
    sum = Lanes<double>::widen(lane) + Lanes<double>::widen(lane + Lanes<double>::count);
  } else {
    sum = x;
  }
  sum = sum + sum.template swapped<4>();
  sum = sum + sum.template swapped<2>();
  return sum + sum.template swapped<1>();
}

/// The groups of rows of so many classes, at least as many as there are lanes.
template <class T>
class LongRow {
  using L = Lanes<T>;

 public:
  explicit LongRow(std::size_t classes) : classes_(classes), last_(classes - L::count) {
    T counts[L::count];
    const std::size_t left = (classes - 1) % L::count + 1;
    for (std::size_t l = 0; l < L::count; ++l) counts[l] = l + left < L::count ? T(0) : T(1);
    counts_ = L::load(counts);
  }

  /// Calls body(first class, count) for each group; count(x) is x without what another group has.
  template <class Body>
  [[gnu::always_inline]] inline void for_each(const Body& body) const {
    for (std::size_t k = 0; k < last_; k += L::count) {
      body(k, [](const L& x) __attribute__((always_inline)) { return x; });
    }
    body(last_, [&](const L& x) __attribute__((always_inline)) { return x * counts_; });
  }

  [[gnu::always_inline]] inline float largest(const float* z) const {
    using F = Lanes<float>;
    F max = F::load(z + classes_ - F::count);
    for (std::size_t k = 0; k + F::count < classes_; k += F::count) {
      max = F::max(max, F::load(z + k));
    }
    max = F::max(max, max.template swapped<8>());
    max = F::max(max, max.template swapped<4>());
    max = F::max(max, max.template swapped<2>());
    return F::max(max, max.template swapped<1>()).first();
  }

 private:
  std::size_t classes_, last_;
  L counts_;
};

/// softmax(b z) of rows, row-major; `out` may be `scores` where both are float32.
template <class T, class To>
static void softmax_long_rows(const float* scores, std::size_t rows, std::size_t classes,
                              double b_exact, To* out) {
  using L = Lanes<T>;
  const L b = L::fill(static_cast<T>(b_exact * kLog2E));  // exponents in base 2
  const LongRow<T> groups(classes);
  Scratch<T, 128> powers(classes);
  for (std::size_t r = 0; r < rows; ++r, scores += classes, out += classes) {
    const L top = L::fill(static_cast<T>(groups.largest(scores)));
    L sum = L::fill(T(0));
    groups.for_each([&](std::size_t k, const auto& count) __attribute__((always_inline)) {
      const L e = exp2_nonpositive(b * (L::widen(scores + k) - top));
      e.store(powers.data + k);
      sum += count(e);
    });
    const L scale = L::fill(T(1) / static_cast<T>(total_of_lanes(sum).first()));
    groups.for_each([&](std::size_t k, const auto&) __attribute__((always_inline)) {
      const L p = L::load(powers.data + k) * scale;
      if constexpr (sizeof(To) == sizeof(T)) {
        p.store(out + k);
      } else {
        p.narrow(out + k);
      }
    });
  }
}

/// For the rows of a tile: the sums of e, e d, e d^2 and e d^3 with d = z - largest, e = exp(b d).
template <class T>
[[gnu::always_inline]] static inline void long_moments(const float* scores, std::size_t rows,
                                                       const LongRow<T>& groups,
                                                       std::size_t classes, const Lanes<T>& b,
                                                       float* max,
                                                       double (*moment)[kMaxTileRows]) {
  using L = Lanes<T>;
  for (std::size_t r = 0; r < rows; ++r, scores += classes) {
    max[r] = groups.largest(scores);
    const L top = L::fill(static_cast<T>(max[r]));
    L s0 = L::fill(T(0)), s1 = s0, s2 = s0, s3 = s0;
    groups.for_each([&](std::size_t k, const auto& count) __attribute__((always_inline)) {
      const L d = L::widen(scores + k) - top;
      const L e = count(exp2_nonpositive(b * d)), ed = e * d, edd = ed * d;
      s0 += e;
      s1 += ed;
      s2 += edd;
      s3 += edd * d;
    });
    moment[0][r] = total_of_lanes(s0).first();
    moment[1][r] = total_of_lanes(s1).first();
    moment[2][r] = total_of_lanes(s2).first();
    moment[3][r] = total_of_lanes(s3).first();
  }
}
