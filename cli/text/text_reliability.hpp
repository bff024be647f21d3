// A reliability diagram in letters, for terminals.
#pragma once

#include <string>

#include "credence/compare.hpp"
#include "text/terminal.hpp"

namespace credence::cli {

/// The model as it is beside the recommended method (or alone, when that is the recommendation):
/// one line per bin that holds examples, about 80 columns wide.
std::string text_reliability(const SplitResult& split, const Paint& paint);

}  // namespace credence::cli
