// Softmax and its relatives on tiles. Included by kernels_isa.cpp only.

constexpr std::size_t kMaxTileRows = 64;

/// Scratch space: on the stack up to `Inline` numbers, a tile of 128 classes, and kept by the
/// thread above.
template <class T, std::size_t Inline = 128 * kMaxTileRows>
struct Scratch {
  explicit Scratch(std::size_t size)
      : data(size <= Inline ? inline_ : static_cast<T*>(take_scratch(size * sizeof(T)))) {}
  ~Scratch() {
    if (data != inline_) give_scratch();
  }
  Scratch(const Scratch&) = delete;
  T* data;
  alignas(64) T inline_[Inline];
};

/// Replaces numbers by change(number); the last group is padded with zeros.
template <class T, class Change>
[[gnu::always_inline]] static inline void in_groups(T* x, std::size_t count, const Change& change) {
  using L = Lanes<T>;
  alignas(64) T rest[L::count] = {};
  for (std::size_t i = 0; i < count; i += L::count) {
    const std::size_t left = count - i;
    T* group = x + i;
    if (left < L::count) {
      for (std::size_t j = 0; j < left; ++j) rest[j] = x[i + j];
      group = rest;
    }
    change(L::load(group)).store(group);
    for (std::size_t j = 0; group == rest && j < left; ++j) x[i + j] = rest[j];
  }
}

template <class T>
[[gnu::flatten]] static void log_array(T* x, std::size_t count) {
  in_groups(x, count, [](const Lanes<T>& group) { return log_of_sum(group); });
}

template <class T>
static inline Lanes<T> max_over_classes(const T* tile, std::size_t classes, std::size_t stride) {
  Lanes<T> max = Lanes<T>::load(tile);
  for (std::size_t k = 1; k < classes; ++k) {
    max = Lanes<T>::max(max, Lanes<T>::load(tile + k * stride));
  }
  return max;
}

template <class T, std::size_t Bytes>
[[gnu::always_inline]] static inline Lanes<T, Bytes> exp_for_softmax(const Lanes<T, Bytes>& v,
                                                                     const Lanes<T, Bytes>& top) {
  return exp2_nonpositive((v - top) * static_cast<T>(kLog2E));
}

template <class T>
static inline void divide_classes(T* tile, std::size_t classes, std::size_t stride,
                                  const Lanes<T>& sum) {
  const Lanes<T> scale = Lanes<T>::fill(T(1)) / sum;
  for (std::size_t k = 0; k < classes; ++k) {
    (Lanes<T>::load(tile + k * stride) * scale).store(tile + k * stride);
  }
}

template <class T>
static void wide_softmax(T* tile, std::size_t classes, std::size_t stride, T* lse) {
  using L = Lanes<T>;
  for (std::size_t r = 0; r < stride; r += L::count) {
    const L max = max_over_classes(tile + r, classes, stride);
    L sum = L::fill(T(0));
    for (std::size_t k = 0; k < classes; ++k) {
      const L e = exp_for_softmax(L::load(tile + k * stride + r), max);
      e.store(tile + k * stride + r);
      sum += e;
    }
    (max + log_of_sum(sum)).store(lse + r);
    divide_classes(tile + r, classes, stride, sum);
  }
}

template <class T>
static void tile_softmax(T* tile, std::size_t classes, T* lse) {
  wide_softmax(tile, classes, tile_rows(classes), lse);
}

template <class T>
static void tile_log_softmax(T* tile, std::size_t classes) {
  using L = Lanes<T>;
  const std::size_t stride = tile_rows(classes);
  for (std::size_t r = 0; r < stride; r += L::count) {
    const L max = max_over_classes(tile + r, classes, stride);
    L sum = L::fill(T(0));
    for (std::size_t k = 0; k < classes; ++k) {
      sum += exp_for_softmax(L::load(tile + k * stride + r), max);
    }
    const L log_sum = log_positive(sum);
    for (std::size_t k = 0; k < classes; ++k) {
      ((L::load(tile + k * stride + r) - max) - log_sum).store(tile + k * stride + r);
    }
  }
}

/// softmax(factor u), in place.
template <class T>
static void tile_scaled_softmax(T* u, std::size_t classes, const T* factors) {
  using L = Lanes<T>;
  const std::size_t stride = tile_rows(classes);
  for (std::size_t r = 0; r < stride; r += L::count) {
    const L top = max_over_classes(u + r, classes, stride);
    const L factor = L::load(factors + r) * static_cast<T>(kLog2E);
    L sum = L::fill(T(0));
    for (std::size_t k = 0; k < classes; ++k) {
      const L e = exp2_nonpositive((L::load(u + k * stride + r) - top) * factor);
      e.store(u + k * stride + r);
      sum += e;
    }
    divide_classes(u + r, classes, stride, sum);
  }
}

/// exp(-|a|), and log(1 + exp a).
template <class T, std::size_t Bytes>
struct Softplus {
  using L = Lanes<T, Bytes>;
  L decay, value;

  [[gnu::always_inline]] explicit inline Softplus(const L& a) {
    const L zero = L::fill(T(0)), minus = zero - a;
    decay = exp2_nonpositive(L::if_greater(a, zero, minus, a) * static_cast<T>(kLog2E));
    // log(1 + x) is x where x is lost beside 1.
    const L least = L::fill(T(1e-17)), tail = log_positive(decay + T(1));
    value = L::max(zero, a) + L::if_greater(least, decay, decay, tail);
  }
};

template <class T>
static void tile_softplus(const T* a, std::size_t count, T* decay, T* value) {
  using L = Lanes<T>;
  for (std::size_t i = 0; i < count; i += L::count) {
    const Softplus<T, 64> softplus(L::load(a + i));
    softplus.decay.store(decay + i);
    softplus.value.store(value + i);
  }
}

template <class T>
static void tile_shape(const T* u, std::size_t classes, const Shape<T>& shape) {
  using L = Lanes<T>;
  const std::size_t stride = tile_rows(classes);
  for (std::size_t r = 0; r < stride; r += L::count) {
    const L top = max_over_classes(u + r, classes, stride);
    L sum = L::fill(T(0)), fall = sum, first = sum, second = sum;
    for (std::size_t k = 0; k < classes; ++k) {
      const L x = L::load(u + k * stride + r), e = exp_for_softmax(x, top);
      sum += e;
      fall += e * (top - x);
      second = L::max(second, L::if_greater(first, e, e, first));
      first = L::max(first, e);
    }
    const L per_sum = L::fill(T(1)) / sum;
    top.store(shape.top + r);
    log_positive(sum).store(shape.log_sum + r);
    (fall * per_sum).store(shape.fall + r);
    per_sum.store(shape.first + r);
    (second * per_sum).store(shape.second + r);
  }
}

template <class T>
static void tile_exp_from_top(const T* u, std::size_t classes, T* e, T* sum, T* top) {
  using L = Lanes<T>;
  const std::size_t stride = tile_rows(classes);
  for (std::size_t r = 0; r < stride; r += L::count) {
    L best = L::load(u + r), index = L::fill(T(0));
    for (std::size_t k = 1; k < classes; ++k) {
      const L x = L::load(u + k * stride + r);
      index = L::if_greater(x, best, L::fill(static_cast<T>(k)), index);
      best = L::max(best, x);
    }
    L total = L::fill(T(0));
    for (std::size_t k = 0; k < classes; ++k) {
      const L x = exp_accurate(L::load(u + k * stride + r) - best);
      x.store(e + k * stride + r);
      total += x;
    }
    total.store(sum + r);
    index.store(top + r);
  }
}

template <class T>
static void wide_centre(const T* p, std::size_t classes, std::size_t stride, T* v) {
  using L = Lanes<T>;
  for (std::size_t r = 0; r < stride; r += L::count) {
    L mean = L::fill(T(0));
    for (std::size_t k = 0; k < classes; ++k) {
      mean += L::load(p + k * stride + r) * L::load(v + k * stride + r);
    }
    for (std::size_t k = 0; k < classes; ++k) {
      T* at = v + k * stride + r;
      (L::load(p + k * stride + r) * (L::load(at) - mean)).store(at);
    }
  }
}

template <class T>
static void tile_centre(const T* p, std::size_t classes, T* v) {
  wide_centre(p, classes, tile_rows(classes), v);
}

/// The largest score of each row of a tile.
static inline void tile_max(const float* tile, std::size_t classes, std::size_t stride,
                            float* max) {
  for (std::size_t r = 0; r < stride; r += Lanes<float>::count) {
    max_over_classes(tile + r, classes, stride).store(max + r);
  }
}

/// The largest score of each row of a tile, and log sum_k exp(z_k - largest).
static inline void tile_log_sum(const float* tile, std::size_t classes, std::size_t stride,
                                float* max, double* log_sum) {
  using D = Lanes<double>;
  tile_max(tile, classes, stride, max);
  for (std::size_t r = 0; r < stride; r += D::count) {
    const D top = D::widen(max + r);
    D sum = D::fill(0.0);
    for (std::size_t k = 0; k < classes; ++k) {
      sum += exp_accurate(D::widen(tile + k * stride + r) - top);
    }
    log_positive(sum).store(log_sum + r);
  }
}

template <class T>
static void tile_load(const float* scores, std::size_t rows, std::size_t classes,
                      const double* shift, T* tile) {
  const std::size_t stride = tile_rows(classes);
  Scratch<float> raw(classes * stride);
  load_columns(scores, rows, classes, raw.data, stride);
  alignas(64) double shifts[kMaxTileRows] = {};
  if (shift != nullptr) {
    for (std::size_t r = 0; r < rows; ++r) shifts[r] = shift[r];
  }
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t r = 0; r < stride; ++r) {
      const std::size_t at = k * stride + r;
      tile[at] = static_cast<T>(static_cast<double>(raw.data[at]) - shifts[r]);
    }
  }
}

template <class T>
static void tile_load_log_probs(const float* scores, std::size_t rows, std::size_t classes,
                                T* tile) {
  const std::size_t stride = tile_rows(classes);
  Scratch<float> raw(classes * stride);
  load_columns(scores, rows, classes, raw.data, stride);
  alignas(64) float max[kMaxTileRows];
  alignas(64) double log_sum[kMaxTileRows];
  tile_log_sum(raw.data, classes, stride, max, log_sum);
  for (std::size_t r = rows; r < stride; ++r) log_sum[r] = 0.0;  // rows past the end stay zero
  // The largest first: behind a large one the logarithm would be lost.
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t r = 0; r < stride; ++r) {
      const double below =
          static_cast<double>(raw.data[k * stride + r]) - static_cast<double>(max[r]);
      tile[k * stride + r] = static_cast<T>(below - log_sum[r]);
    }
  }
}

template <class T, class To>
static void tile_store(const T* tile, std::size_t rows, std::size_t classes, To* out) {
  const std::size_t stride = tile_rows(classes);
  if constexpr (sizeof(To) == 4) {
    store_columns(tile, rows, classes, out, stride);
  } else {
    store_any(tile, rows, classes, out, stride);
  }
}
