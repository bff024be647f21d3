// A first look at rows in float32: the predicted class, and the exponentials of the other classes
// beside it, from which the order of most rows by confidence is certain. Few classes go through
// tiles; many stay where they are, with neighbouring classes in the lanes. Included by
// kernels_isa.cpp only.

/// exp(x - top) for x <= top: 2^y with a polynomial of one degree less than elsewhere, wrong by
/// 3 * 2^-24, and by rounding.
[[gnu::always_inline]] static inline Lanes<float> exp_roughly(const Lanes<float>& x,
                                                              const Lanes<float>& top) {
  using F = Lanes<float>;
  constexpr float kShift = 0x1.8p23f;
  const F y = F::max(F::fill(-126.0f), (x - top) * static_cast<float>(kLog2E));
  const F t = y + kShift;
  const F f = y - (t - kShift);
  const F f2 = f * f;
  const F a = f * 0x1.62e428p-1f + 0x1.000002p+0f;
  const F b = f * 0x1.c6b6e4p-5f + 0x1.ebf918p-3f;
  const F c = f * 0x1.5c08e4p-10f + 0x1.3d0c52p-7f;
  const F p = (c * f2 + b) * f2 + a;
  return p.with_bits(
      [&](auto bits, std::size_t i) { return bits + ((typename F::B)t.part[i] << 23); });
}

/// What others weigh beside the largest, or NaN where a score is so near to it that double might
/// take the two for equal once a log-sum-exp is off, and where `below` is NaN.
static inline float rough_others(float below, float as_large, float max) {
  const float others = below + (as_large - 1.0f);  // the largest itself is one of those
  const bool near_zero = max < 0x1p-16f && max > -0x1p-16f;
  return near_zero && others > 0.5f ? __builtin_nanf("") : others;
}

static void roughly_by_tiles(const float* scores, std::size_t rows, std::size_t classes,
                             float* others, std::uint32_t* top) {
  using F = Lanes<float>;
  for_each_tile(scores, rows, classes,
                [&](std::size_t first, std::size_t here, const float* tile, std::size_t stride) {
                  alignas(64) float max[kMaxTileRows], arg[kMaxTileRows];
                  alignas(64) float below[kMaxTileRows], as_large[kMaxTileRows];
                  tile_argmax(tile, classes, stride, max, arg);
                  // z - z is 0, or NaN where a score is not finite.
                  for (std::size_t r = 0; r < stride; r += F::count) {
                    const F best = F::load(max + r), zero = F::fill(0.0f), one = F::fill(1.0f);
                    F less = zero, equal = zero;
                    for (std::size_t k = 0; k < classes; ++k) {
                      const F z = F::load(tile + k * stride + r);
                      less += F::if_greater(best, z, exp_roughly(z, best), zero) + (z - z);
                      equal += F::if_greater(best, z, zero, one);
                    }
                    less.store(below + r);
                    equal.store(as_large + r);
                  }
                  for (std::size_t r = 0; r < here; ++r) {
                    others[first + r] = rough_others(below[r], as_large[r], max[r]);
                    top[first + r] = static_cast<std::uint32_t>(arg[r]);
                  }
                });
}

/// `Alone`: no other number is as large, and `place` gets where it is.
template <bool Alone>
[[gnu::always_inline]] static inline float rough_others_of(const LongRow<float>& row,
                                                           std::size_t classes, const float* z,
                                                           float max, std::uint32_t* place) {
  using F = Lanes<float>;
  const F most = F::fill(max), zero = F::fill(0.0f), one = F::fill(1.0f);
  F less[2] = {zero, zero}, equal = zero, at = row.ramp(), number = F::fill(-1.0f);
  const auto weigh = [&](const F& x, F& sum, const F& counts) __attribute__((always_inline)) {
    // x - x is 0, or NaN where a score is not finite.
    sum += F::if_greater(most, x, exp_roughly(x, most), zero) * counts + (x - x);
    if constexpr (Alone) {
      number = F::if_greater(most, x, number, at);
      at = at + static_cast<float>(F::count);
    } else {
      equal += F::if_greater(most, x, zero, counts);
    }
  };
  std::size_t k = 0;
  for (; k + 2 * F::count <= classes; k += 2 * F::count) {
    weigh(F::load(z + k), less[0], one);
    weigh(F::load(z + k + F::count), less[1], one);
  }
  if (k <= row.last()) weigh(F::load(z + k), less[0], one);
  if (row.has_rest()) {
    at = row.ramp() + static_cast<float>(row.last());
    weigh(F::load(z + row.last()), less[1], row.fresh());
  }
  const float below = sum_of_lanes(less[0] + less[1]);
  if constexpr (Alone) {
    *place = static_cast<std::uint32_t>(static_cast<std::int32_t>(largest_lane(number)));
    return rough_others(below, 1.0f, max);
  } else {
    return rough_others(below, sum_of_lanes(equal), max);
  }
}

/// Some rows at a time, as many as stay in the nearest cache: first all their maxima and then all
/// their sums, so that the processor need not wait for one row's before it begins the next.
static void roughly_by_rows(const float* scores, std::size_t rows, std::size_t classes,
                            float* others, std::uint32_t* top) {
  constexpr std::size_t kMostRows = 16, kNearest = 4096;
  const std::size_t batch = classes >= kNearest              ? 1
                            : kNearest / classes < kMostRows ? kNearest / classes
                                                             : kMostRows;
  const LongRow<float> row(classes);
  for (std::size_t first = 0; first < rows; first += batch) {
    const std::size_t end = rows - first < batch ? rows : first + batch;
    float max[kMostRows];
    for (std::size_t r = first; r < end; ++r) {
      NoLook nothing;
      max[r - first] = row.max(scores + r * classes, top + r, &nothing);
    }
    for (std::size_t r = first; r < end; ++r) {
      if (r + batch < rows) fetch_row(scores + (r + batch) * classes, classes);
      others[r] =
          rough_others_of<false>(row, classes, scores + r * classes, max[r - first], nullptr);
    }
  }
}

static void top_roughly(const float* scores, std::size_t rows, std::size_t classes, float* others,
                        std::uint32_t* top) {
  if (classes < kLongRow) {
    roughly_by_tiles(scores, rows, classes, others, top);
  } else {
    roughly_by_rows(scores, rows, classes, others, top);
  }
}
