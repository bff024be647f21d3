// How failures reach the user: one message, one hint, one exit code.
#pragma once

#include <exception>

#include "credence/error.hpp"

namespace credence::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;  ///< bad data, or the machine refused
inline constexpr int kExitUsage = 2;   ///< the command line makes no sense

/// Prints `credence: error: ...` and `  hint: ...` on standard error; returns the exit code.
int report(const Error& error);

Error out_of_memory();
Error unexpected(const std::exception& error);

}  // namespace credence::cli
