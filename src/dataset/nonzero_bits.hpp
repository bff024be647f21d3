// Which numbers of a row are not 0, as bits: many are looked at in one instruction, and walking
// along bits takes no branch per number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace credence::dataset {

/// Bit j is set where p[j] is not 0 (a NaN is not), for `Count` numbers.
template <std::size_t Count, class T>
[[gnu::always_inline]] inline std::uint64_t nonzero_group(const T* p) {
  std::uint64_t bits = 0;
#ifdef __SSE2__
  if constexpr (sizeof(T) >= 4) {
    constexpr std::size_t kStep = 16 / sizeof(T);
    typedef T Numbers __attribute__((vector_size(16)));
    for (std::size_t j = 0; j < Count; j += kStep) {
      Numbers group;
      std::memcpy(&group, p + j, sizeof group);
      unsigned found = 0;
      if constexpr (sizeof(T) == 4) {
        typedef float Mask __attribute__((vector_size(16)));
        found = static_cast<unsigned>(__builtin_ia32_movmskps((Mask)(group != Numbers{})));
      } else {
        typedef double Mask __attribute__((vector_size(16)));
        found = static_cast<unsigned>(__builtin_ia32_movmskpd((Mask)(group != Numbers{})));
      }
      bits |= std::uint64_t{found} << j;
    }
    return bits;
  }
#endif
  for (std::size_t first = 0; first < Count; first += 8) {
    const std::size_t here = Count - first < 8 ? Count - first : 8;
    unsigned char is[8] = {};
    for (std::size_t j = 0; j < here; ++j) is[j] = p[first + j] != T(0) ? 1 : 0;
    for (std::size_t j = 0; j < here; ++j) bits |= std::uint64_t{is[j]} << (first + j);
  }
  return bits;
}

/// The same for 1 to 64 numbers. Groups may overlap: a bit is set twice.
template <class T>
[[gnu::always_inline]] inline std::uint64_t nonzero_bits(const T* p, std::size_t count) {
  const auto in_groups = [&]<std::size_t Group>() __attribute__((always_inline)) {
    std::uint64_t bits = 0;
    std::size_t k = 0;
    for (; k + Group <= count; k += Group) bits |= nonzero_group<Group>(p + k) << k;
    if (k < count) bits |= nonzero_group<Group>(p + count - Group) << (count - Group);
    return bits;
  };
  if (count >= 16) return in_groups.template operator()<16>();
  if (count >= 4) return in_groups.template operator()<4>();
  std::uint64_t bits = 0;
  for (std::size_t k = 0; k < count; ++k) bits |= std::uint64_t{p[k] != T(0)} << k;
  return bits;
}

}  // namespace credence::dataset
