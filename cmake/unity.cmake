# Compiles neighbouring files of a folder as one unit: most of the time of a small file goes into the
# headers it shares with its neighbours. Groups follow folders, so names in the unnamed namespaces of
# one folder must differ. Switch it off to work on one file at a time: preset "edit".
option(CREDENCE_UNITY "Compile neighbouring files together" ON)
set(CREDENCE_UNITY_FILES 8 CACHE STRING "Most files in such a unit")

# credence_unity(TARGET [EXCEPT FILE...]): for a target made in this directory.
function(credence_unity target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "EXCEPT")
  if(NOT CREDENCE_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "/generated/")
  foreach(file ${arg_EXCEPT})
    list(FILTER sources EXCLUDE REGEX "${file}$")
  endforeach()
  foreach(source ${sources})
    get_filename_component(folder "${source}" DIRECTORY)
    get_filename_component(folder "${folder}" ABSOLUTE)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${folder})
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    if(NOT DEFINED ${folder}_count)
      set(${folder}_count 0)
    endif()
    math(EXPR unit "${${folder}_count} / ${CREDENCE_UNITY_FILES}")
    math(EXPR ${folder}_count "${${folder}_count} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${unit})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # GCC takes a source that another includes for a header, where unnamed namespaces would be a mistake.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()
