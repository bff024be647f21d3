#include "last_error.hpp"

#include <cstring>

#include "credence/options.hpp"

namespace credence::c {
namespace {

// Plain arrays: nothing to construct, nothing to free when a thread ends.
thread_local char last_message[2048];
thread_local char last_hint[1024];

template <std::size_t N>
void keep(char (&out)[N], std::string_view text) {
  std::size_t size = text.size() < N ? text.size() : N - 1;
  // A character of several bytes is not cut in two.
  if (size < text.size()) {
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0u) == 0x80u) --size;
  }
  if (size > 0) std::memcpy(out, text.data(), size);
  out[size] = '\0';
}

}  // namespace

credence_status fail(credence_status status, std::string_view message,
                     std::string_view hint) noexcept {
  keep(last_message, message);
  keep(last_hint, hint);
  return status;
}

credence_status fail(const Error& error) noexcept {
  const credence_status status = status_of(error.code());
  try {
    return fail(status, render(error.what(), Speech::plain), render(error.hint(), Speech::plain));
  } catch (...) {  // no memory for other words
    return fail(status, error.what(), error.hint());
  }
}

credence_status status_of(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::usage:
      return CREDENCE_ERROR_USAGE;
    case ErrorCode::io:
      return CREDENCE_ERROR_IO;
    case ErrorCode::format:
      return CREDENCE_ERROR_FORMAT;
    case ErrorCode::data:
    case ErrorCode::evidence:
      return CREDENCE_ERROR_DATA;
    case ErrorCode::model:
      return CREDENCE_ERROR_MODEL;
    case ErrorCode::cancelled:
      break;
  }
  return CREDENCE_ERROR_INTERNAL;
}

}  // namespace credence::c

extern "C" {

const char* credence_last_error(void) { return credence::c::last_message; }

const char* credence_last_hint(void) { return credence::c::last_hint; }

const char* credence_status_text(credence_status status) {
  switch (status) {
    case CREDENCE_OK:
      return "ok";
    case CREDENCE_ERROR_USAGE:
      return "wrong use";
    case CREDENCE_ERROR_IO:
      return "file cannot be read";
    case CREDENCE_ERROR_FORMAT:
      return "not a calibrator file";
    case CREDENCE_ERROR_DATA:
      return "unusable scores";
    case CREDENCE_ERROR_MODEL:
      return "calibrator is wrong or does not fit the scores";
    case CREDENCE_ERROR_MEMORY:
      return "no memory left";
    case CREDENCE_ERROR_INTERNAL:
      return "mistake in the library";
  }
  return "unknown status";
}

}  // extern "C"
