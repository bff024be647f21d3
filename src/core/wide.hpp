// For functions compiled again with AVX2, or with AVX-512, by an attribute: where that is possible
// (CREDENCE_WIDE), and whether this processor can run them. The same source and no fused
// multiply-add, so all give the same bits.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#define CREDENCE_WIDE 1

namespace credence::core {

inline const bool kHasWide = __builtin_cpu_supports("avx2") != 0;
inline const bool kHasWidest = __builtin_cpu_supports("avx512f") != 0;

template <class Body>
__attribute__((target("avx2"))) void run_wide(const Body& body) {
  body();
}
template <class Body>
__attribute__((target("avx512f"))) void run_widest(const Body& body) {
  body();
}

}  // namespace credence::core
#endif

namespace credence::core {

/// Calls a body that is inlined (gnu::always_inline) in the widest registers that there are.
template <class Body>
void widely(const Body& body) {
#ifdef CREDENCE_WIDE
  if (kHasWidest) return run_widest(body);
  if (kHasWide) return run_wide(body);
#endif
  body();
}

}  // namespace credence::core
