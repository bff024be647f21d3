# Installs the build into an empty prefix, moves it, and builds and runs a separate project with it,
# once through find_package and once through pkg-config.
#
#   cmake -DBUILD_TREE=.. -DSOURCE_TREE=.. -DWORK=.. -DCXX=.. -DPKG_CONFIG=.. -DLIBDIR=.. -P run.cmake
function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(NOTICE "${out}")
    message(FATAL_ERROR "${what} failed (${code})")
  endif()
  message(STATUS "${what}: done")
  set(output "${out}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
run("install" ${CMAKE_COMMAND} --install ${BUILD_TREE} --prefix ${WORK}/first)
# Moving proves that nothing points back to where it was installed.
file(RENAME ${WORK}/first ${WORK}/moved)
set(prefix ${WORK}/moved)

# Nothing may name the trees it came from, be it a CMake file, a string in a binary or a run path.
file(GLOB_RECURSE installed ${prefix}/*)
foreach(file ${installed})
  foreach(tree ${SOURCE_TREE} ${BUILD_TREE})
    string(REGEX REPLACE "([][+.*()^$?|\\\\])" "\\\\\\1" pattern "${tree}")
    file(STRINGS ${file} leaks REGEX "${pattern}" LIMIT_COUNT 3)
    if(leaks)
      message(FATAL_ERROR "${file} names ${tree}:\n${leaks}")
    endif()
  endforeach()
endforeach()
message(STATUS "no path of the source or build tree in what is installed")

run("configure" ${CMAKE_COMMAND} -S ${SOURCE_TREE}/tests/package -B ${WORK}/build -G Ninja
  -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
run("build" ${CMAKE_COMMAND} --build ${WORK}/build)
run("run" ${WORK}/build/uses_credence)
message(STATUS "${output}")

if(EXISTS ${prefix}/bin/credence)
  run("installed program" ${prefix}/bin/credence --version)
endif()

if(PKG_CONFIG)
  set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
  run("pkg-config" ${PKG_CONFIG} --cflags --libs credence)
  separate_arguments(flags UNIX_COMMAND "${output}")
  run("build by pkg-config" ${CXX} -std=c++20 ${SOURCE_TREE}/tests/package/main.cpp ${flags}
    -o ${WORK}/by_pkg_config)
  set(ENV{LD_LIBRARY_PATH} ${prefix}/${LIBDIR})  # for a shared library in an unusual place
  run("run by pkg-config" ${WORK}/by_pkg_config)
endif()
