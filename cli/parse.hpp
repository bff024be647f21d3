// From the command line to the work it asks for.
#pragma once

#include <functional>

namespace credence::cli {

/// Reads the command line and returns what to run. Anything that makes no sense (unknown verb or
/// option, missing value) is an Error(usage) that proposes the nearest known word.
std::function<void()> parse(int argc, char** argv);

}  // namespace credence::cli
