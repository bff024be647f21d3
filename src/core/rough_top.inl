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

/// A row of at least as many classes as there are lanes, group by group. Where lanes do not divide
/// the classes, the last group overlaps the one before: `fresh` is 1 for classes that are new there.
class LongRow {
  using F = Lanes<float>;

 public:
  explicit LongRow(std::size_t classes)
      : classes_(classes), last_(classes - F::count), rest_(classes % F::count) {
    float ramp[F::count], mask[2 * F::count] = {};
    for (std::size_t l = 0; l < F::count; ++l) {
      ramp[l] = static_cast<float>(l);
      mask[F::count + l] = 1.0f;
    }
    ramp_ = F::load(ramp);
    fresh_ = F::load(mask + (rest_ == 0 ? F::count : rest_));
  }

  /// The largest score, and the lowest class that has it.
  [[gnu::always_inline]] inline float max(const float* z, std::uint32_t* top) const {
    F best = F::load(z), number = ramp_, at = ramp_;
    for (std::size_t k = F::count; k <= last_; k += F::count) {
      const F x = F::load(z + k);
      at = at + static_cast<float>(F::count);
      number = F::if_greater(x, best, at, number);
      best = F::max(best, x);
    }
    const F tail = F::load(z + last_);
    number = F::if_greater(tail, best, ramp_ + static_cast<float>(last_), number);
    best = F::max(best, tail);
    const float max = reduced_max(best);
    const F none = F::fill(-0x1p24f), minus = F::fill(0.0f) - number;
    *top = static_cast<std::uint32_t>(
        static_cast<std::int32_t>(-reduced_max(F::if_greater(F::fill(max), best, none, minus))));
    return max;
  }

  [[gnu::always_inline]] inline float others(const float* z, float max) const {
    const F most = F::fill(max), zero = F::fill(0.0f), one = F::fill(1.0f);
    F less[2] = {zero, zero}, equal = zero;
    const auto weigh = [&](const F& x, F& sum) __attribute__((always_inline)) {
      sum += F::if_greater(most, x, power(x, most), zero);
      equal += F::if_greater(most, x, zero, one);
    };
    std::size_t k = 0;
    for (; k + 2 * F::count <= classes_; k += 2 * F::count) {
      weigh(F::load(z + k), less[0]);
      weigh(F::load(z + k + F::count), less[1]);
    }
    if (k <= last_) weigh(F::load(z + k), less[0]);
    if (rest_ != 0) {
      const F x = F::load(z + last_);
      less[1] += F::if_greater(most, x, power(x, most), zero) * fresh_;
      equal += F::if_greater(most, x, zero, fresh_);
    }
    return rough_others(reduced_sum(less[0] + less[1]), reduced_sum(equal), max);
  }

 private:
  [[gnu::always_inline]] static inline F power(const F& x, const F& most) {
    return exp2_nonpositive((x - most) * static_cast<float>(kLog2E));
  }

  std::size_t classes_, last_, rest_;
  F ramp_, fresh_;
};

/// Asks for a row of the next batch.
static inline void fetch_row(const float* scores, std::size_t classes) {
  constexpr std::size_t kLine = 16;  // float32 in a line of the cache
  for (std::size_t k = 0; k < classes; k += kLine) __builtin_prefetch(scores + k);
}

/// Some rows at a time, as many as stay in the nearest cache: first all their maxima and then all
/// their sums, so that the processor need not wait for one row's before it begins the next.
static void roughly_by_rows(const float* scores, std::size_t rows, std::size_t classes,
                            float* others, std::uint32_t* top) {
  constexpr std::size_t kMostRows = 16, kNearest = 4096;
  const std::size_t batch =
      classes >= kNearest ? 1 : kNearest / classes < kMostRows ? kNearest / classes : kMostRows;
  const LongRow row(classes);
  for (std::size_t first = 0; first < rows; first += batch) {
    const std::size_t end = rows - first < batch ? rows : first + batch;
    float max[kMostRows];
    for (std::size_t r = first; r < end; ++r) max[r - first] = row.max(scores + r * classes, top + r);
    for (std::size_t r = first; r < end; ++r) {
      if (r + batch < rows) fetch_row(scores + (r + batch) * classes, classes);
      others[r] = row.others(scores + r * classes, max[r - first]);
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
