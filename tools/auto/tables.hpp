// Measurements as Markdown.
#pragma once

#include <string>

#include "measured.hpp"

namespace credence::auto_table {

std::string tables(const Measured& measured);

}  // namespace credence::auto_table
