// Softmax and its relatives for a single row, with the classes in the lanes. A tile of one row
// would spend most lanes on nothing. Sums still run in class order, one number after the other, so
// the bits are those of a tile. These functions take in whatever they call (flatten): handing
// registers over through memory would cost as much as the arithmetic. Included by kernels_isa.cpp
// only.

static inline Lanes<double> load_lanes(const double* p, double) { return Lanes<double>::load(p); }
static inline Lanes<double> load_lanes(const float* p, double) { return Lanes<double>::widen(p); }
static inline Lanes<float> load_lanes(const float* p, float) { return Lanes<float>::load(p); }

/// Calls put(first, count, values) for groups of change(in[k]); `in` may be what put overwrites.
template <class T, class From, class Change, class Put>
[[gnu::always_inline]] static inline void for_each_group(const From* in, std::size_t classes,
                                                         const Change& change, const Put& put) {
  constexpr std::size_t kCount = Lanes<T>::count;
  alignas(64) T values[kCount];
  alignas(64) From padded[kCount];
  // One place for whole groups and the last one: what `change` does is long, and inlined.
  for (std::size_t k = 0; k < classes; k += kCount) {
    const std::size_t count = classes - k < kCount ? classes - k : kCount;
    const From* group = in + k;
    std::size_t skip = 0;
    if (count < kCount) {
      if (classes >= kCount) {
        // The last group begins early; lanes that were done before are left out.
        skip = kCount - count;
        group -= skip;
      } else {
        for (std::size_t i = 0; i < kCount; ++i) padded[i] = i < count ? group[i] : From(0);
        group = padded;
      }
    }
    change(load_lanes(group, T{})).store(values);
    put(k, count, values + skip);
  }
}

template <class T>
static inline T row_max(const T* x, std::size_t classes) {
  // Four chains, since a maximum waits for the one before; which is found first does not matter.
  T max[4] = {x[0], x[0], x[0], x[0]};
  std::size_t k = 1;
  for (; k + 4 <= classes; k += 4) {
    for (std::size_t i = 0; i < 4; ++i) max[i] = x[k + i] > max[i] ? x[k + i] : max[i];
  }
  for (; k < classes; ++k) max[0] = x[k] > max[0] ? x[k] : max[0];
  for (std::size_t i = 1; i < 4; ++i) max[0] = max[i] > max[0] ? max[i] : max[0];
  return max[0];
}

template <class T>
static inline T log_of(T x) {
  alignas(64) T out[Lanes<T>::count];
  log_positive(Lanes<T>::fill(x)).store(out);
  return out[0];
}

/// Exponentials become probabilities; returns their sum.
template <class T>
static inline T divide_by_sum(T* row, std::size_t classes) {
  T sum = T(0);
  for (std::size_t k = 0; k < classes; ++k) sum += row[k];
  const T scale = T(1) / sum;
  for (std::size_t k = 0; k < classes; ++k) row[k] *= scale;
  return sum;
}

template <class T>
[[gnu::flatten]] static void softmax_scores_row(const float* scores, std::size_t classes,
                                                double b_exact, T* out) {
  using L = Lanes<T>;
  const L b = L::fill(static_cast<T>(b_exact * kLog2E));
  const L top = L::fill(static_cast<T>(row_max(scores, classes)));
  for_each_group<T>(
      scores, classes, [&](const L& z) { return exp2_nonpositive(b * (z - top)); },
      [&](std::size_t first, std::size_t count, const T* values) {
        for (std::size_t i = 0; i < count; ++i) out[first + i] = values[i];
      });
  divide_by_sum(out, classes);
}

[[gnu::flatten]] static double log_sum_exp_row(const float* scores, std::size_t classes) {
  using D = Lanes<double>;
  const double top = static_cast<double>(row_max(scores, classes));
  double sum = 0.0;
  for_each_group<double>(
      scores, classes, [&](const D& z) { return exp_accurate(z - top); },
      [&](std::size_t, std::size_t count, const double* values) {
        for (std::size_t i = 0; i < count; ++i) sum += values[i];
      });
  return top + log_of(sum);
}

[[gnu::flatten]] static void softmax_row(double* row, std::size_t classes, double* lse) {
  using D = Lanes<double>;
  const double top = row_max(row, classes);
  for_each_group<double>(
      row, classes, [&](const D& v) { return exp2_nonpositive((v - top) * kLog2E); },
      [&](std::size_t first, std::size_t count, const double* values) {
        for (std::size_t i = 0; i < count; ++i) row[first + i] = values[i];
      });
  const double sum = divide_by_sum(row, classes);
  if (lse != nullptr) *lse = top + log_of(sum);
}
