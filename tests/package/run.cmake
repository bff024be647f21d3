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

# The C interface: its example by CMake, the same from Python, and below by pkg-config.
run("demo data" ${prefix}/bin/credence demo --rows 300 -o ${WORK}/demo)
run("fit" ${prefix}/bin/credence fit --method slts --logits ${WORK}/demo/logits.npy
  --votes ${WORK}/demo/votes.csv -o ${WORK}/slts.json)
file(READ ${WORK}/slts.json text)
string(JSON classes GET "${text}" class_count)
foreach(k RANGE 1 ${classes})
  list(APPEND row ${k})
endforeach()
set(examples ${prefix}/share/doc/libcredence-dev/examples)
run("configure the C example" ${CMAKE_COMMAND} -S ${examples}/c -B ${WORK}/c -G Ninja
  -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
run("build the C example" ${CMAKE_COMMAND} --build ${WORK}/c)
run("run the C example" ${WORK}/c/calibrate ${WORK}/slts.json ${row})
set(by_cmake "${output}")
find_program(PYTHON python3)
if(PYTHON)
  set(ENV{CREDENCE_LIBRARY} ${prefix}/${LIBDIR}/libcredence_c.so.0)
  set(ENV{PYTHONDONTWRITEBYTECODE} 1)
  run("Python example" ${PYTHON} ${examples}/python_ctypes/credence.py ${WORK}/slts.json ${row})
  string(REGEX REPLACE "^[^\n]*\n" "" c_lines "${by_cmake}")
  string(REGEX REPLACE "^[^\n]*\n" "" python_lines "${output}")
  if(NOT c_lines STREQUAL python_lines)
    message(FATAL_ERROR "C and Python differ:\n${c_lines}\n${python_lines}")
  endif()
endif()

# What the program says about itself is installed with it.
foreach(file share/man/man1/credence-fit.1 share/bash-completion/completions/credence
    share/zsh/site-functions/_credence share/fish/vendor_completions.d/credence.fish)
  file(GLOB there ${prefix}/${file}*)
  if(NOT there)
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()

if(PKG_CONFIG)
  set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
  run("pkg-config" ${PKG_CONFIG} --cflags --libs credence)
  separate_arguments(flags UNIX_COMMAND "${output}")
  run("build by pkg-config" ${CXX} -std=c++20 ${SOURCE_TREE}/tests/package/main.cpp ${flags}
    -o ${WORK}/by_pkg_config)
  set(ENV{LD_LIBRARY_PATH} ${prefix}/${LIBDIR})  # for a shared library in an unusual place
  run("run by pkg-config" ${WORK}/by_pkg_config)
  run("pkg-config for C" ${PKG_CONFIG} --cflags --libs credence_c)
  separate_arguments(flags UNIX_COMMAND "${output}")
  find_program(CC NAMES cc gcc REQUIRED)
  run("build the C example by pkg-config" ${CC} -std=c99 -pedantic-errors -Wall -Werror
    ${examples}/c/calibrate.c ${flags} -o ${WORK}/calibrate)
  run("run it" ${WORK}/calibrate ${WORK}/slts.json ${row})
  if(NOT output STREQUAL by_cmake)
    message(FATAL_ERROR "the C example differs by how it was built")
  endif()
endif()
