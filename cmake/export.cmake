# The calibrator as ONNX. A library of its own: it alone needs the ONNX schema and protobuf, and
# users of credence::credence do not. The program cannot do without; the Python package can.
set(CREDENCE_EXPORT_NEED "")
if(CREDENCE_BUILD_CLI)
  set(CREDENCE_EXPORT_NEED REQUIRED)
endif()
find_package(Protobuf ${CREDENCE_EXPORT_NEED})
find_path(ONNX_INCLUDE_DIR onnx/onnx_pb.h ${CREDENCE_EXPORT_NEED})
find_library(ONNX_PROTO_LIBRARY onnx_proto ${CREDENCE_EXPORT_NEED})
if(NOT (Protobuf_FOUND AND ONNX_INCLUDE_DIR AND ONNX_PROTO_LIBRARY))
  return()
endif()
# Those of its libraries that a package for other machines has to bring along.
set(CREDENCE_EXPORT_SHARED ${ONNX_PROTO_LIBRARY} ${Protobuf_LIBRARY_RELEASE})
list(FILTER CREDENCE_EXPORT_SHARED INCLUDE REGEX "\\.so$")

file(GLOB CREDENCE_EXPORT_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/export/*.cpp)
add_library(credence_export STATIC ${CREDENCE_EXPORT_SOURCES})
add_library(credence::export ALIAS credence_export)
target_include_directories(credence_export PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_include_directories(credence_export SYSTEM PRIVATE ${ONNX_INCLUDE_DIR})
target_compile_definitions(credence_export PRIVATE
  CREDENCE_VERSION="${PROJECT_VERSION}" ONNX_NAMESPACE=onnx ONNX_ML=1)
target_link_libraries(credence_export
  PUBLIC credence
  PRIVATE credence_flags credence_fmt nlohmann_json::nlohmann_json
          ${ONNX_PROTO_LIBRARY} protobuf::libprotobuf)
credence_unity(credence_export)
