// docs/paper.md: the paper's claims one by one, with what was measured.
#pragma once

#include <string>

#include "measured.hpp"

namespace credence::paper {

std::string page(const Measured& measured);

}  // namespace credence::paper
