// Hashes of rows of scores that do not depend on the order of the classes. Few classes go through
// tiles, with neighbouring rows in the lanes; many stay where they are. Included by kernels_isa.cpp
// only.

/// What hashes are made of: the numbers of a row in steps below the largest.
struct RowSteps {
  Lanes<double> steps, lowest;

  /// A hash of each number `below` the largest, as bits.
  [[gnu::always_inline]] inline Lanes<double> hash(const Lanes<double>& below) const {
    using D = Lanes<double>;
    constexpr double kShift = 0x1p52;  // adding it leaves the nearest whole number in the low bits
    const D at = D::fill(0.0) - steps * D::max(lowest, below);
    const D t = at + kShift;
    // Half a step goes up, as std::llround has it; the addition takes it to the even number.
    const D half =
        D::if_greater(at - (t - kShift), D::fill(0x1.fffffffffffffp-2), D::fill(1.0), D::fill(0.0));
    return (t + half).with_bits([](auto bits, std::size_t) __attribute__((always_inline)) {
      // The finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
      auto x = (bits & 0xffffffffU) + 0x9e3779b97f4a7c15U;
      x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
      x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
      return x ^ (x >> 31U);
    });
  }
};

/// Lane by lane: the sum of two numbers that are bits of these.
[[gnu::always_inline]] static inline Lanes<double> add_bits(const Lanes<double>& a,
                                                            const Lanes<double>& b) {
  return a.with_bits([&](auto bits, std::size_t i) __attribute__((always_inline)) {
    return bits + (typename Lanes<double>::B)b.part[i];
  });
}

static inline void hash_tile(const float* tile, std::size_t classes, std::size_t stride,
                             const RowSteps& steps, std::uint64_t* out) {
  using D = Lanes<double>;
  alignas(64) float max[kMaxTileRows];
  tile_max(tile, classes, stride, max);
  for (std::size_t r = 0; r < stride; r += D::count) {
    const D top = D::widen(max + r);
    D sum = D::fill(0.0);
    for (std::size_t k = 0; k < classes; ++k) {
      sum = add_bits(sum, steps.hash(D::widen(tile + k * stride + r) - top));
    }
    alignas(64) double bits[D::count];
    sum.store(bits);
    __builtin_memcpy(out + r, bits, sizeof bits);
  }
}

static inline std::uint64_t hash_long_row(const float* scores, std::size_t classes,
                                          const LongRow<float>& row, const RowSteps& steps) {
  using D = Lanes<double>;
  const D top = D::fill(static_cast<double>(row.max(scores)));
  D sums = D::fill(0.0);
  std::size_t k = 0;
  for (; k + D::count <= classes; k += D::count) {
    sums = add_bits(sums, steps.hash(D::widen(scores + k) - top));
  }
  std::uint64_t lane[D::count], sum = 0;
  __builtin_memcpy(lane, &sums, sizeof lane);
  for (std::size_t l = 0; l < D::count; ++l) sum += lane[l];
  if (k == classes) return sum;
  float rest[D::count] = {};
  for (std::size_t l = 0; k + l < classes; ++l) rest[l] = scores[k + l];
  const D last = steps.hash(D::widen(rest) - top);
  __builtin_memcpy(lane, &last, sizeof lane);
  for (std::size_t l = 0; k + l < classes; ++l) sum += lane[l];
  return sum;
}

static void hash_rows(const float* scores, std::size_t rows, std::size_t classes, double steps,
                      double lowest, std::uint64_t* out) {
  using D = Lanes<double>;
  const RowSteps row_steps{D::fill(steps), D::fill(lowest)};
  if (classes >= kLongRow) {
    const LongRow<float> row(classes);
    for (std::size_t r = 0; r < rows; ++r) {
      out[r] = hash_long_row(scores + r * classes, classes, row, row_steps);
    }
    return;
  }
  for_each_tile(scores, rows, classes,
                [&](std::size_t first, std::size_t here, const float* tile, std::size_t stride) {
                  std::uint64_t of_row[kMaxTileRows];
                  hash_tile(tile, classes, stride, row_steps, of_row);
                  for (std::size_t r = 0; r < here; ++r) out[first + r] = of_row[r];
                });
}
