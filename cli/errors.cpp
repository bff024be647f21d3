#include "errors.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "credence/options.hpp"
#include "text/terminal.hpp"

namespace credence::cli {
namespace {

// Every message carries a way out, also those whose author had none in mind.
std::string general_hint(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
      return "'credence --help' lists the verbs, 'credence VERB --help' their options";
    case ErrorCode::io:
      return "check that the path exists, its permissions and the space left";
    case ErrorCode::format:
      return "write the file again, or in another format (.npy, .csv, .jsonl)";
    case ErrorCode::data:
      return "'credence inspect' shows what is understood of the files";
    case ErrorCode::evidence:
      return "'credence methods' lists what each method needs";
    case ErrorCode::model:
      return "fit the calibrator again with 'credence fit'";
    case ErrorCode::cancelled:
      return "nothing was written; run it again to completion";
  }
  return {};
}

}  // namespace

int report(const Error& error) {
  const Paint paint(stderr);
  const std::string hint = error.hint().empty() ? general_hint(error.code()) : error.hint();
  const auto worded = [](std::string_view text) {
    return printable(render(text, Speech::command_line));
  };
  const std::string text = fmt::format("credence: {} {}\n  {} {}\n", paint.red("error:"),
                                       worded(error.what()), paint.bold("hint:"), worded(hint));
  std::fputs(text.c_str(), stderr);
  return error.code() == ErrorCode::usage ? kExitUsage : kExitFailed;
}

Error out_of_memory() {
  return Error(ErrorCode::io, "not enough memory for this input",
               "float32 .npy scores are mapped, not loaded; --rows FILE reads part of the data");
}

Error unexpected(const std::exception& error) {
  return Error(ErrorCode::io, fmt::format("internal failure: {}", error.what()),
               "this is a defect of the program; please report the command line and this message");
}

}  // namespace credence::cli
