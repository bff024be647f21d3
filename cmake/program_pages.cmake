# Writes what the program says about itself: man/*.1 (compressed where gzip is there) and completions.
#
#   cmake -DPROGRAM=credence -DOUT=folder -P program_pages.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code ERROR_VARIABLE error)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN} failed (${code}): ${error}")
  endif()
endfunction()

file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${OUT})
run(${PROGRAM} man -o ${OUT}/man)
find_program(gzip gzip)
if(gzip)
  file(GLOB pages ${OUT}/man/*.1)
  run(${gzip} -9 -n ${pages})
endif()
foreach(shell bash zsh fish)
  execute_process(COMMAND ${PROGRAM} completion ${shell} OUTPUT_FILE ${OUT}/credence.${shell}
    RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "completion ${shell} failed (${code})")
  endif()
endforeach()
file(TOUCH ${OUT}/stamp)
