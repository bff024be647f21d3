// One matrix product in float32, for passes whose result only steers: products with the Hessian of
// a map with many parameters. Included by kernels_isa.cpp only.
//
// Each result is one sum in the order of its index, in pieces of kDepth, whatever the instruction
// set.

constexpr std::size_t kDepth = 256;  // a panel of b stays in the nearest cache
constexpr std::size_t kAcross = 2;   // registers across a panel
/// Rows of a strip: 12 or 24 sums leave registers for the factors.
constexpr std::size_t kDown = kManyRegisters ? 12 : 6;
constexpr std::size_t kPanelWidth = kAcross * Register<float>::count;

/// A strip of M rows of the product with one packed panel of b.
template <std::size_t M, class Put>
static inline void multiply_panel(const float* __restrict a, std::size_t step_i, std::size_t step_k,
                                  std::size_t depth, const float* __restrict panel,
                                  const Put& put) {
  Register<float> sum[M][kAcross];
  for (std::size_t i = 0; i < M; ++i) {
    for (std::size_t j = 0; j < kAcross; ++j) sum[i][j] = Register<float>::fill(0.0f);
  }
  for (std::size_t k = 0; k < depth; ++k) {
    Register<float> b[kAcross];
    for (std::size_t j = 0; j < kAcross; ++j) {
      b[j] = Register<float>::load(panel + k * kPanelWidth + j * Register<float>::count);
    }
    for (std::size_t i = 0; i < M; ++i) {
      const auto weight = Register<float>::fill(a[i * step_i + k * step_k]);
      for (std::size_t j = 0; j < kAcross; ++j) sum[i][j] += weight * b[j];
    }
  }
  for (std::size_t i = 0; i < M; ++i) {
    float row[kPanelWidth];
    for (std::size_t j = 0; j < kAcross; ++j) sum[i][j].store(row + j * Register<float>::count);
    put(i, row);
  }
}

/// c[i * ldc + j] += sum_k a[i * step_i + k * step_k] b[k * ldb + j] for i < m, k < depth, j < n.
template <class C>
static void multiply_add(const float* a, std::size_t step_i, std::size_t step_k, std::size_t m,
                         std::size_t depth, const float* b, std::size_t ldb, std::size_t n, C* c,
                         std::size_t ldc) {
  alignas(64) float panel[kDepth * kPanelWidth];
  for (std::size_t k = 0; k < depth; k += kDepth) {
    const std::size_t deep = depth - k < kDepth ? depth - k : kDepth;
    for (std::size_t j = 0; j < n; j += kPanelWidth) {
      const std::size_t wide = n - j < kPanelWidth ? n - j : kPanelWidth;
      for (std::size_t r = 0; r < deep; ++r) {
        const float* from = b + (k + r) * ldb + j;
        float* const to = panel + r * kPanelWidth;
        if (wide == kPanelWidth) {
          __builtin_memcpy(to, from, sizeof(float) * kPanelWidth);
          continue;
        }
        for (std::size_t l = 0; l < kPanelWidth; ++l) to[l] = l < wide ? from[l] : 0.0f;
      }
      const float* const left = a + k * step_k;
      const auto put_below = [&](std::size_t first) {
        return [=](std::size_t i, const float* row) {
          C* const out = c + (first + i) * ldc + j;
          for (std::size_t l = 0; l < wide; ++l) out[l] += static_cast<C>(row[l]);
        };
      };
      std::size_t i = 0;
      const auto strips = [&]<std::size_t M>() {
        for (; i + M <= m; i += M) {
          multiply_panel<M>(left + i * step_i, step_i, step_k, deep, panel, put_below(i));
        }
      };
      strips.template operator()<kDown>();
      strips.template operator()<4>();
      strips.template operator()<2>();
      strips.template operator()<1>();
    }
  }
}

/// Rows of p and v become p * (v - sum_k p v), in v. The sum runs in lanes and a fixed tree.
static void centre_rows(const float* p, std::size_t rows, std::size_t width, float* v) {
  using L = Lanes<float, 32>;
  for (std::size_t r = 0; r < rows; ++r, p += width, v += width) {
    L sum = L::fill(0.0f);
    for (std::size_t k = 0; k < width; k += L::count) sum += L::load(p + k) * L::load(v + k);
    const L mean = L::fill(static_cast<float>(sum.sum()));
    for (std::size_t k = 0; k < width; k += L::count) {
      (L::load(p + k) * (L::load(v + k) - mean)).store(v + k);
    }
  }
}
