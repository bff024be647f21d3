# `cmake --install`: the program, the library, its headers, and what lets another project find them,
# by find_package(credence) or by pkg-config. Nothing installed may name this source or build tree.
include(CMakePackageConfigHelpers)

set(CREDENCE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/credence)

install(TARGETS credence EXPORT credenceTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET credence_cli)
  # With a shared library, the program finds it relative to itself.
  file(RELATIVE_PATH bin_to_lib /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR})
  set_target_properties(credence_cli PROPERTIES INSTALL_RPATH
    "$<$<BOOL:${BUILD_SHARED_LIBS}>:$ORIGIN/${bin_to_lib}>")
  install(TARGETS credence_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/credence
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp"
  PATTERN "export.hpp" EXCLUDE)  # its library is not installed
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# A static library does not carry its own dependencies, so its users must link them as well.
get_target_property(credence_type credence TYPE)

install(EXPORT credenceTargets NAMESPACE credence:: DESTINATION ${CREDENCE_CMAKE_DIR})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/credenceConfig.cmake.in ${PROJECT_BINARY_DIR}/cmake/credenceConfig.cmake
  INSTALL_DESTINATION ${CREDENCE_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/credenceConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/cmake/credenceConfig.cmake
  ${PROJECT_BINARY_DIR}/cmake/credenceConfigVersion.cmake
  DESTINATION ${CREDENCE_CMAKE_DIR})

if(credence_type STREQUAL STATIC_LIBRARY)
  set(CREDENCE_PC_REQUIRES "Requires")
else()
  set(CREDENCE_PC_REQUIRES "Requires.private")
endif()
# The prefix is found from where the file lies, so that an installation can be moved.
file(RELATIVE_PATH CREDENCE_PC_PREFIX
  /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" CREDENCE_PC_PREFIX "${CREDENCE_PC_PREFIX}")
configure_file(
  ${PROJECT_SOURCE_DIR}/cmake/credence.pc.in ${PROJECT_BINARY_DIR}/cmake/credence.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/credence.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
