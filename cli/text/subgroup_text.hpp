// Scores of subgroups for the terminal.
#pragma once

#include <string>

#include "credence/subgroups.hpp"
#include "text/terminal.hpp"

namespace credence::cli {

std::string subgroups_text(const Subgroups& subgroups, const Paint& paint);

}  // namespace credence::cli
