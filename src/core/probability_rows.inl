// Rows of probabilities as they come in: which is the largest, and are they what they are said to
// be. Few classes go through tiles, with neighbouring rows in the lanes; many stay where
// they are, with neighbouring classes in the lanes. Included by kernels_isa.cpp only.

/// A row may miss 1 by 1e-3, and a probability exceed it by 1e-6. Where rounding might decide, it
/// is left to whoever adds in double, in order.
constexpr double kSafeRowSum = 0.99e-3, kMostProbability = 1.0 + 1e-6;

template <class T>
static inline T smallest_normal() {
  return sizeof(T) == 4 ? static_cast<T>(__FLT_MIN__) : static_cast<T>(__DBL_MIN__);
}

/// Facts of rows with this largest number, largest negative and sum; NaN is odd.
template <class T>
static inline unsigned facts_of(T top, T negative, T sum) {
  const double off = static_cast<double>(sum) - 1.0;
  const bool fine = off <= kSafeRowSum && off >= -kSafeRowSum && negative <= T(0) &&
                    top <= static_cast<T>(kMostProbability);
  return (fine ? 0u : unsigned{kOddProbabilities}) |
         (negative > -smallest_normal<T>() ? unsigned{kTinyProbabilities} : 0u);
}

/// The largest negative of what it sees, and the sum.
template <class T>
struct ProbabilitiesSeen {
  using L = Lanes<T>;
  L negative, sum;
  [[gnu::always_inline]] inline void take(const L& x, const L& fresh) {
    negative = L::max(negative, L::fill(T(0)) - x);
    sum += fresh;
  }
};

template <class T>
static unsigned top_of_long_rows(const T* p, std::size_t rows, std::size_t classes,
                                 double* confidence, std::uint32_t* top) {
  using L = Lanes<T>;
  const LongRow<T> row(classes);
  ProbabilitiesSeen<T> seen{L::fill(T(-1)), L::fill(T(0))};
  unsigned facts = 0;
  for (std::size_t r = 0; r < rows; ++r, p += classes) {
    seen.sum = L::fill(T(0));
    if (r + 1 < rows) fetch_row(p + classes, classes);
    const T most = row.max(p, top + r, &seen);
    facts |= facts_of(most, T(-1), sum_of_lanes(seen.sum));
    confidence[r] = static_cast<double>(most);
  }
  return facts | (rows == 0 ? 0 : facts_of(T(1), largest_lane(seen.negative), T(1)));
}

static inline void load_probabilities(const float* p, std::size_t rows, std::size_t classes,
                                      float* tile, std::size_t stride) {
  load_columns(p, rows, classes, tile, stride);
}
static inline void load_probabilities(const double* p, std::size_t rows, std::size_t classes,
                                      double* tile, std::size_t stride) {
  for (std::size_t r = 0; r < stride; ++r) {
    for (std::size_t k = 0; k < classes; ++k) {
      tile[k * stride + r] = r < rows ? p[r * classes + k] : 0.0;
    }
  }
}

template <class T>
static unsigned top_of_short_rows(const T* p, std::size_t rows, std::size_t classes,
                                  double* confidence, std::uint32_t* top) {
  using L = Lanes<T>;
  constexpr std::size_t kStride = kMaxTileRows;
  alignas(64) T tile[kLongRow * kStride];
  alignas(64) T best_of[kStride], class_of[kStride], negative_of[kStride], sum_of[kStride];
  unsigned facts = 0;
  for (std::size_t first = 0; first < rows; first += kStride) {
    const std::size_t here = rows - first < kStride ? rows - first : kStride;
    load_probabilities(p + first * classes, here, classes, tile, kStride);
    for (std::size_t r = 0; r < kStride; r += L::count) {
      L best = L::load(tile + r), index = L::fill(T(0)), sum = best;
      L negative = L::fill(T(0)) - best;
      for (std::size_t k = 1; k < classes; ++k) {
        const L x = L::load(tile + k * kStride + r);
        index = L::if_greater(x, best, L::fill(static_cast<T>(k)), index);
        best = L::max(best, x);
        negative = L::max(negative, L::fill(T(0)) - x);
        sum += x;
      }
      best.store(best_of + r);
      index.store(class_of + r);
      negative.store(negative_of + r);
      sum.store(sum_of + r);
    }
    for (std::size_t r = 0; r < here; ++r) {
      facts |= facts_of(best_of[r], negative_of[r], sum_of[r]);
      confidence[first + r] = static_cast<double>(best_of[r]);
      top[first + r] = static_cast<std::uint32_t>(class_of[r]);
    }
  }
  return facts;
}

template <class T>
static unsigned top_probability(const T* p, std::size_t rows, std::size_t classes,
                                double* confidence, std::uint32_t* top) {
  return classes < kLongRow ? top_of_short_rows(p, rows, classes, confidence, top)
                            : top_of_long_rows(p, rows, classes, confidence, top);
}

static void top_of_rows(const float* scores, std::size_t rows, std::size_t classes,
                        std::uint32_t* top) {
  if (classes >= kLongRow) {
    const LongRow<float> row(classes);
    for (std::size_t r = 0; r < rows; ++r, scores += classes) {
      if (r + 1 < rows) fetch_row(scores + classes, classes);
      NoLook nothing;
      row.max(scores, top + r, &nothing);
    }
    return;
  }
  for_each_tile(scores, rows, classes,
                [&](std::size_t first, std::size_t here, const float* tile, std::size_t stride) {
                  alignas(64) float max[kMaxTileRows], arg[kMaxTileRows];
                  tile_argmax(tile, classes, stride, max, arg);
                  for (std::size_t r = 0; r < here; ++r) {
                    top[first + r] = static_cast<std::uint32_t>(arg[r]);
                  }
                });
}
