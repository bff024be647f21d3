// Numbers that move together in as many registers as the processor needs, with the same result lane
// by lane. 64 bytes are one register of AVX-512, and keep two independent chains of AVX2 arithmetic
// in flight, which is what hides the latency of a polynomial; 32 bytes suit products, which have
// chains enough, and short rows. Builtins stand where GCC would do the work in halves. Included by
// kernels_isa.cpp only, inside a namespace per instruction set, so that no copy compiled for one
// processor can be linked into code for another.

#if defined(__AVX512F__) && !defined(__clang__)
constexpr std::size_t kNativeBytes = 64;
#elif defined(__AVX2__) && !defined(__clang__)
constexpr std::size_t kNativeBytes = 32;
#else
constexpr std::size_t kNativeBytes = 16;
#endif

template <class T>
struct BitsOf;
template <>
struct BitsOf<float> {
  using type = std::uint32_t;
};
template <>
struct BitsOf<double> {
  using type = std::uint64_t;
};

/// Calls body(index) for 0 .. N-1 without a loop: arrays indexed by constants stay in registers.
template <std::size_t N, std::size_t I = 0, class Body>
[[gnu::always_inline]] static inline void unroll(const Body& body) {
  if constexpr (I < N) {
    body(I);
    unroll<N, I + 1>(body);
  }
}

#if defined(__AVX512F__) && !defined(__clang__)
constexpr int kAllLanes = -1, kRounding = 4;  // to the nearest, as everywhere
#endif

/// A register of float32 as one of double, or the other way round.
template <class To, class From>
[[gnu::always_inline]] static inline To converted(const From& v) {
#if defined(__AVX512F__) && !defined(__clang__)
  if constexpr (sizeof(To) == 64) {
    return __builtin_ia32_cvtps2pd512_mask(v, To{}, kAllLanes, kRounding);
  } else if constexpr (sizeof(From) == 64) {
    return __builtin_ia32_cvtpd2ps512_mask(v, To{}, kAllLanes, kRounding);
  }
#endif
#if defined(__AVX2__) && !defined(__clang__)
  if constexpr (sizeof(To) == 32 && sizeof(From) == 16) {
    return __builtin_ia32_cvtps2pd256(v);
  } else if constexpr (sizeof(To) == 16 && sizeof(From) == 32) {
    return __builtin_ia32_cvtpd2ps256(v);
  }
#endif
  return __builtin_convertvector(v, To);
}

/// Lane by lane: b > a ? b : a, in one instruction where there is one.
template <class V>
[[gnu::always_inline]] static inline V larger(const V& a, const V& b) {
  [[maybe_unused]] constexpr bool kSingle = sizeof(a[0]) == 4;
#if defined(__AVX512F__) && !defined(__clang__)
  if constexpr (sizeof(V) == 64 && kSingle) {
    return __builtin_ia32_maxps512_mask(b, a, V{}, kAllLanes, kRounding);
  } else if constexpr (sizeof(V) == 64) {
    return __builtin_ia32_maxpd512_mask(b, a, V{}, kAllLanes, kRounding);
  }
#endif
#if defined(__AVX2__) && !defined(__clang__)
  if constexpr (sizeof(V) == 32 && kSingle) {
    return __builtin_ia32_maxps256(b, a);
  } else if constexpr (sizeof(V) == 32) {
    return __builtin_ia32_maxpd256(b, a);
  }
#endif
#if defined(__SSE2__)
  if constexpr (sizeof(V) == 16 && kSingle) {
    return __builtin_ia32_maxps(b, a);
  } else if constexpr (sizeof(V) == 16) {
    return __builtin_ia32_maxpd(b, a);
  }
#endif
  return b > a ? b : a;
}

/// Lane by lane: b < a ? b : a.
template <class V>
[[gnu::always_inline]] static inline V smaller(const V& a, const V& b) {
  [[maybe_unused]] constexpr bool kSingle = sizeof(a[0]) == 4;
#if defined(__AVX512F__) && !defined(__clang__)
  if constexpr (sizeof(V) == 64 && kSingle) {
    return __builtin_ia32_minps512_mask(b, a, V{}, kAllLanes, kRounding);
  } else if constexpr (sizeof(V) == 64) {
    return __builtin_ia32_minpd512_mask(b, a, V{}, kAllLanes, kRounding);
  }
#endif
#if defined(__AVX2__) && !defined(__clang__)
  if constexpr (sizeof(V) == 32 && kSingle) {
    return __builtin_ia32_minps256(b, a);
  } else if constexpr (sizeof(V) == 32) {
    return __builtin_ia32_minpd256(b, a);
  }
#endif
#if defined(__SSE2__)
  if constexpr (sizeof(V) == 16 && kSingle) {
    return __builtin_ia32_minps(b, a);
  } else if constexpr (sizeof(V) == 16) {
    return __builtin_ia32_minpd(b, a);
  }
#endif
  return b < a ? b : a;
}

template <class T, std::size_t Bytes = 64>
struct Lanes {
  using Bits = typename BitsOf<T>::type;
  static constexpr std::size_t part_bytes = Bytes < kNativeBytes ? Bytes : kNativeBytes;
  typedef T V __attribute__((vector_size(part_bytes)));
  typedef Bits B __attribute__((vector_size(part_bytes)));
  typedef float Half __attribute__((vector_size(part_bytes / 2)));
  static constexpr std::size_t count = Bytes / sizeof(T);
  static constexpr std::size_t parts = Bytes / part_bytes;
  static constexpr std::size_t native = part_bytes / sizeof(T);
  V part[parts];

  [[gnu::always_inline]] static inline Lanes fill(T value) {
    Lanes out;
    for (std::size_t i = 0; i < parts; ++i) out.part[i] = V{} + value;
    return out;
  }
  [[gnu::always_inline]] static inline Lanes load(const T* p) {
    Lanes out;
    unroll<parts>([&](std::size_t i) __attribute__((always_inline)) {
      __builtin_memcpy(&out.part[i], p + i * native, sizeof(V));
    });
    return out;
  }
  /// float32 in memory, T in registers (exact).
  [[gnu::always_inline]] static inline Lanes widen(const float* p) {
    if constexpr (sizeof(T) == 4) {
      return load(p);
    } else {
      Lanes out;
      unroll<parts>([&](std::size_t i) __attribute__((always_inline)) {
        Half half;
        __builtin_memcpy(&half, p + i * native, sizeof half);
        out.part[i] = converted<V>(half);
      });
      return out;
    }
  }
  [[gnu::always_inline]] inline void store(T* p) const {
    unroll<parts>([&](std::size_t i) __attribute__((always_inline)) {
      __builtin_memcpy(p + i * native, &part[i], sizeof(V));
    });
  }
  [[gnu::always_inline]] inline T first() const { return part[0][0]; }
  /// T in registers, float32 in memory (rounded).
  [[gnu::always_inline]] inline void narrow(float* p) const {
    unroll<parts>([&](std::size_t i) __attribute__((always_inline)) {
      const Half half = converted<Half>(part[i]);
      __builtin_memcpy(p + i * native, &half, sizeof half);
    });
  }
  [[gnu::always_inline]] inline Lanes operator+(const Lanes& o) const {
    Lanes out;
    unroll<parts>([&](std::size_t i)
                      __attribute__((always_inline)) { out.part[i] = part[i] + o.part[i]; });
    return out;
  }
  [[gnu::always_inline]] inline Lanes operator-(const Lanes& o) const {
    Lanes out;
    unroll<parts>([&](std::size_t i)
                      __attribute__((always_inline)) { out.part[i] = part[i] - o.part[i]; });
    return out;
  }
  [[gnu::always_inline]] inline Lanes operator*(const Lanes& o) const {
    Lanes out;
    unroll<parts>([&](std::size_t i)
                      __attribute__((always_inline)) { out.part[i] = part[i] * o.part[i]; });
    return out;
  }
  [[gnu::always_inline]] inline Lanes operator/(const Lanes& o) const {
    Lanes out;
    unroll<parts>([&](std::size_t i)
                      __attribute__((always_inline)) { out.part[i] = part[i] / o.part[i]; });
    return out;
  }
  [[gnu::always_inline]] inline Lanes operator+(T o) const { return *this + fill(o); }
  [[gnu::always_inline]] inline Lanes operator-(T o) const { return *this - fill(o); }
  [[gnu::always_inline]] inline Lanes operator*(T o) const { return *this * fill(o); }
  [[gnu::always_inline]] inline void operator+=(const Lanes& o) { *this = *this + o; }

  /// Lane by lane: a > b ? yes : no.
  [[gnu::always_inline]] static inline Lanes if_greater(const Lanes& a, const Lanes& b,
                                                        const Lanes& yes, const Lanes& no) {
    Lanes out;
    unroll<parts>([&](std::size_t i) __attribute__((always_inline)) {
      out.part[i] = a.part[i] > b.part[i] ? yes.part[i] : no.part[i];
    });
    return out;
  }
  /// b > a ? b : a.
  [[gnu::always_inline]] static inline Lanes max(const Lanes& a, const Lanes& b) {
    Lanes out;
    unroll<parts>([&](std::size_t i) __attribute__((always_inline)) {
      out.part[i] = larger(a.part[i], b.part[i]);
    });
    return out;
  }
  /// b < a ? b : a.
  [[gnu::always_inline]] static inline Lanes min(const Lanes& a, const Lanes& b) {
    Lanes out;
    unroll<parts>([&](std::size_t i) __attribute__((always_inline)) {
      out.part[i] = smaller(a.part[i], b.part[i]);
    });
    return out;
  }

  /// The bit patterns, transformed by `change`.
  template <class Change>
  [[gnu::always_inline]] inline Lanes with_bits(Change change) const {
    Lanes out;
    unroll<parts>([&](std::size_t i)
                      __attribute__((always_inline)) { out.part[i] = (V)change((B)part[i], i); });
    return out;
  }

  /// Lane i and lane i ^ Distance change places.
  template <std::size_t Distance>
  [[gnu::always_inline]] inline Lanes swapped() const {
    Lanes out;
    if constexpr (Distance >= native) {
      unroll<parts>([&](std::size_t i) __attribute__((always_inline)) {
        out.part[i] = part[i ^ (Distance / native)];
      });
    } else {
      unroll<parts>([&](std::size_t i)
                        __attribute__((always_inline)) { out.part[i] = swap<Distance>(part[i]); });
    }
    return out;
  }

  /// The lower (0) or upper (1) half of the lanes.
  template <std::size_t Which>
  [[gnu::always_inline]] inline Lanes<T, Bytes / 2> half() const {
    using H = Lanes<T, Bytes / 2>;
    H out;
    if constexpr (H::part_bytes == part_bytes) {
      unroll<H::parts>([&](std::size_t i) __attribute__((always_inline)) {
        out.part[i] = part[Which * H::parts + i];
      });
    } else if constexpr (H::count == 8) {
      constexpr int k = 8 * Which;
      out.part[0] = __builtin_shufflevector(part[0], part[0], k, k + 1, k + 2, k + 3, k + 4, k + 5,
                                            k + 6, k + 7);
    } else if constexpr (H::count == 4) {
      constexpr int k = 4 * Which;
      out.part[0] = __builtin_shufflevector(part[0], part[0], k, k + 1, k + 2, k + 3);
    } else {
      constexpr int k = 2 * Which;
      out.part[0] = __builtin_shufflevector(part[0], part[0], k, k + 1);
    }
    return out;
  }

  /// Sum over the lanes as a fixed tree, in double: the upper half is added to the lower, until one
  /// is left.
  [[gnu::always_inline]] inline double sum() const {
    if constexpr (sizeof(T) == 8) {
      return sum_of_halves(*this);
    } else {
      alignas(64) T lane[count];
      store(lane);
      using Wide = Lanes<double, Bytes>;
      return sum_of_halves(Wide::widen(lane) + Wide::widen(lane + count / 2));
    }
  }

 private:
  template <std::size_t B>
  [[gnu::always_inline]] static inline double sum_of_halves(const Lanes<double, B>& v) {
    if constexpr (B == 16) {
      return v.part[0][0] + v.part[0][1];
    } else {
      return sum_of_halves(v.template half<0>() + v.template half<1>());
    }
  }
  template <std::size_t Distance>
  [[gnu::always_inline]] static inline V swap(const V& v) {
    if constexpr (native == 2) {
      return __builtin_shufflevector(v, v, 1, 0);
    } else if constexpr (native == 4 && Distance == 1) {
      return __builtin_shufflevector(v, v, 1, 0, 3, 2);
    } else if constexpr (native == 4) {
#if defined(__AVX2__) && !defined(__clang__)  // GCC would take the slower of two instructions
      if constexpr (sizeof(T) == 8) return __builtin_ia32_vperm2f128_pd256(v, v, 1);
#endif
      return __builtin_shufflevector(v, v, 2, 3, 0, 1);
    } else if constexpr (Distance == 1) {
      return __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6);
    } else if constexpr (Distance == 2) {
      return __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5);
    } else {
      return __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
    }
  }
};
