# Compiles the C++ of the README as a reader would use it: with names of their own for what it reads
# and writes.
#
#   cmake -DREADME=README.md -DINCLUDE=include -DCXX=c++ -DOUT=snippet.cpp -P compile_snippet.cmake
file(READ ${README} page)
string(FIND "${page}" "```cpp\n" start)
if(start EQUAL -1)
  message(FATAL_ERROR "${README} has no C++ in it")
endif()
math(EXPR start "${start} + 7")
string(SUBSTRING "${page}" ${start} -1 page)
string(FIND "${page}" "```" end)
string(SUBSTRING "${page}" 0 ${end} snippet)
string(REGEX MATCHALL "#include [^\n]*\n" includes "${snippet}")
string(REGEX REPLACE "#include [^\n]*\n" "" body "${snippet}")
string(JOIN "" includes ${includes})
file(WRITE ${OUT} "${includes}
void snippet(const double* counts, const float* logits, const float* new_logits, float* probabilities,
             std::size_t n, std::size_t k, std::size_t m) {
${body}}
")
execute_process(COMMAND ${CXX} -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I${INCLUDE} ${OUT}
  RESULT_VARIABLE code ERROR_VARIABLE errors)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "the C++ of ${README} does not compile:\n${errors}")
endif()
