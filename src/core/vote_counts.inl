// Rows of counts of votes as they come in: few of many are not 0. Included by kernels_isa.cpp only.

static bool sum_counts(const float* counts, std::size_t rows, std::size_t classes, double* total,
                       std::uint32_t* winner, unsigned char* tied) {
  using F = Lanes<float>;
  constexpr std::size_t kStride = kMaxTileRows;
  constexpr float kMost = 0x1p22f, kRound = 0x1.8p23f;  // adding it leaves a whole number
  alignas(64) float tile[kLongRow * kStride];
  alignas(64) float total_of[kStride], class_of[kStride], most_of[kStride], second_of[kStride];
  F odd = F::fill(0.0f);  // a bit is set where a count has a sign, or is not whole
  bool fine = true;
  for (std::size_t first = 0; first < rows; first += kStride) {
    const std::size_t here = rows - first < kStride ? rows - first : kStride;
    load_columns(counts + first * classes, here, classes, tile, kStride);
    for (std::size_t r = 0; r < kStride; r += F::count) {
      const F zero = F::fill(0.0f);
      F best = zero, second = zero, index = zero, sum = zero;
      for (std::size_t k = 0; k < classes; ++k) {
        const F x = F::load(tile + k * kStride + r), off = x - ((x + kRound) - kRound);
        odd = odd.with_bits([&](auto bits, std::size_t i) __attribute__((always_inline)) {
          return bits | (typename F::B)off.part[i] | ((typename F::B)x.part[i] & 0x80000000U);
        });
        index = F::if_greater(x, best, F::fill(static_cast<float>(k)), index);
        second = F::if_greater(x, best, best, F::max(second, x));
        best = F::max(best, x);
        sum += x;
      }
      sum.store(total_of + r);
      index.store(class_of + r);
      best.store(most_of + r);
      second.store(second_of + r);
    }
    for (std::size_t r = 0; r < here; ++r) {
      fine &= (total_of[r] > 0.0f) & (total_of[r] < kMost);
    }
    for (std::size_t r = 0; r < here; ++r) total[first + r] = static_cast<double>(total_of[r]);
    for (std::size_t r = 0; r < here; ++r) {
      winner[first + r] = static_cast<std::uint32_t>(static_cast<std::int32_t>(class_of[r]));
    }
    for (std::size_t r = 0; r < here; ++r) tied[first + r] = second_of[r] == most_of[r] ? 1 : 0;
  }
  float lane[F::count];
  odd.store(lane);
  std::uint32_t bits[F::count], any = 0;
  __builtin_memcpy(bits, lane, sizeof bits);
  for (std::size_t l = 0; l < F::count; ++l) any |= bits[l];
  return fine && any == 0;
}

#if defined(__AVX512F__) && !defined(__clang__)
/// Each row is pressed together in a register: how many of its counts are not 0 cannot be
/// predicted, and costs no branch.
static std::size_t compress_counts(const float* counts, std::size_t rows, std::size_t classes,
                                   std::uint32_t* names, double* weights, std::size_t* ends) {
  typedef float Floats __attribute__((vector_size(64)));
  typedef int Ints __attribute__((vector_size(64)));
  typedef float Eight __attribute__((vector_size(32)));
  constexpr std::size_t kGroup = 16;
  constexpr int kNotEqual = 4;  // true of NaN
  const Ints lane{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  std::size_t next = 0;
  for (std::size_t r = 0; r < rows; ++r, counts += classes) {
    for (std::size_t k = 0; k < classes; k += kGroup) {
      const std::size_t here = classes - k < kGroup ? classes - k : kGroup;
      const auto inside = static_cast<unsigned short>((1U << here) - 1U);
      const Floats x = __builtin_ia32_loadups512_mask(counts + k, Floats{}, inside);
      const auto there = static_cast<unsigned short>(
          __builtin_ia32_cmpps512_mask(x, Floats{}, kNotEqual, kAllLanes, kRounding));
      const Ints classes_here =
          __builtin_ia32_compresssi512_mask(lane + static_cast<int>(k), Ints{}, there);
      const Floats counts_here = __builtin_ia32_compresssf512_mask(x, Floats{}, there);
      __builtin_memcpy(names + next, &classes_here, sizeof classes_here);
      const Eight first = __builtin_shufflevector(counts_here, counts_here, 0, 1, 2, 3, 4, 5, 6, 7);
      const auto low = converted<Lanes<double>::V>(first);
      __builtin_memcpy(weights + next, &low, sizeof low);
      const auto found = static_cast<std::size_t>(__builtin_popcount(there));
      if (found > 8) {
        const Eight rest =
            __builtin_shufflevector(counts_here, counts_here, 8, 9, 10, 11, 12, 13, 14, 15);
        const auto high = converted<Lanes<double>::V>(rest);
        __builtin_memcpy(weights + next + 8, &high, sizeof high);
      }
      next += found;
    }
    ends[r] = next;
  }
  return next;
}
#elif defined(__AVX2__) && !defined(__clang__)
/// For each set of lanes, as bits: those lanes in order, a byte each. Others come behind as lane 0.
struct LanesFirst {
  std::uint64_t of[256];
  constexpr LanesFirst() : of{} {
    for (std::uint64_t set = 0; set < 256; ++set) {
      unsigned at = 0;
      for (std::uint64_t lane = 0; lane < 8; ++lane) {
        if ((set >> lane & 1U) != 0) of[set] |= lane << (8 * at++);
      }
    }
  }
};
constexpr LanesFirst kLanesFirst;

/// As with AVX-512, from a table of the 256 ways in which eight counts can be 0.
static std::size_t compress_counts(const float* counts, std::size_t rows, std::size_t classes,
                                   std::uint32_t* names, double* weights, std::size_t* ends) {
  typedef float Floats __attribute__((vector_size(32)));
  typedef int Ints __attribute__((vector_size(32)));
  typedef char Bytes __attribute__((vector_size(16)));
  typedef long long Pair __attribute__((vector_size(16)));
  constexpr std::size_t kGroup = 8;
  const Ints lane{0, 1, 2, 3, 4, 5, 6, 7};
  std::size_t next = 0;
  for (std::size_t r = 0; r < rows; ++r, counts += classes) {
    for (std::size_t k = 0; k < classes; k += kGroup) {
      const Ints inside = lane < static_cast<int>(classes - k);
      const auto x = (Floats)__builtin_ia32_maskloadps256((const Floats*)(counts + k), inside);
      const auto there = static_cast<unsigned>(__builtin_ia32_movmskps256((Floats)(x != Floats{})));
      const Pair packed{static_cast<long long>(kLanesFirst.of[there]), 0};
      const auto first = (Ints)__builtin_ia32_pmovzxbd256((Bytes)packed);
      const Ints classes_here = first + static_cast<int>(k);
      const auto counts_here = (Floats)__builtin_ia32_permvarsf256(x, first);
      __builtin_memcpy(names + next, &classes_here, sizeof classes_here);
      const auto low = converted<Lanes<double>::V>(
          __builtin_shufflevector(counts_here, counts_here, 0, 1, 2, 3));
      const auto high = converted<Lanes<double>::V>(
          __builtin_shufflevector(counts_here, counts_here, 4, 5, 6, 7));
      __builtin_memcpy(weights + next, &low, sizeof low);
      __builtin_memcpy(weights + next + 4, &high, sizeof high);
      next += static_cast<std::size_t>(__builtin_popcount(there));
    }
    ends[r] = next;
  }
  return next;
}
#else
constexpr decltype(ArrayKernels::compress_counts) compress_counts = nullptr;
#endif

#if defined(__AVX512F__) && !defined(__clang__)
/// Bit j is set where p[j] is not 0, for 64 numbers.
static inline std::uint64_t nonzero_word(const float* p) {
  typedef float Floats __attribute__((vector_size(64)));
  constexpr int kNotEqual = 4;  // true of NaN
  std::uint64_t bits = 0;
  for (std::size_t j = 0; j < 64; j += 16) {
    Floats x;
    __builtin_memcpy(&x, p + j, sizeof x);
    const auto there = static_cast<unsigned short>(
        __builtin_ia32_cmpps512_mask(x, Floats{}, kNotEqual, kAllLanes, kRounding));
    bits |= std::uint64_t{there} << j;
  }
  return bits;
}
#elif defined(__AVX2__) && !defined(__clang__)
static inline std::uint64_t nonzero_word(const float* p) {
  typedef float Floats __attribute__((vector_size(32)));
  std::uint64_t bits = 0;
  for (std::size_t j = 0; j < 64; j += 8) {
    Floats x;
    __builtin_memcpy(&x, p + j, sizeof x);
    const int there = __builtin_ia32_movmskps256((Floats)(x != Floats{}));
    bits |= std::uint64_t{static_cast<unsigned>(there)} << j;
  }
  return bits;
}
#endif

#if defined(__AVX2__) && !defined(__clang__)
static void nonzero_bits(const float* p, std::size_t count, std::uint64_t* bits) {
  constexpr std::size_t kWord = 64;
  fetch_row(p + count, count);  // the next row; asking too far does no harm
  std::size_t k = 0;
  for (; k + kWord <= count; k += kWord) *bits++ = nonzero_word(p + k);
  if (k != count) *bits = nonzero_word(p + count - kWord) >> (k + kWord - count);
}
#else
constexpr decltype(ArrayKernels::nonzero_bits) nonzero_bits = nullptr;
#endif
