// Softmax and its relatives for a single row, with the classes in the lanes. A tile of one row
// would spend most lanes on nothing. Sums still run in class order, one number after the other, so
// the bits are those of a tile. What counts here is how long one result waits for another, so these
// functions take in whatever they call (flatten). Included by kernels_isa.cpp only.

/// Narrow lanes: a row of ten classes would leave half of wide ones empty.
template <class T>
using RowLanes = Lanes<T, 32>;

/// A row, not a tile: whoever serves single rows may do so from a thread with a small stack.
template <class T>
using RowScratch = Scratch<T, 128>;

/// As many neighbouring classes as there are lanes, computed in T. A number always goes through
/// memory in the same company: reading across two fresh writes would wait for both.
template <class T>
struct WholeGroup {
  using L = RowLanes<T>;
  template <class From>
  [[gnu::always_inline]] static inline L load(const From* p) {
    if constexpr (sizeof(From) == sizeof(T)) {
      return L::load(p);
    } else {
      return L::widen(p);
    }
  }
  template <class To>
  [[gnu::always_inline]] static inline void store(const L& x, To* p) {
    if constexpr (sizeof(To) == sizeof(T)) {
      x.store(p);
    } else {
      x.narrow(p);
    }
  }
};

/// The classes left, at least one. The other lanes repeat one of them: that changes no maximum.
template <class T>
struct LastGroup {
  using L = RowLanes<T>;
  std::size_t classes;

  template <class From>
  [[gnu::always_inline]] inline L load(const From* p) const {
    L out = L::fill(static_cast<T>(p[0]));
    unroll<L::count - 1>([&](std::size_t i) __attribute__((always_inline)) {
      if (i < classes) out.part[i / L::native][i % L::native] = static_cast<T>(p[i]);
    });
    return out;
  }
  template <class To>
  [[gnu::always_inline]] inline void store(const L& x, To* p) const {
    unroll<L::count - 1>([&](std::size_t i) __attribute__((always_inline)) {
      if (i < classes) p[i] = static_cast<To>(x.part[i / L::native][i % L::native]);
    });
  }
};

/// Calls body(first class, group) for all groups of a row.
template <class T, class Body>
[[gnu::always_inline]] static inline void for_each_group(std::size_t classes, const Body& body) {
  constexpr std::size_t kCount = RowLanes<T>::count;
  std::size_t k = 0;
  for (; k + kCount <= classes; k += kCount) body(k, WholeGroup<T>{});
  if (k < classes) body(k, LastGroup<T>{classes - k});
}

/// The largest number of a row, in every lane.
template <class T, class From>
[[gnu::always_inline]] static inline RowLanes<T> row_max(const From* x, std::size_t classes) {
  using L = RowLanes<T>;
  L max = L::fill(static_cast<T>(x[0]));
  for_each_group<T>(
      classes, [&](std::size_t k, const auto& group) { max = L::max(max, group.load(x + k)); });
  if constexpr (L::count == 8) max = L::max(max, max.template swapped<4>());
  max = L::max(max, max.template swapped<2>());
  return L::max(max, max.template swapped<1>());
}

/// out = change(x), computed in T.
template <class T, class From, class To, class Change>
[[gnu::always_inline]] static inline void change_row(const From* x, std::size_t classes, To* out,
                                                     const Change& change) {
  for_each_group<T>(classes, [&](std::size_t k, const auto& group) {
    group.store(change(group.load(x + k)), out + k);
  });
}

/// The sum of a row, in every lane.
template <class T>
[[gnu::always_inline]] static inline RowLanes<T> row_sum(const T* x, std::size_t classes) {
  T sum = T(0);
  for (std::size_t k = 0; k < classes; ++k) sum += x[k];
  return RowLanes<T>::fill(sum);
}

/// The first class with this number; 0 when there is none, as for a NaN.
template <class T>
static inline std::size_t find_in_row(const T* x, std::size_t classes, T number) {
  // By bits: a loop that ends when it is found would be guessed wrong nearly every time.
  for (std::size_t first = 0; first < classes; first += 64) {
    const std::size_t here = classes - first < 64 ? classes - first : 64;
    std::uint64_t found = 0;
    for (std::size_t k = 0; k < here; ++k) {
      found |= static_cast<std::uint64_t>(x[first + k] == number) << k;
    }
    if (found != 0) return first + static_cast<std::size_t>(__builtin_ctzll(found));
  }
  return 0;
}

template <class T>
[[gnu::flatten]] static void softmax_scores_row(const float* scores, std::size_t classes,
                                                double b_exact, T* out) {
  using L = RowLanes<T>;
  if (classes >= kLongRow) return softmax_long_rows<T>(scores, 1, classes, b_exact, out);
  const L b = L::fill(static_cast<T>(b_exact * kLog2E));
  const L top = row_max<T>(scores, classes);
  RowScratch<T> e(classes);
  change_row<T>(scores, classes, e.data,
                [&](const L& z) { return exp2_nonpositive(b * (z - top)); });
  const L scale = L::fill(T(1)) / row_sum(e.data, classes);
  change_row<T>(e.data, classes, out, [&](const L& x) { return x * scale; });
}

[[gnu::flatten]] static void load_row(const float* scores, std::size_t classes, double* u) {
  change_row<double>(scores, classes, u, [](const RowLanes<double>& z) { return z; });
}

[[gnu::flatten]] static void load_log_probs_row(const float* scores, std::size_t classes,
                                                double* u) {
  using D = RowLanes<double>;
  const D top = row_max<double>(scores, classes);
  RowScratch<double> e(classes);
  change_row<double>(scores, classes, e.data, [&](const D& z) { return exp_accurate(z - top); });
  const D log_sum = log_positive(row_sum(e.data, classes));
  change_row<double>(scores, classes, u, [&](const D& z) { return (z - top) - log_sum; });
}

template <class From>
[[gnu::flatten]] static void log_row(const From* p, std::size_t classes, float* u) {
  change_row<double>(p, classes, u, [](const RowLanes<double>& x) { return log_positive(x); });
}

template <class To>
[[gnu::flatten]] static void softmax_row(const double* v, std::size_t classes, To* p) {
  using D = RowLanes<double>;
  const D top = row_max<double>(v, classes);
  RowScratch<double> e(classes);
  change_row<double>(v, classes, e.data, [&](const D& x) { return exp_for_softmax(x, top); });
  const D scale = D::fill(1.0) / row_sum(e.data, classes);
  change_row<double>(e.data, classes, p, [&](const D& x) { return x * scale; });
}

template <class To>
[[gnu::flatten]] static void scaled_softmax_row(const double* u, std::size_t classes, double factor,
                                                To* p) {
  using D = RowLanes<double>;
  const D top = row_max<double>(u, classes), exponent = D::fill(factor) * kLog2E;
  RowScratch<double> e(classes);
  change_row<double>(u, classes, e.data,
                     [&](const D& x) { return exp2_nonpositive((x - top) * exponent); });
  const D scale = D::fill(1.0) / row_sum(e.data, classes);
  change_row<double>(e.data, classes, p, [&](const D& x) { return x * scale; });
}

[[gnu::flatten]] static void log_softmax_row(const double* v, std::size_t classes, double* u) {
  using D = RowLanes<double>;
  const D top = row_max<double>(v, classes);
  change_row<double>(v, classes, u, [&](const D& x) { return exp_for_softmax(x, top); });
  const D log_sum = log_positive(row_sum(u, classes));
  change_row<double>(v, classes, u, [&](const D& x) { return (x - top) - log_sum; });
}

[[gnu::flatten]] static std::size_t exp_from_top_row(const double* u, std::size_t classes,
                                                     double* e, double* sum) {
  using D = RowLanes<double>;
  const D top = row_max<double>(u, classes);
  change_row<double>(u, classes, e, [&](const D& x) { return exp_accurate(x - top); });
  *sum = row_sum(e, classes).first();
  return find_in_row(u, classes, top.first());
}

[[gnu::flatten]] static void shape_row(const double* u, std::size_t classes,
                                       const Shape<double>& shape) {
  using D = RowLanes<double>;
  const D top = row_max<double>(u, classes);
  RowScratch<double> e(classes), below(classes);
  D first = D::fill(0.0), second = first;
  for_each_group<double>(classes, [&](std::size_t k, const auto& group) {
    const D x = group.load(u + k), value = exp_for_softmax(x, top);
    group.store(value, e.data + k);
    group.store(value * (top - x), below.data + k);
  });
  for (std::size_t k = 0; k < classes; ++k) {
    const D x = D::fill(e.data[k]);
    second = D::max(second, D::if_greater(first, x, x, first));
    first = D::max(first, x);
  }
  const D sum = row_sum(e.data, classes), per_sum = D::fill(1.0) / sum;
  *shape.top = top.first();
  *shape.log_sum = log_positive(sum).first();
  *shape.fall = (row_sum(below.data, classes) * per_sum).first();
  *shape.first = per_sum.first();
  *shape.second = (second * per_sum).first();
}

static double softplus_row(double a) {
  return Softplus<double, 32>(RowLanes<double>::fill(a)).value.first();
}

[[gnu::flatten]] static void scale_row(double factor, const double* u, std::size_t classes,
                                       double* v) {
  change_row<double>(u, classes, v, [&](const RowLanes<double>& x) { return x * factor; });
}

[[gnu::flatten]] static void affine_row(const double* weights, const double* biases,
                                        const double* u, std::size_t classes, double* v) {
  for_each_group<double>(classes, [&](std::size_t k, const auto& group) {
    const RowLanes<double> scaled = group.load(weights + k) * group.load(u + k);
    group.store(biases != nullptr ? scaled + group.load(biases + k) : scaled, v + k);
  });
}
