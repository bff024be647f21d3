// Passes over row-major float32 scores for maps of the form b * z. Included by kernels_isa.cpp
// only.

/// Asks for the next tile while this one is worked on, so that memory and arithmetic overlap. A
/// large tile would push the present one out of the nearest cache.
static inline void fetch_ahead(const float* scores, std::size_t first, std::size_t end,
                               std::size_t count) {
  constexpr std::size_t kLine = 16;  // float32 in a line of the cache
  constexpr std::size_t kSmallTile = 2048;
  if (count > kSmallTile) return;
  const std::size_t last = end - first < count ? end : first + count;
  for (std::size_t i = first; i < last; i += kLine) __builtin_prefetch(scores + i);
}

template <std::size_t Stride, class Body>
static inline void for_each_tile_of(const float* scores, std::size_t rows, std::size_t classes,
                                    const Body& body) {
  Scratch<float> tile(classes * Stride);
  for (std::size_t first = 0; first < rows; first += Stride) {
    const std::size_t here = rows - first < Stride ? rows - first : Stride;
    load_columns(scores + first * classes, here, classes, tile.data, Stride);
    fetch_ahead(scores, (first + here) * classes, rows * classes, classes * Stride);
    body(first, here, tile.data, Stride);
  }
}

/// Calls body(first row, rows, tile, stride) for each tile of a block of scores. The stride is a
/// constant in each instantiation, which spares the inner loops their address arithmetic.
template <class Body>
static inline void for_each_tile(const float* scores, std::size_t rows, std::size_t classes,
                                 const Body& body) {
  switch (tile_rows(classes)) {
    case 64:
      return for_each_tile_of<64>(scores, rows, classes, body);
    case 32:
      return for_each_tile_of<32>(scores, rows, classes, body);
    default:
      return for_each_tile_of<16>(scores, rows, classes, body);
  }
}

/// Adds rows [0, rows) of `values` to 8 interleaved partial sums.
static inline void add_in_lanes(const double* values, std::size_t rows, double* lanes) {
  std::size_t r = 0;
  for (; r + 8 <= rows; r += 8) {
    for (std::size_t l = 0; l < 8; ++l) lanes[l] += values[r + l];
  }
  for (std::size_t l = 0; r + l < rows; ++l) lanes[l] += values[r + l];
}

static inline double total(const double* lanes) {
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

[[gnu::always_inline]] static inline Lanes<double> as_double(const float* x) {
  return Lanes<double>::widen(x);
}
[[gnu::always_inline]] static inline Lanes<double> as_double(const double* x) {
  return Lanes<double>::load(x);
}

/// Sums over rows of what the moments of a row come to.
struct TemperatureLanes {
  double log[8] = {}, mean[8] = {}, variance[8] = {}, skew[8] = {};

  /// Adds `here` rows, of `padded` rows in all, whose moments are those of exp(b d); behind the
  /// last one there may be anything finite, and a sum of exponentials of 1.
  [[gnu::always_inline]] inline void add(const double (*moment)[kMaxTileRows], std::size_t here,
                                         std::size_t padded) {
    using D = Lanes<double>;
    // One logarithm of a product instead of one per row: sums are at least 1 and at most K, so that
    // of a tile cannot overflow.
    D product = D::fill(1.0);
    alignas(64) double means[kMaxTileRows], variances[kMaxTileRows], skews[kMaxTileRows];
    for (std::size_t r = 0; r < padded; r += D::count) {
      D s[4];
      for (std::size_t j = 0; j < 4; ++j) s[j] = D::load(moment[j] + r);
      const D inverse = D::fill(1.0) / s[0];
      const D m = s[1] * inverse, mm = s[2] * inverse, mmm = s[3] * inverse;
      product = product * s[0];
      m.store(means + r);
      (mm - m * m).store(variances + r);
      (mmm - m * (mm * 3.0 - m * m * 2.0)).store(skews + r);
    }
    alignas(64) double logs[D::count];
    log_positive(product).store(logs);
    add_in_lanes(logs, D::count, log);
    add_in_lanes(means, here, mean);
    add_in_lanes(variances, here, variance);
    add_in_lanes(skews, here, skew);
  }
  TemperatureSums sums() const { return {total(log), total(mean), total(variance), total(skew)}; }
};

template <class T>
static void temperature_of_long_rows(const float* scores, std::size_t rows, std::size_t classes,
                                     double b_exact, TemperatureSums* sums, float* row_max) {
  constexpr std::size_t kRows = 16;
  const Lanes<T> b = Lanes<T>::fill(static_cast<T>(b_exact * kLog2E));  // exponents in base 2
  const LongRow<T> groups(classes);
  TemperatureLanes lanes;
  for (std::size_t first = 0; first < rows; first += kRows) {
    const std::size_t here = rows - first < kRows ? rows - first : kRows;
    float max[kRows];
    alignas(64) double moment[4][kMaxTileRows] = {};
    long_moments(scores + first * classes, here, groups, classes, b, max, moment);
    for (std::size_t r = here; r < kRows; ++r) moment[0][r] = 1.0;
    lanes.add(moment, here, kRows);
    for (std::size_t r = 0; row_max != nullptr && r < here; ++r) row_max[first + r] = max[r];
  }
  *sums = lanes.sums();
}

template <class T>
static void temperature(const float* scores, std::size_t rows, std::size_t classes, double b_exact,
                        TemperatureSums* sums, float* row_max) {
  using L = Lanes<T>;
  using D = Lanes<double>;
  if (classes >= kLongRow) {
    return temperature_of_long_rows<T>(scores, rows, classes, b_exact, sums, row_max);
  }
  const L b = L::fill(static_cast<T>(b_exact * kLog2E));  // exponents in base 2
  Scratch<T, 128 * L::count> powers(classes * L::count);
  TemperatureLanes lanes;
  for_each_tile(scores, rows, classes,
                [&](std::size_t first, std::size_t here, const float* tile, std::size_t stride) {
                  alignas(64) float max[kMaxTileRows];
                  alignas(64) double moment[4][kMaxTileRows];
                  tile_max(tile, classes, stride, max);
                  for (std::size_t r = 0; r < stride; r += L::count) {
                    const L top = L::widen(max + r);
                    // Exponentials first: with four sums beside them registers would not suffice.
                    for (std::size_t k = 0; k < classes; ++k) {
                      const L d = L::widen(tile + k * stride + r) - top;
                      exp2_nonpositive(b * d).store(powers.data + k * L::count);
                    }
                    L s[4];
                    for (std::size_t j = 0; j < 4; ++j) s[j] = L::fill(T(0));
                    for (std::size_t k = 0; k < classes; ++k) {
                      const L d = L::widen(tile + k * stride + r) - top;
                      const L e = L::load(powers.data + k * L::count);
                      const L ed = e * d, edd = ed * d;
                      s[0] += e;
                      s[1] += ed;
                      s[2] += edd;
                      s[3] += edd * d;
                    }
                    for (std::size_t j = 0; j < 4; ++j) {
                      alignas(64) T sums_here[L::count];
                      s[j].store(sums_here);
                      for (std::size_t l = 0; l < L::count; l += D::count) {
                        as_double(sums_here + l).store(moment[j] + r + l);
                      }
                    }
                  }
                  for (std::size_t r = here; r < stride; ++r) moment[0][r] = 1.0;
                  lanes.add(moment, here, stride);
                  for (std::size_t r = 0; row_max != nullptr && r < here; ++r) {
                    row_max[first + r] = max[r];
                  }
                });
  *sums = lanes.sums();
}

/// Sum over the classes of power(z_k - max), for the rows of a tile.
template <class Power>
[[gnu::always_inline]] static inline void tile_power_sum(const float* tile, std::size_t classes,
                                                         std::size_t stride, const float* max,
                                                         double* sum, const Power& power) {
  using D = Lanes<double>;
  for (std::size_t r = 0; r < stride; r += D::count) {
    const D top = D::widen(max + r);
    D s = D::fill(0.0);
    for (std::size_t k = 0; k < classes; ++k) {
      s += power(D::widen(tile + k * stride + r) - top);
    }
    s.store(sum + r);
  }
}

/// Largest score of each row of a tile and its class, the lowest on ties.
static inline void tile_argmax(const float* tile, std::size_t classes, std::size_t stride,
                               float* max, float* arg) {
  using F = Lanes<float>;
  for (std::size_t r = 0; r < stride; r += F::count) {
    F best = F::load(tile + r), index = F::fill(0.0f);
    for (std::size_t k = 1; k < classes; ++k) {
      const F z = F::load(tile + k * stride + r);
      index = F::if_greater(z, best, F::fill(static_cast<float>(k)), index);
      best = F::max(best, z);
    }
    best.store(max + r);
    index.store(arg + r);  // exact: class counts are far below 2^24
  }
}

/// The largest of softmax with these powers of scores below the largest, and its class.
template <class Power>
[[gnu::always_inline]] static inline void top_by(const float* scores, std::size_t rows,
                                                 std::size_t classes, double* confidence,
                                                 std::uint32_t* top, const Power& power) {
  for_each_tile(scores, rows, classes,
                [&](std::size_t first, std::size_t here, const float* tile, std::size_t stride) {
                  alignas(64) float max[kMaxTileRows], arg[kMaxTileRows];
                  alignas(64) double sum[kMaxTileRows];
                  tile_argmax(tile, classes, stride, max, arg);
                  tile_power_sum(tile, classes, stride, max, sum, power);
                  for (std::size_t r = 0; r < here; ++r) {
                    confidence[first + r] = 1.0 / sum[r];
                    top[first + r] = static_cast<std::uint32_t>(arg[r]);
                  }
                });
}

static void top_confidence(const float* scores, std::size_t rows, std::size_t classes, double b,
                           double* confidence, std::uint32_t* top) {
  using D = Lanes<double>;
  const D scale = D::fill(b * kLog2E);
  top_by(scores, rows, classes, confidence, top,
         [&](const D& below) { return exp2_nonpositive(scale * below); });
}

static void top_accurate(const float* scores, std::size_t rows, std::size_t classes,
                         double* confidence, std::uint32_t* top) {
  top_by(scores, rows, classes, confidence, top,
         [](const Lanes<double>& below) { return exp_accurate(below); });
}

static void top_confidence_fast(const float* scores, std::size_t rows, std::size_t classes,
                                double b, double bins, double* confidence, std::uint32_t* top) {
  using F = Lanes<float>;
  using D = Lanes<double>;
  // Far above what float32 can be wrong by: K roundings of 2^-24 and those of the exponents.
  const double doubt = bins * (1e-6 + 1e-7 * static_cast<double>(classes));
  for_each_tile(scores, rows, classes,
                [&](std::size_t first, std::size_t here, const float* tile, std::size_t stride) {
                  alignas(64) float max[kMaxTileRows], arg[kMaxTileRows], sum[kMaxTileRows];
                  alignas(64) double value[kMaxTileRows], off_edge[kMaxTileRows];
                  tile_argmax(tile, classes, stride, max, arg);
                  const F scale = F::fill(static_cast<float>(b * kLog2E));
                  for (std::size_t r = 0; r < stride; r += F::count) {
                    const F best = F::load(max + r);
                    F s = F::fill(0.0f);
                    for (std::size_t k = 0; k < classes; ++k) {
                      s += exp2_nonpositive(scale * (F::load(tile + k * stride + r) - best));
                    }
                    s.store(sum + r);
                  }
                  D nearest_edge = D::fill(1.0);
                  for (std::size_t r = 0; r < stride; r += D::count) {
                    const D p = D::fill(1.0) / D::widen(sum + r);
                    p.store(value + r);
                    // Distance to the nearest multiple of 1/bins; 1 itself is no edge between bins.
                    const D place = p * bins, edge = (place + 0x1.8p52) - 0x1.8p52;
                    const D gap = D::max(place - edge, edge - place);
                    const D distance = D::if_greater(edge, D::fill(bins - 0.5), D::fill(1.0), gap);
                    distance.store(off_edge + r);
                    nearest_edge = D::if_greater(nearest_edge, distance, distance, nearest_edge);
                  }
                  for (std::size_t r = 0; r < here; ++r) {
                    confidence[first + r] = value[r];
                    top[first + r] = static_cast<std::uint32_t>(arg[r]);
                  }
                  double least[D::count];
                  nearest_edge.store(least);
                  bool close = false;
                  for (std::size_t l = 0; l < D::count; ++l) close = close || least[l] < doubt;
                  for (std::size_t r = 0; close && r < here; ++r) {
                    std::uint32_t same;
                    if (off_edge[r] < doubt) {
                      top_confidence(scores + (first + r) * classes, 1, classes, b,
                                     confidence + first + r, &same);
                    }
                  }
                });
}

template <class T, class To = T>
static void softmax_rows(const float* scores, std::size_t rows, std::size_t classes, double b_exact,
                         To* out) {
  using L = Lanes<T>;
  if (classes >= kLongRow) return softmax_long_rows<T>(scores, rows, classes, b_exact, out);
  const L b = L::fill(static_cast<T>(b_exact * kLog2E));  // exponents in base 2
  Scratch<T> powers(classes * tile_rows(classes));
  Scratch<To> result(classes * tile_rows(classes));
  for_each_tile(scores, rows, classes,
                [&](std::size_t first, std::size_t here, const float* tile, std::size_t stride) {
                  fetch_to_write(out + first * classes, here * classes);
                  alignas(64) float max[kMaxTileRows];
                  tile_max(tile, classes, stride, max);
                  // First all sums: who waits for one and its inverse can do nothing else.
                  alignas(64) T sums[kMaxTileRows];
                  for (std::size_t r = 0; r < here; r += L::count) {
                    const L top = L::widen(max + r);
                    L sum = L::fill(T(0));
                    for (std::size_t k = 0; k < classes; ++k) {
                      const L e = exp2_nonpositive(b * (L::widen(tile + k * stride + r) - top));
                      e.store(powers.data + k * stride + r);
                      sum += e;
                    }
                    sum.store(sums + r);
                  }
                  for (std::size_t r = 0; r < here; r += L::count) {
                    const L scale = L::fill(T(1)) / L::load(sums + r);
                    for (std::size_t k = 0; k < classes; ++k) {
                      const L p = L::load(powers.data + k * stride + r) * scale;
                      if constexpr (sizeof(To) == sizeof(T)) {
                        p.store(result.data + k * stride + r);
                      } else {
                        p.narrow(result.data + k * stride + r);
                      }
                    }
                  }
                  if constexpr (sizeof(To) == 4) {
                    store_columns(result.data, here, classes, out + first * classes, stride);
                  } else {
                    store_any(result.data, here, classes, out + first * classes, stride);
                  }
                });
}

/// Whether every number is finite, by its bits.
static bool all_finite(const float* values, std::size_t count) {
  std::int32_t most = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::int32_t bits;
    __builtin_memcpy(&bits, values + i, sizeof bits);
    bits &= 0x7fffffff;
    most = bits > most ? bits : most;
  }
  return most <= 0x7f7fffff;
}

static void log_sum_exp(const float* scores, std::size_t rows, std::size_t classes, double* out) {
  for_each_tile(scores, rows, classes,
                [&](std::size_t first, std::size_t here, const float* tile, std::size_t stride) {
                  alignas(64) float max[kMaxTileRows];
                  alignas(64) double log_sum[kMaxTileRows];
                  tile_log_sum(tile, classes, stride, max, log_sum);
                  for (std::size_t r = 0; r < here; ++r) {
                    out[first + r] = static_cast<double>(max[r]) + log_sum[r];
                  }
                });
}
