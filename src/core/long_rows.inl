// Passes over rows of many classes for maps of the form b * z: rows stay where they are, with
// neighbouring classes in the lanes. Included by kernels_isa.cpp only.

/// softmax(b z) of rows, row-major; `out` may be `scores` where both are float32.
template <class T, class To>
static void softmax_long_rows(const float* scores, std::size_t rows, std::size_t classes,
                              double b_exact, To* out) {
  using L = Lanes<T>;
  const L b = L::fill(static_cast<T>(b_exact * kLog2E));  // exponents in base 2
  const LongRow<T> groups(classes);
  const LongRow<float> row(classes);
  Scratch<T, 128> powers(classes);
  for (std::size_t r = 0; r < rows; ++r, scores += classes, out += classes) {
    fetch_to_write(out, classes);
    const L top = L::fill(static_cast<T>(row.max(scores)));
    L sum = L::fill(T(0));
    groups.for_each([&](std::size_t k, const auto& count) __attribute__((always_inline)) {
      const L e = exp2_nonpositive(b * (L::widen(scores + k) - top));
      e.store(powers.data + k);
      sum += count(e);
    });
    const L scale = L::fill(T(1) / static_cast<T>(sum.sum()));
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
                                                       float* max, double (*moment)[kMaxTileRows]) {
  using L = Lanes<T>;
  const LongRow<float> row(classes);
  for (std::size_t r = 0; r < rows; ++r, scores += classes) {
    fetch_row(scores + classes, classes);  // the next one; asking too far does no harm
    max[r] = row.max(scores);
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
    moment[0][r] = s0.sum();
    moment[1][r] = s1.sum();
    moment[2][r] = s2.sum();
    moment[3][r] = s3.sum();
  }
}
