// credence::Error becomes credence.CredenceError, in Python's words.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>
#include <string_view>

#include "bindings.hpp"
#include "credence/error.hpp"
#include "credence/options.hpp"

namespace credence::python {
namespace {

std::string_view name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
      return "usage";
    case ErrorCode::io:
      return "io";
    case ErrorCode::format:
      return "format";
    case ErrorCode::data:
      return "data";
    case ErrorCode::evidence:
      return "evidence";
    case ErrorCode::model:
      return "model";
    case ErrorCode::cancelled:
      return "cancelled";
  }
  return "usage";
}

}  // namespace

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Error& error) {
      const nb::object type = nb::module_::import_("credence._errors").attr("CredenceError");
      const std::string_view code = name_of(error.code());
      const nb::object raised =
          type(nb::str(code.data(), code.size()), render(error.what(), Speech::python),
               render(error.hint(), Speech::python));
      PyErr_SetObject(type.ptr(), raised.ptr());
    }
  });
}

}  // namespace credence::python
