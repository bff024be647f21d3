# `cmake --install`: the program with its manual pages and completions, the libraries, their headers,
# and what lets another project find them, by find_package(credence) or by pkg-config. Nothing
# installed may name this source or build tree.
#
# Three components, which are the three packages of cmake/package.cmake: library (the C interface as a
# shared library), development, program.
include(CMakePackageConfigHelpers)

set(CREDENCE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/credence)

install(TARGETS credence EXPORT credenceTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS credence_c EXPORT credenceCTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
if(BUILD_SHARED_LIBS)
  set_target_properties(credence_c PROPERTIES INSTALL_RPATH "$ORIGIN")
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/credence
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h"
  PATTERN "export.hpp" EXCLUDE)  # its library is not installed

if(TARGET credence_cli)
  # With a shared library, the program finds it relative to itself.
  file(RELATIVE_PATH bin_to_lib /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR})
  set_target_properties(credence_cli PROPERTIES INSTALL_RPATH
    "$<$<BOOL:${BUILD_SHARED_LIBS}>:$ORIGIN/${bin_to_lib}>")
  install(TARGETS credence_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)

  # Manual pages and completions, made by the program from the table that its --help is made from.
  set(made ${PROJECT_BINARY_DIR}/program_pages)
  add_custom_command(OUTPUT ${made}/stamp
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:credence_cli> -DOUT=${made}
      -P ${PROJECT_SOURCE_DIR}/cmake/program_pages.cmake
    DEPENDS credence_cli ${PROJECT_SOURCE_DIR}/cmake/program_pages.cmake
    COMMENT "Writing manual pages and completions" VERBATIM)
  add_custom_target(credence_pages ALL DEPENDS ${made}/stamp)
  set(CREDENCE_ZSH_DIR ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING
    "Where zsh looks for completions")
  install(DIRECTORY ${made}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program
    OPTIONAL)
  install(FILES ${made}/credence.bash RENAME credence
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program OPTIONAL)
  install(FILES ${made}/credence.zsh RENAME _credence
    DESTINATION ${CREDENCE_ZSH_DIR} COMPONENT program OPTIONAL)
  install(FILES ${made}/credence.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program OPTIONAL)
endif()

# A static library does not carry its own dependencies, so its users must link them as well.
get_target_property(credence_type credence TYPE)

install(EXPORT credenceTargets NAMESPACE credence:: DESTINATION ${CREDENCE_CMAKE_DIR}
  COMPONENT development)
# Apart, since who only wants C needs none of the dependencies of the C++ library.
install(EXPORT credenceCTargets NAMESPACE credence:: DESTINATION ${CREDENCE_CMAKE_DIR}
  COMPONENT development)
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/credenceConfig.cmake.in ${PROJECT_BINARY_DIR}/cmake/credenceConfig.cmake
  INSTALL_DESTINATION ${CREDENCE_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/credenceConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/cmake/credenceConfig.cmake
  ${PROJECT_BINARY_DIR}/cmake/credenceConfigVersion.cmake
  DESTINATION ${CREDENCE_CMAKE_DIR} COMPONENT development)

if(credence_type STREQUAL STATIC_LIBRARY)
  set(CREDENCE_PC_REQUIRES "Requires")
else()
  set(CREDENCE_PC_REQUIRES "Requires.private")
endif()
# The prefix is found from where the file lies, so that an installation can be moved.
file(RELATIVE_PATH CREDENCE_PC_PREFIX
  /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" CREDENCE_PC_PREFIX "${CREDENCE_PC_PREFIX}")
foreach(module credence credence_c)
  configure_file(
    ${PROJECT_SOURCE_DIR}/cmake/${module}.pc.in ${PROJECT_BINARY_DIR}/cmake/${module}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/cmake/${module}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endforeach()

if(NOT CREDENCE_DEB)  # a Debian package has its own place for the licence
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR}
    COMPONENT program)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/c ${PROJECT_SOURCE_DIR}/examples/python_ctypes
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libcredence-dev/examples COMPONENT development
  PATTERN "__pycache__" EXCLUDE)
