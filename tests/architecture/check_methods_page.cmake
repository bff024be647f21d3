# docs/methods.md is what the program says about itself: compares, or writes it with UPDATE=ON.
#
#   cmake -DPROGRAM=credence -DPAGE=docs/methods.md [-DUPDATE=ON] -P check_methods_page.cmake
execute_process(COMMAND ${PROGRAM} methods --format markdown
  OUTPUT_VARIABLE said RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} methods --format markdown failed: ${code}")
endif()
if(UPDATE)
  file(WRITE ${PAGE} "${said}")
  return()
endif()
file(READ ${PAGE} written)
if(NOT said STREQUAL written)
  message(FATAL_ERROR "${PAGE} is not what 'credence methods --format markdown' says; "
    "'make docs' rewrites it")
endif()
