// The two matrix products of a fit, on tiles. Included by kernels_isa.cpp only.
//
// multiply: each result is one sum in the order of its index, whatever the vector width.
// multiply_transposed: each result is a sum over rows, one partial sum per lane, added in a fixed
// tree at the end; the number of lanes does not depend on the instruction set.

template <class T>
using Panel = Lanes<T, 32>;

template <std::size_t M, class T>
static inline void multiply_rows(const T* __restrict w, std::size_t ldw, std::size_t n,
                                 const T* bias, const T* __restrict u, T* __restrict v,
                                 std::size_t stride) {
  constexpr std::size_t kWidth = Panel<T>::count;
  for (std::size_t r = 0; r < stride; r += 2 * kWidth) {
    Panel<T> low[M], high[M];
    for (std::size_t i = 0; i < M; ++i) {
      low[i] = high[i] = Panel<T>::fill(bias != nullptr ? bias[i] : T(0));
    }
    for (std::size_t a = 0; a < n; ++a) {
      const auto x = Panel<T>::load(u + a * stride + r);
      const auto y = Panel<T>::load(u + a * stride + r + kWidth);
      for (std::size_t i = 0; i < M; ++i) {
        const auto weight = Panel<T>::fill(w[i * ldw + a]);
        low[i] += weight * x;
        high[i] += weight * y;
      }
    }
    for (std::size_t i = 0; i < M; ++i) {
      low[i].store(v + i * stride + r);
      high[i].store(v + i * stride + r + kWidth);
    }
  }
}

/// The same for a single row: v = bias + w u.
template <std::size_t M, class T>
static inline void multiply_row(const T* __restrict w, std::size_t ldw, std::size_t n,
                                const T* bias, const T* __restrict u, T* __restrict v) {
  T sum[M];
  for (std::size_t i = 0; i < M; ++i) sum[i] = bias != nullptr ? bias[i] : T(0);
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t i = 0; i < M; ++i) sum[i] += w[i * ldw + a] * u[a];
  }
  for (std::size_t i = 0; i < M; ++i) v[i] = sum[i];
}

template <class T>
static void multiply(const T* w, std::size_t ldw, std::size_t m, std::size_t n, const T* bias,
                     const T* u, T* v, std::size_t stride) {
  std::size_t i = 0;
  const auto bias_at = [&](std::size_t at) { return bias != nullptr ? bias + at : nullptr; };
  if (stride == 1) {
    for (; i + 4 <= m; i += 4) multiply_row<4>(w + i * ldw, ldw, n, bias_at(i), u, v + i);
    for (; i < m; ++i) multiply_row<1>(w + i * ldw, ldw, n, bias_at(i), u, v + i);
    return;
  }
  for (; i + 4 <= m; i += 4) {
    multiply_rows<4>(w + i * ldw, ldw, n, bias_at(i), u, v + i * stride, stride);
  }
  for (; i < m; ++i) {
    multiply_rows<1>(w + i * ldw, ldw, n, bias_at(i), u, v + i * stride, stride);
  }
}

template <std::size_t M, std::size_t N, class T>
static inline void multiply_block(const T* __restrict x, const T* __restrict y, std::size_t stride,
                                  double* __restrict c, std::size_t ldc) {
  Panel<T> sum[M][N];
  for (std::size_t i = 0; i < M; ++i) {
    for (std::size_t j = 0; j < N; ++j) sum[i][j] = Panel<T>::fill(T(0));
  }
  for (std::size_t r = 0; r < stride; r += Panel<T>::count) {
    Panel<T> a[M];
    for (std::size_t i = 0; i < M; ++i) a[i] = Panel<T>::load(x + i * stride + r);
    for (std::size_t j = 0; j < N; ++j) {
      const auto b = Panel<T>::load(y + j * stride + r);
      for (std::size_t i = 0; i < M; ++i) sum[i][j] += a[i] * b;
    }
  }
  for (std::size_t i = 0; i < M; ++i) {
    for (std::size_t j = 0; j < N; ++j) c[i * ldc + j] += sum[i][j].sum();
  }
}

template <std::size_t M, class T>
static inline void multiply_strip(const T* x, const T* y, std::size_t n, std::size_t stride,
                                  double* c, std::size_t ldc) {
  std::size_t j = 0;
  for (; j + 4 <= n; j += 4) multiply_block<M, 4>(x, y + j * stride, stride, c + j, ldc);
  for (; j < n; ++j) multiply_block<M, 1>(x, y + j * stride, stride, c + j, ldc);
}

template <class T>
static void multiply_transposed(const T* x, std::size_t m, const T* y, std::size_t n,
                                std::size_t stride, double* c, std::size_t ldc, bool lower) {
  constexpr std::size_t kStrip = 3;
  std::size_t i = 0;
  for (; i + kStrip <= m; i += kStrip) {
    const std::size_t width = lower && i + kStrip < n ? i + kStrip : n;
    multiply_strip<kStrip>(x + i * stride, y, width, stride, c + i * ldc, ldc);
  }
  for (; i < m; ++i) {
    const std::size_t width = lower && i + 1 < n ? i + 1 : n;
    multiply_strip<1>(x + i * stride, y, width, stride, c + i * ldc, ldc);
  }
}
