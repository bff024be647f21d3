// Softmax and its relatives for a single row, with the classes in the lanes. A tile of one row
// would spend most lanes on nothing. Sums still run in class order, one number after the other, so
// the bits are those of a tile. These functions take in whatever they call (flatten): handing
// registers over through memory would cost as much as the arithmetic. Included by kernels_isa.cpp
// only.

/// Narrow lanes: a row of ten classes would leave half of wide ones empty.
template <class T>
using RowLanes = Lanes<T, 32>;

/// A row, not a tile: whoever serves single rows may do so from a thread with a small stack.
template <class T>
using RowScratch = Scratch<T, 128>;

template <class T>
[[gnu::always_inline]] static inline RowLanes<T> load_lanes(const T* p, T) {
  return RowLanes<T>::load(p);
}
[[gnu::always_inline]] static inline RowLanes<double> load_lanes(const float* p, double) {
  return RowLanes<double>::widen(p);
}

/// out[k] = change(in[k]) for the classes of a row. They must not be the same: some are done twice.
template <class T, class From, class Change>
[[gnu::always_inline]] static inline void for_each_group(const From* in, std::size_t classes,
                                                         T* out, const Change& change) {
  constexpr std::size_t kCount = RowLanes<T>::count;
  if (classes < kCount) {
    From padded[kCount] = {};
    T values[kCount];
    for (std::size_t k = 0; k < classes; ++k) padded[k] = in[k];
    change(load_lanes(padded, T{})).store(values);
    for (std::size_t k = 0; k < classes; ++k) out[k] = values[k];
    return;
  }
  // The last group begins early: what was done before is done again, to the same bits.
  for (std::size_t k = 0;; k += kCount) {
    const std::size_t first = k + kCount <= classes ? k : classes - kCount;
    change(load_lanes(in + first, T{})).store(out + first);
    if (first + kCount == classes) return;
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
static inline T row_sum(const T* x, std::size_t classes) {
  T sum = T(0);
  for (std::size_t k = 0; k < classes; ++k) sum += x[k];
  return sum;
}

static inline double log_of(double x) {
  double out[RowLanes<double>::count];
  log_positive(RowLanes<double>::fill(x)).store(out);
  return out[0];
}

template <class T>
[[gnu::flatten]] static void softmax_scores_row(const float* scores, std::size_t classes,
                                                double b_exact, T* out) {
  using L = RowLanes<T>;
  const L b = L::fill(static_cast<T>(b_exact * kLog2E));
  const L top = L::fill(static_cast<T>(row_max(scores, classes)));
  RowScratch<T> e(classes);
  for_each_group(scores, classes, e.data,
                 [&](const L& z) { return exp2_nonpositive(b * (z - top)); });
  const L scale = L::fill(T(1) / row_sum(e.data, classes));
  for_each_group(e.data, classes, out, [&](const L& x) { return x * scale; });
}

[[gnu::flatten]] static double log_sum_exp_row(const float* scores, std::size_t classes) {
  using D = RowLanes<double>;
  const double top = static_cast<double>(row_max(scores, classes));
  RowScratch<double> e(classes);
  for_each_group(scores, classes, e.data, [&](const D& z) { return exp_accurate(z - top); });
  return top + log_of(row_sum(e.data, classes));
}

[[gnu::flatten]] static void softmax_row(double* row, std::size_t classes, double* lse) {
  using D = RowLanes<double>;
  const double top = row_max(row, classes);
  RowScratch<double> e(classes);
  for_each_group(row, classes, e.data,
                 [&](const D& v) { return exp2_nonpositive((v - top) * kLog2E); });
  const double sum = row_sum(e.data, classes);
  const D scale = D::fill(1.0 / sum);
  for_each_group(e.data, classes, row, [&](const D& x) { return x * scale; });
  if (lse != nullptr) *lse = top + log_of(sum);
}

[[gnu::flatten]] static std::size_t exp_from_top_row(const double* u, std::size_t classes,
                                                     double* e, double* sum) {
  using D = RowLanes<double>;
  const double top = row_max(u, classes);
  for_each_group(u, classes, e, [&](const D& x) { return exp_accurate(x - top); });
  *sum = row_sum(e, classes);
  std::size_t first = 0;
  while (u[first] != top) ++first;
  return first;
}
