// "42", "42..46" or "1,2,7..9".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace credence::cli {

/// At most 10,000 seeds, none twice; anything else is an Error(usage).
std::vector<std::uint64_t> read_seeds(const std::string& text);

}  // namespace credence::cli
