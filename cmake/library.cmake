# The library. The kernels are compiled once per instruction set and chosen when the program runs;
# everything else is compiled for the baseline.
file(GLOB_RECURSE CREDENCE_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
list(FILTER CREDENCE_SOURCES EXCLUDE REGEX "/src/core/kernels_isa.cpp$")  # kernels.cmake
list(FILTER CREDENCE_SOURCES EXCLUDE REGEX "/src/export/")  # a library of its own: export.cmake

include(cmake/kernels.cmake)

# The report's style sheet and script are files of their own and part of the library.
set(CREDENCE_PAGE ${PROJECT_SOURCE_DIR}/src/report/page)
set(CREDENCE_PAGE_ASSETS ${PROJECT_BINARY_DIR}/generated/page_assets.cpp)
add_custom_command(OUTPUT ${CREDENCE_PAGE_ASSETS}
  COMMAND ${CMAKE_COMMAND} -DSTYLE=${CREDENCE_PAGE}/page.css -DSCRIPT=${CREDENCE_PAGE}/page.js
    -DOUT=${CREDENCE_PAGE_ASSETS} -P ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
  DEPENDS ${CREDENCE_PAGE}/page.css ${CREDENCE_PAGE}/page.js
    ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
  COMMENT "Embedding the report's style sheet and script" VERBATIM)

add_library(credence ${CREDENCE_SOURCES} ${CREDENCE_PAGE_ASSETS})
add_library(credence::credence ALIAS credence)
credence_kernels(credence)
target_include_directories(credence
  PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_include_directories(credence SYSTEM PRIVATE ${XXHASH_INCLUDE_DIR})
target_compile_features(credence PUBLIC cxx_std_20)
target_compile_definitions(credence PRIVATE CREDENCE_VERSION="${PROJECT_VERSION}")
target_link_libraries(credence
  PUBLIC Threads::Threads
  PRIVATE $<BUILD_INTERFACE:credence_flags> $<BUILD_INTERFACE:credence_fmt>
          $<BUILD_INTERFACE:Eigen3::Eigen> $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>
          $<BUILD_INTERFACE:FastFloat::fast_float> ZLIB::ZLIB simdjson::simdjson ${CMAKE_DL_LIBS})
credence_unity(credence EXCEPT fmt_once.cpp)
set_target_properties(credence PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
