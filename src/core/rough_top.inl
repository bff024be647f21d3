// A first look at rows in float32: the predicted class, and the exponentials of the other classes
// beside it, from which the order of most rows by confidence is certain. Few classes go through
// tiles; many stay where they are, with neighbouring classes in the lanes. Included by
// kernels_isa.cpp only.

/// What others weigh beside the largest, or NaN where a score is so near to it that double might
/// take the two for equal once a log-sum-exp is off.
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
                  for (std::size_t r = 0; r < stride; r += F::count) {
                    const F best = F::load(max + r), zero = F::fill(0.0f), one = F::fill(1.0f);
                    F less = zero, equal = zero;
                    for (std::size_t k = 0; k < classes; ++k) {
                      const F z = F::load(tile + k * stride + r);
                      const F e = exp2_nonpositive((z - best) * static_cast<float>(kLog2E));
                      less += F::if_greater(best, z, e, zero);
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

/// The largest of the lanes, or their sum as a fixed tree.
[[gnu::always_inline]] static inline float reduced_max(const Lanes<float>& x) {
  using R = Lanes<float, 32>;
  float lane[Lanes<float>::count];
  x.store(lane);
  R max = R::max(R::load(lane), R::load(lane + R::count));
  max = R::max(max, max.template swapped<4>());
  max = R::max(max, max.template swapped<2>());
  return R::max(max, max.template swapped<1>()).first();
}
[[gnu::always_inline]] static inline float reduced_sum(const Lanes<float>& x) {
  using R = Lanes<float, 32>;
  float lane[Lanes<float>::count];
  x.store(lane);
  R sum = R::load(lane) + R::load(lane + R::count);
  sum += sum.template swapped<4>();
  sum += sum.template swapped<2>();
  return (sum + sum.template swapped<1>()).first();
}

/// Rows of at least as many classes as there are lanes. Where these do not divide the classes, the
/// last group overlaps the one before, and what was counted there is masked.
static void roughly_by_rows(const float* scores, std::size_t rows, std::size_t classes,
                            float* others, std::uint32_t* top) {
  using F = Lanes<float>;
  alignas(64) float ramp[F::count], mask[2 * F::count] = {};
  for (std::size_t l = 0; l < F::count; ++l) {
    ramp[l] = static_cast<float>(l);
    mask[F::count + l] = 1.0f;
  }
  const F place = F::load(ramp), zero = F::fill(0.0f), one = F::fill(1.0f);
  const std::size_t last = classes - F::count, rest = classes % F::count;
  const F fresh = F::load(mask + (rest == 0 ? F::count : rest));
  for (std::size_t r = 0; r < rows; ++r) {
    const float* const z = scores + r * classes;
    F best = F::load(z), number = place;
    for (std::size_t k = F::count; k <= last; k += F::count) {
      const F x = F::load(z + k);
      number = F::if_greater(x, best, place + static_cast<float>(k), number);
      best = F::max(best, x);
    }
    const F tail = F::load(z + last);
    number = F::if_greater(tail, best, place + static_cast<float>(last), number);
    best = F::max(best, tail);
    const float max = reduced_max(best);
    const F most = F::fill(max);
    // The lowest class among those with the largest score.
    const F far = F::fill(-0x1p24f);
    top[r] = static_cast<std::uint32_t>(
        -reduced_max(F::if_greater(most, best, far, zero - number)));
    F less[2] = {zero, zero}, equal = zero;
    const auto weigh = [&](const F& x, const F& counted, F& sum) __attribute__((always_inline)) {
      const F e = exp2_nonpositive((x - most) * static_cast<float>(kLog2E));
      sum += F::if_greater(most, x, e, zero) * counted;
      equal += F::if_greater(most, x, zero, counted);
    };
    std::size_t k = 0;
    for (; k + 2 * F::count <= classes; k += 2 * F::count) {
      weigh(F::load(z + k), one, less[0]);
      weigh(F::load(z + k + F::count), one, less[1]);
    }
    if (k <= last) weigh(F::load(z + k), one, less[0]);
    if (rest != 0) weigh(tail, fresh, less[1]);
    others[r] = rough_others(reduced_sum(less[0] + less[1]), reduced_sum(equal), max);
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
