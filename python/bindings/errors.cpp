// credence::Error becomes credence.CredenceError, with the command line's words turned into
// Python's.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "bindings.hpp"
#include "credence/error.hpp"

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

// What is called otherwise than its option. Longer ones first, where one begins another.
constexpr std::array<std::pair<std::string_view, std::string_view>, 18> kWords{{
    {"--logits FILE", "input=\"logits\""},
    {"--probs FILE", "input=\"probs\""},
    {"--log-probs FILE", "input=\"log_probs\""},
    {"--votes FILE", "votes"},
    {"--labels FILE", "labels="},
    {"--skip-rows FILE", "skip_rows="},
    {"--rows FILE", "rows="},
    {"--allow-unmatched", "allow_unmatched=True"},
    {"--log-probs", "input=\"log_probs\""},
    {"--logits", "input=\"logits\""},
    {"--probs", "input=\"probs\""},
    {"--votes-field", "votes_field="},
    {"--votes", "votes"},
    {"--gauge raw", "gauge=\"raw\""},
    {"--lambda", "lambda_="},
    {"-o DIR", "save()"},
    {"'credence methods'", "credence.methods()"},
    {"'credence fit'", "credence.fit()"},
}};

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

/// "--vote-classes" at `at` becomes "vote_classes="; false when no option stands there.
bool take_option(std::string_view text, std::size_t& at, std::string& out) {
  if (text.substr(at, 2) != "--" || at + 2 >= text.size() || !is_letter(text[at + 2])) return false;
  std::size_t end = at + 2;
  while (end < text.size() && (is_letter(text[end]) || (text[end] == '-' && end + 1 < text.size() &&
                                                        is_letter(text[end + 1])))) {
    out += text[end] == '-' ? '_' : text[end];
    ++end;
  }
  out += '=';
  at = end;
  return true;
}

std::string in_python(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    bool known = false;
    for (const auto& [option, word] : kWords) {
      if (!text.substr(at).starts_with(option)) continue;
      out += word;
      at += option.size();
      known = true;
      break;
    }
    if (known || take_option(text, at, out)) continue;
    out += text[at++];
  }
  return out;
}

}  // namespace

void bind_errors(nb::module_& module) {
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Error& error) {
      const nb::object type = nb::module_::import_("credence._errors").attr("CredenceError");
      const std::string_view code = name_of(error.code());
      const nb::object raised =
          type(nb::str(code.data(), code.size()), in_python(error.what()), in_python(error.hint()));
      PyErr_SetObject(type.ptr(), raised.ptr());
    }
  });
  module.def("in_python", [](const std::string& text) { return in_python(text); });
}

}  // namespace credence::python
