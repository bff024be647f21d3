// For functions compiled a second time with AVX2 by an attribute: where that is possible
// (CREDENCE_WIDE), and whether this processor can run them. The same source and no fused
// multiply-add, so both give the same bits.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#define CREDENCE_WIDE 1

namespace credence::core {

inline const bool kHasWide = __builtin_cpu_supports("avx2") != 0;

}  // namespace credence::core
#endif
