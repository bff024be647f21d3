# WebAssembly with its vector instructions, in one file that Node.js runs. Coroutines of Clang call what
# they wait for last. Warnings are GCC's affair: Clang has others.
target_compile_options(credence_flags INTERFACE -fexceptions -msimd128 -mtail-call -w)
target_link_options(print_results PRIVATE -fexceptions -sALLOW_MEMORY_GROWTH=1 -sSINGLE_FILE=1)

# Emscripten 3.1.6 of Debian 12 has libc++ 13, which knows no coroutines and no algorithms on ranges. The
# headers of a later one do, and what they need of the compiled library is in the old one as well.
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("
  #include <algorithm>
  #include <bit>
  #include <coroutine>
  #include <vector>
  int main() {
    std::vector<float> v{1.0f};
    std::ranges::stable_sort(v);
    return std::bit_cast<int>(v[0]);
  }" CREDENCE_LIBRARY_IS_NEW)
if(NOT CREDENCE_LIBRARY_IS_NEW)
  find_path(CREDENCE_LIBCXX __config PATHS /usr/lib/llvm-16/include/c++/v1 NO_DEFAULT_PATH REQUIRED
            NO_CMAKE_FIND_ROOT_PATH)
  set(libcxx ${PROJECT_BINARY_DIR}/libcxx)
  file(COPY ${CREDENCE_LIBCXX}/ DESTINATION ${libcxx} PATTERN __config_site EXCLUDE)
  # How Emscripten's own is compiled, in place of Debian's.
  file(WRITE ${libcxx}/__config_site [[
#define _LIBCPP_ABI_NAMESPACE __2
#define _LIBCPP_HAS_MUSL_LIBC
#define _LIBCPP_HAS_NO_VENDOR_AVAILABILITY_ANNOTATIONS
#define _LIBCPP_ENABLE_ASSERTIONS_DEFAULT 0
]])
  target_compile_options(credence_flags INTERFACE -nostdinc++ -isystem ${libcxx})
endif()
