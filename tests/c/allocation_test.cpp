// Counts every request for memory, of the library as well, by standing in for the C library's own.
#include <cstdlib>
#include <thread>

#include "calibrators.hpp"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

static thread_local std::size_t requests = 0;
void* malloc(std::size_t size) { return ++requests, __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) { return ++requests, __libc_calloc(count, size); }
void* realloc(void* memory, std::size_t size) { return ++requests, __libc_realloc(memory, size); }
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return ++requests, __libc_memalign(alignment, size);
}
}

namespace credence::c_testing {
namespace {

TEST(CAllocation, AfterTheFirstCallOfAThreadApplyingTakesNoMemory) {
  const Scores scores = data().scores.view();
  std::vector<double> wide(scores.data(), scores.data() + scores.size()), wide_out(wide.size());
  std::vector<float> out(scores.size());
  const credence_strides turned{1, kRows};
  for (const char* method : kMethodNames) {
    const Handle handle(as_json(fitted(method)));
    std::size_t first = 0, later = 0;
    std::thread([&] {
      const std::size_t start = requests;
      credence_apply_row_f32(handle, CREDENCE_LOGITS, kClasses, scores.data(), out.data());
      first = requests - start;
      for (int round = 0; round < 3; ++round) {
        credence_apply_row_f32(handle, CREDENCE_LOGITS, kClasses, scores.data(), out.data());
        credence_apply_f32(handle, CREDENCE_LOGITS, kRows, kClasses, scores.data(), nullptr,
                           out.data(), nullptr);
        credence_apply_f64(handle, CREDENCE_LOGITS, kRows, kClasses, wide.data(), nullptr,
                           wide_out.data(), &turned);
        credence_apply_f64(handle, CREDENCE_PROBS, kRows, kClasses, wide_out.data(), &turned,
                           wide_out.data(), &turned);
      }
      later = requests - start - first;
    }).join();
    EXPECT_GT(first, 0u) << method << ": the count counts nothing";
    EXPECT_EQ(later, 0u) << method;
  }
}

}  // namespace
}  // namespace credence::c_testing

#endif
