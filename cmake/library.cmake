# The library. The kernels are compiled once per instruction set and chosen when the program runs;
# everything else is compiled for the baseline.
file(GLOB_RECURSE CREDENCE_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
set(CREDENCE_KERNELS ${PROJECT_SOURCE_DIR}/src/core/kernels_isa.cpp)
list(REMOVE_ITEM CREDENCE_SOURCES ${CREDENCE_KERNELS})
list(FILTER CREDENCE_SOURCES EXCLUDE REGEX "/src/export/")  # a library of its own: export.cmake

set(CREDENCE_ISAS baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND CREDENCE_ISAS avx2 avx512)
endif()
foreach(isa ${CREDENCE_ISAS})
  add_library(credence_kernels_${isa} OBJECT ${CREDENCE_KERNELS})
  target_compile_definitions(credence_kernels_${isa} PRIVATE CREDENCE_ISA=${isa})
  target_include_directories(credence_kernels_${isa} PRIVATE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  # Kernels are worth full optimisation in every build type; sanitizers still apply.
  target_compile_options(credence_kernels_${isa} PRIVATE -O3 -fno-signed-zeros)
  target_link_libraries(credence_kernels_${isa} PRIVATE credence_flags)
endforeach()
if(TARGET credence_kernels_avx2)
  target_compile_options(credence_kernels_avx2 PRIVATE -mavx2)
  target_compile_options(credence_kernels_avx512 PRIVATE
    -mavx512f -mavx512dq -mavx512vl -mavx512bw -mprefer-vector-width=512)
endif()

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
foreach(isa ${CREDENCE_ISAS})
  target_sources(credence PRIVATE $<TARGET_OBJECTS:credence_kernels_${isa}>)
  string(TOUPPER ${isa} upper)
  target_compile_definitions(credence PRIVATE CREDENCE_HAS_${upper})
endforeach()
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
