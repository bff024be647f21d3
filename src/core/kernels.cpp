#include "core/kernels.hpp"

#include <cstdlib>
#include <string_view>

namespace credence::core {

namespace baseline {
extern const Kernels kKernels;
}
#ifdef CREDENCE_HAS_AVX2
namespace avx2 {
extern const Kernels kKernels;
}
#endif

namespace {

const Kernels& choose() {
  const char* wish = std::getenv("CREDENCE_ISA");
  if (wish != nullptr && std::string_view(wish) == "baseline") return baseline::kKernels;
#ifdef CREDENCE_HAS_AVX2
  if (__builtin_cpu_supports("avx2")) return avx2::kKernels;
#endif
  return baseline::kKernels;
}

}  // namespace

const Kernels& kernels() {
  static const Kernels& chosen = choose();
  return chosen;
}

}  // namespace credence::core
