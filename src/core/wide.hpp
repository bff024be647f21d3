// For functions compiled again with AVX2, or with AVX-512, by an attribute: where that is possible
// (CREDENCE_WIDE), and whether this processor can run them. The same source and no fused
// multiply-add, so all give the same bits.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#define CREDENCE_WIDE 1

namespace credence::core {

inline const bool kHasWide = __builtin_cpu_supports("avx2") != 0;
inline const bool kHasWidest = __builtin_cpu_supports("avx512f") != 0;

}  // namespace credence::core
#endif
