// Between row-major scores and class-major tiles. Included by kernels_isa.cpp only.

typedef float Quad __attribute__((vector_size(16)));

static inline Quad load_quad(const float* p) {
  Quad q;
  __builtin_memcpy(&q, p, sizeof q);
  return q;
}
/// Rounded to float32.
static inline Quad load_quad(const double* p) {
  typedef double Wide __attribute__((vector_size(32)));
  Wide wide;
  __builtin_memcpy(&wide, p, sizeof wide);
  return __builtin_convertvector(wide, Quad);
}
static inline void store_quad(float* p, Quad q) { __builtin_memcpy(p, &q, sizeof q); }

/// Transposes 4 rows x 4 columns held in registers.
static inline void transpose_quads(Quad& a, Quad& b, Quad& c, Quad& d) {
  const Quad ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const Quad ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Quad cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Quad cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  a = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
  c = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
  d = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

// Columns move four at a time. When 4 does not divide their number, the last four overlap the ones
// before: writing the same value twice is faster than moving single columns.

/// tile[k * stride + r] = rows of `scores`; rows past the end are zero.
static inline void load_columns(const float* __restrict scores, std::size_t rows,
                                std::size_t classes, float* __restrict tile, std::size_t stride) {
  const std::size_t whole = classes < 4 ? 0 : classes;
  std::size_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    const float* z = scores + r * classes;
    for (std::size_t next = 0; next < whole; next += 4) {
      const std::size_t k = next + 4 <= classes ? next : classes - 4;
      Quad a = load_quad(z + k), b = load_quad(z + classes + k);
      Quad c = load_quad(z + 2 * classes + k), d = load_quad(z + 3 * classes + k);
      transpose_quads(a, b, c, d);
      store_quad(tile + k * stride + r, a);
      store_quad(tile + (k + 1) * stride + r, b);
      store_quad(tile + (k + 2) * stride + r, c);
      store_quad(tile + (k + 3) * stride + r, d);
    }
    for (std::size_t k = whole; k < classes; ++k) {
      const Quad column{z[k], z[classes + k], z[2 * classes + k], z[3 * classes + k]};
      store_quad(tile + k * stride + r, column);
    }
  }
  for (; r < stride; ++r) {
    for (std::size_t k = 0; k < classes; ++k) {
      tile[k * stride + r] = r < rows ? scores[r * classes + k] : 0.0f;
    }
  }
}

template <class T>
static inline void store_columns(const T* __restrict tile, std::size_t rows, std::size_t classes,
                                 float* __restrict out, std::size_t stride) {
  const std::size_t whole = classes < 4 ? 0 : classes;
  std::size_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    float* p = out + r * classes;
    for (std::size_t next = 0; next < whole; next += 4) {
      const std::size_t k = next + 4 <= classes ? next : classes - 4;
      Quad a = load_quad(tile + k * stride + r), b = load_quad(tile + (k + 1) * stride + r);
      Quad c = load_quad(tile + (k + 2) * stride + r), d = load_quad(tile + (k + 3) * stride + r);
      transpose_quads(a, b, c, d);
      store_quad(p + k, a);
      store_quad(p + classes + k, b);
      store_quad(p + 2 * classes + k, c);
      store_quad(p + 3 * classes + k, d);
    }
    for (std::size_t k = whole; k < classes; ++k) {
      const Quad column = load_quad(tile + k * stride + r);
      for (std::size_t i = 0; i < 4; ++i) p[i * classes + k] = column[i];
    }
  }
  for (; r < rows; ++r) {
    for (std::size_t k = 0; k < classes; ++k) {
      out[r * classes + k] = static_cast<float>(tile[k * stride + r]);
    }
  }
}

/// Any other pair of element types, one element at a time.
template <class From, class To>
static inline void store_any(const From* __restrict tile, std::size_t rows, std::size_t classes,
                             To* __restrict out, std::size_t stride) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t k = 0; k < classes; ++k) {
      out[r * classes + k] = static_cast<To>(tile[k * stride + r]);
    }
  }
}

static void narrow_array(const double* from, std::size_t count, float* to) {
  using D = Lanes<double>;
  for (std::size_t i = 0; i < count; i += D::count) D::load(from + i).narrow(to + i);
}
