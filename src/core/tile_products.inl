// The two matrix products of a fit, on tiles. Included by kernels_isa.cpp only.
//
// multiply: each result is one sum in the order of its index, whatever the vector width.
// multiply_transposed: each result is a sum over rows, one partial sum per lane, added in a fixed
// tree at the end; the number of lanes does not depend on the instruction set.
//
// How many sums are made at a time changes no result: as many as registers hold beside the factors.

/// One register, and the lanes of a sum over rows.
template <class T>
using Register = Lanes<T, kNativeBytes>;
template <class T>
using SumLanes = Lanes<T, 64>;

constexpr bool kManyRegisters = kNativeBytes == 64;  // 32 of them instead of 16

template <std::size_t M, std::size_t Across, class T>
static inline void multiply_registers(const T* __restrict w, std::size_t ldw, std::size_t n,
                                      const T* bias, const T* __restrict u, T* __restrict v,
                                      std::size_t stride) {
  using R = Register<T>;
  R sum[M][Across];
  unroll<M>([&](std::size_t i) __attribute__((always_inline)) {
    const R start = R::fill(bias != nullptr ? bias[i] : T(0));
    unroll<Across>([&](std::size_t c) __attribute__((always_inline)) { sum[i][c] = start; });
  });
  for (std::size_t a = 0; a < n; ++a) {
    R x[Across];
    unroll<Across>([&](std::size_t c) __attribute__((always_inline)) {
      x[c] = R::load(u + a * stride + c * R::count);
    });
    unroll<M>([&](std::size_t i) __attribute__((always_inline)) {
      const R weight = R::fill(w[i * ldw + a]);
      unroll<Across>([&](std::size_t c)
                         __attribute__((always_inline)) { sum[i][c] += weight * x[c]; });
    });
  }
  unroll<M>([&](std::size_t i) __attribute__((always_inline)) {
    unroll<Across>([&](std::size_t c) __attribute__((always_inline)) {
      sum[i][c].store(v + i * stride + c * R::count);
    });
  });
}

template <std::size_t M, class T>
static inline void multiply_rows(const T* w, std::size_t ldw, std::size_t n, const T* bias,
                                 const T* u, T* v, std::size_t stride) {
  constexpr std::size_t kWidth = Register<T>::count;
  std::size_t r = 0;
  const auto columns = [&]<std::size_t Across>() {
    for (; r + Across * kWidth <= stride; r += Across * kWidth) {
      multiply_registers<M, Across>(w, ldw, n, bias, u + r, v + r, stride);
    }
  };
  if constexpr (kManyRegisters) columns.template operator()<4>();
  columns.template operator()<2>();
  columns.template operator()<1>();
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
  constexpr std::size_t kStrip = kManyRegisters ? 5 : 4;
  std::size_t i = 0;
  const auto bias_at = [&](std::size_t at) { return bias != nullptr ? bias + at : nullptr; };
  if (stride == 1) {
    for (; i + 4 <= m; i += 4) multiply_row<4>(w + i * ldw, ldw, n, bias_at(i), u, v + i);
    for (; i < m; ++i) multiply_row<1>(w + i * ldw, ldw, n, bias_at(i), u, v + i);
    return;
  }
  const auto strips = [&]<std::size_t M>() {
    for (; i + M <= m; i += M) {
      multiply_rows<M>(w + i * ldw, ldw, n, bias_at(i), u, v + i * stride, stride);
    }
  };
  strips.template operator()<kStrip>();
  strips.template operator()<2>();
  strips.template operator()<1>();
}

/// c[j] += the sum of lanes j. Not inlined, or GCC would keep the sums in this memory throughout.
template <class T>
[[gnu::noinline]] static void add_up_lanes(const T* lanes, std::size_t n, double* c) {
  for (std::size_t j = 0; j < n; ++j) {
    c[j] += SumLanes<T>::load(lanes + j * SumLanes<T>::count).sum();
  }
}

/// Where a register is shorter than the lanes of a sum, rows are gone through once for each part of
/// the lanes.
template <std::size_t M, std::size_t N, class T>
static inline void multiply_block(const T* __restrict x, const T* __restrict y, std::size_t stride,
                                  double* __restrict c, std::size_t ldc) {
  using R = Register<T>;
  constexpr std::size_t kLanes = SumLanes<T>::count;
  alignas(64) T lanes[M][N][kLanes];
  for (std::size_t part = 0; part < kLanes; part += R::count) {
    R sum[M][N];
    unroll<M * N>([&](std::size_t at)
                      __attribute__((always_inline)) { sum[at / N][at % N] = R::fill(T(0)); });
    for (std::size_t r = part; r < stride; r += kLanes) {
      R a[M];
      unroll<M>([&](std::size_t i)
                    __attribute__((always_inline)) { a[i] = R::load(x + i * stride + r); });
      unroll<N>([&](std::size_t j) __attribute__((always_inline)) {
        const R b = R::load(y + j * stride + r);
        unroll<M>([&](std::size_t i) __attribute__((always_inline)) { sum[i][j] += a[i] * b; });
      });
    }
    unroll<M * N>([&](std::size_t at) __attribute__((always_inline)) {
      sum[at / N][at % N].store(lanes[at / N][at % N] + part);
    });
  }
  for (std::size_t i = 0; i < M; ++i) add_up_lanes(lanes[i][0], N, c + i * ldc);
}

template <std::size_t M, class T>
static inline void multiply_strip(const T* x, const T* y, std::size_t n, std::size_t stride,
                                  double* c, std::size_t ldc) {
  constexpr std::size_t kAcross = kManyRegisters ? 5 : 4;
  std::size_t j = 0;
  for (; j + kAcross <= n; j += kAcross) {
    multiply_block<M, kAcross>(x, y + j * stride, stride, c + j, ldc);
  }
  for (; j < n; ++j) multiply_block<M, 1>(x, y + j * stride, stride, c + j, ldc);
}

template <class T>
static void multiply_transposed(const T* x, std::size_t m, const T* y, std::size_t n,
                                std::size_t stride, double* c, std::size_t ldc, bool lower) {
  constexpr std::size_t kStrip = kManyRegisters ? 5 : 3;
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
