// The one exception type of the library, thrown at its edges: files, shapes, names, evidence.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace credence {

enum class ErrorCode {
  usage,      ///< the request makes no sense: unknown method, contradictory options
  io,         ///< the operating system refused: missing file, no permission, disk full
  format,     ///< bytes that are not the file they claim to be
  data,       ///< well-formed values that no calibration can use: NaN, negative votes
  evidence,   ///< the annotations do not suffice for the method asked for
  model,      ///< a calibrator file that is wrong or does not fit the scores
  cancelled,  ///< the caller asked to stop
};

/// `what()` says what is wrong, where, and what was found; `hint()` says the way out (may be
/// empty).
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message, std::string hint = {})
      : std::runtime_error(message), code_(code), hint_(std::move(hint)) {}
  ErrorCode code() const { return code_; }
  const std::string& hint() const { return hint_; }

 private:
  ErrorCode code_;
  std::string hint_;
};

}  // namespace credence
