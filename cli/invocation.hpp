// The words of the command line that a result depends on, so that results can say how to repeat
// them.
#pragma once

#include <string>
#include <vector>

namespace credence::cli {

/// Called once by main.
void remember_invocation(int argc, char** argv);

/// "credence" and the arguments, without where the output goes (-o), how many threads work
/// (--threads) and how it is printed (--format): none of them changes a number.
std::vector<std::string> invocation();

}  // namespace credence::cli
