# Every target of this tree: identical arithmetic for every instruction set. Contraction would fuse
# a*b+c where the hardware can and not where it cannot; the other two let loops vectorise.
add_library(credence_flags INTERFACE)
target_compile_options(credence_flags INTERFACE
  -ffp-contract=off -fno-math-errno -fno-trapping-math -Wall -Wextra -Wconversion -Wshadow
  $<$<BOOL:${CREDENCE_WERROR}>:-Werror>)
# GCC 12 warns of overlapping copies inside std::string that cannot happen (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(credence_flags INTERFACE -Wno-restrict)
endif()
