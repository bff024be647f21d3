// The style sheet and the script of the page: files of their own, built into the library.
#pragma once

#include <string_view>

namespace credence::report {

extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;
/// What the page's security policy calls the script: only it may run.
extern const std::string_view kPageScriptHash;

}  // namespace credence::report
