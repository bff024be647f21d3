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
  sets[count] = nullptr;
}

const Kernels& kernels() {
  static const Kernels& chosen = choose();
  return chosen;
}

}  // namespace credence::core
