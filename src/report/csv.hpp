// Cells of comma-separated text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace credence::report {

/// Quoted as RFC 4180 asks where it has to be. Text that a spreadsheet would run as a formula (it
/// begins with = + - @, a tab or a carriage return) gets an apostrophe in front.
std::string csv_text(std::string_view text);
/// The shortest text that reads back as the same double; empty for no value.
std::string csv_number(std::optional<double> value);

}  // namespace credence::report
