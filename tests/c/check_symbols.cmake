# The shared library shows exactly the symbols of symbols.txt, each with the version it came with. A
# line may be added; one that is gone or changed would break programs that exist.
#
#   cmake -DLIBRARY=libcredence_c.so -DNM=nm -DLIST=symbols.txt -P check_symbols.cmake
execute_process(COMMAND ${NM} -D --defined-only --with-symbol-versions ${LIBRARY}
  OUTPUT_VARIABLE table RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${NM} failed (${code})")
endif()
set(found "")
string(REPLACE "\n" ";" lines "${table}")
foreach(line ${lines})
  if(line MATCHES "^[0-9a-f]+ ([A-Za-z]) (.+)$" AND NOT CMAKE_MATCH_1 STREQUAL "A")
    list(APPEND found ${CMAKE_MATCH_2})
  endif()
endforeach()
list(SORT found)
file(STRINGS ${LIST} wanted)
list(SORT wanted)
if(NOT found STREQUAL wanted)
  string(REPLACE ";" "\n  " found "${found}")
  message(FATAL_ERROR "the library shows other symbols than ${LIST} lists:\n  ${found}")
endif()
