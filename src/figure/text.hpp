// Widths of text that no font has measured, and what follows from them: shortening and wrapping.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/code_point.hpp"

namespace credence::figure {

using core::code_point;
using core::CodePoint;
using core::reorders;

/// At least the width in common sans-serif fonts: the widest of them is taken for each letter.
double text_width(std::string_view text, double size, bool bold = false);

/// The text, or as much of its beginning as fits together with an ellipsis.
std::string shortened(std::string_view text, double width, double size, bool bold = false);

/// Lines broken at spaces so that each fits; a longer word is shortened.
std::vector<std::string> wrapped(std::string_view text, double width, double size);

/// 12 -> "12", 1000 -> "1k", 12500 -> "12.5k", 3e6 -> "3M": for the ends of an axis.
std::string compact_count(double value);
/// "87.5 %" with the given decimals.
std::string percent(double share, int decimals = 1);

}  // namespace credence::figure
