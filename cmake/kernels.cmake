# The kernels (src/core/kernels_isa.cpp), compiled once per instruction set.
set(CREDENCE_ISAS baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND CREDENCE_ISAS avx2 avx512)
endif()
get_filename_component(CREDENCE_ROOT ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
foreach(isa ${CREDENCE_ISAS})
  add_library(credence_kernels_${isa} OBJECT ${CREDENCE_ROOT}/src/core/kernels_isa.cpp)
  target_compile_definitions(credence_kernels_${isa} PRIVATE CREDENCE_ISA=${isa})
  target_include_directories(credence_kernels_${isa} PRIVATE
    ${CREDENCE_ROOT}/include ${CREDENCE_ROOT}/src)
  target_include_directories(credence_kernels_${isa} SYSTEM PRIVATE ${XXHASH_INCLUDE_DIR})
  # Kernels are worth full optimisation in every build type; sanitizers still apply.
  target_compile_options(credence_kernels_${isa} PRIVATE -O3 -fno-signed-zeros)
  target_link_libraries(credence_kernels_${isa} PRIVATE credence_flags)
endforeach()
if(TARGET credence_kernels_avx2)
  target_compile_options(credence_kernels_avx2 PRIVATE -mavx2)
  target_compile_options(credence_kernels_avx512 PRIVATE
    -mavx512f -mavx512dq -mavx512vl -mavx512bw -mprefer-vector-width=512)
endif()

# credence_kernels(TARGET): gives it all of them, and says so to what chooses.
function(credence_kernels target)
  foreach(isa ${CREDENCE_ISAS})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:credence_kernels_${isa}>)
    string(TOUPPER ${isa} upper)
    target_compile_definitions(${target} PRIVATE CREDENCE_HAS_${upper})
  endforeach()
endfunction()
