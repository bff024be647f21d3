# {fmt}, compiled once inside the library (src/core/fmt_once.cpp). Its inline namespace is renamed, so
# that no symbol of it can be taken for one of a program's own {fmt}.
add_library(credence_fmt INTERFACE)
target_include_directories(credence_fmt SYSTEM INTERFACE
  $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_definitions(credence_fmt INTERFACE
  "FMT_BEGIN_NAMESPACE=namespace fmt { inline namespace credence_fmt {" "FMT_END_NAMESPACE=}}")
