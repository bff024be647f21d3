#include <cstdlib>
#include <string_view>

#include "core/array_kernels.hpp"

namespace credence::core {

namespace baseline {
extern const Kernels kKernels;
extern const ArrayKernels kArrayKernels;
}  // namespace baseline
#ifdef CREDENCE_HAS_AVX2
namespace avx2 {
extern const Kernels kKernels;
extern const ArrayKernels kArrayKernels;
}  // namespace avx2
#endif
#ifdef CREDENCE_HAS_AVX512
namespace avx512 {
extern const Kernels kKernels;
extern const ArrayKernels kArrayKernels;
}  // namespace avx512
#endif

namespace {

#ifdef CREDENCE_HAS_AVX512
/// What cmake/library.cmake compiles them for.
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}
#endif

const Kernels& choose() {
  const Kernels* available[kMostKernels + 1];
  available_kernels(available);
  const char* wish = std::getenv("CREDENCE_ISA");
  const Kernels* chosen = available[0];
  for (std::size_t i = 0; available[i] != nullptr; ++i) {
    chosen = available[i];
    if (wish != nullptr && std::string_view(wish) == chosen->name) break;
  }
  return *chosen;
}

}  // namespace

void available_kernels(const Kernels* (&sets)[kMostKernels + 1]) {
  std::size_t count = 0;
  sets[count++] = &baseline::kKernels;
#ifdef CREDENCE_HAS_AVX2
  if (__builtin_cpu_supports("avx2")) sets[count++] = &avx2::kKernels;
#endif
#ifdef CREDENCE_HAS_AVX512
  if (has_avx512()) sets[count++] = &avx512::kKernels;
#endif
  sets[count] = nullptr;
}

void available_array_kernels(const ArrayKernels* (&sets)[kMostKernels + 1]) {
  std::size_t count = 0;
  sets[count++] = &baseline::kArrayKernels;
#ifdef CREDENCE_HAS_AVX2
  if (__builtin_cpu_supports("avx2")) sets[count++] = &avx2::kArrayKernels;
#endif
#ifdef CREDENCE_HAS_AVX512
  if (has_avx512()) sets[count++] = &avx512::kArrayKernels;
#endif
  sets[count] = nullptr;
}

const Kernels& kernels() {
  static const Kernels& chosen = choose();
  return chosen;
}

const ArrayKernels& array_kernels() {
  static const ArrayKernels& chosen = []() -> const ArrayKernels& {
    const Kernels* all[kMostKernels + 1];
    const ArrayKernels* arrays[kMostKernels + 1];
    available_kernels(all);
    available_array_kernels(arrays);
    std::size_t which = 0;
    while (all[which] != &kernels()) ++which;
    return *arrays[which];
  }();
  return chosen;
}

}  // namespace credence::core
