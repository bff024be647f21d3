# `cpack`: three Debian packages. -DCREDENCE_DEB=ON, which `make deb` sets, puts files where Debian
# wants them.
option(CREDENCE_DEB "Lay out the installation for Debian packages" OFF)

set(CPACK_PACKAGE_NAME credence)
set(CPACK_PACKAGE_VENDOR "Credence")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL library development program)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "Credence authors <credence@packages.invalid>")
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# The number in the name is that of libcredence_c.so.0.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libcredence-c0)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "calibrated probabilities from C
 Applies calibrators that Credence fitted to the scores of a classifier, so
 that its confidence is as often right as it says, measured by what all
 annotators think.
 .
 This package holds the shared library with the C interface.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libcredence-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libcredence-c0 (= ${PROJECT_VERSION}-1), zlib1g-dev, libsimdjson-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "calibration of classifiers (development files)
 Fits and applies calibrators against the distribution of annotators'
 answers.
 .
 This package holds the headers for C and C++, the C++ library, what CMake
 and pkg-config need to find them, and examples.")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME credence)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "calibration of classifiers when annotators disagree
 Fits calibrators to the scores of a classifier and the answers of its
 annotators, compares methods, says how sure the comparison is, applies the
 result to files of any size and writes a report.
 .
 This package holds the command-line program, its manual pages and shell
 completions.")

if(CREDENCE_DEB)
  find_program(gzip gzip REQUIRED)
  set(changelog ${PROJECT_BINARY_DIR}/changelog.gz)
  add_custom_command(OUTPUT ${changelog}
    COMMAND sh -c "${gzip} -9 -n -c '${PROJECT_SOURCE_DIR}/CHANGELOG.md' > '${changelog}'"
    DEPENDS ${PROJECT_SOURCE_DIR}/CHANGELOG.md VERBATIM)
  add_custom_target(credence_changelog ALL DEPENDS ${changelog})
  foreach(component library development program)
    string(TOUPPER ${component} upper)
    set(folder ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
    install(FILES ${PROJECT_SOURCE_DIR}/cmake/debian_copyright RENAME copyright
      DESTINATION ${folder} COMPONENT ${component})
    install(FILES ${changelog} DESTINATION ${folder} COMPONENT ${component})
  endforeach()
endif()
include(CPack)
