// Numbers as the page and the figures say them: the same digits as the terminal and the tables.
#pragma once

#include <string>
#include <string_view>

#include "credence/results.hpp"

namespace credence::report {

/// As the table of metrics says; one that is not in it is shown as it is.
bool in_percent(std::string_view metric);
/// 100 and 2, or 1 and 4.
double scale_of(std::string_view metric);
int digits_of(std::string_view metric);

/// "1.21" of a metric's own scale; "-" for none, "infinite" for an nll that is.
std::string value_text(std::string_view metric, Maybe value);
/// "1.21 %".
std::string value_with_unit(std::string_view metric, Maybe value);
/// "[0.90, 2.21]", or empty.
std::string interval_text(std::string_view metric, const EstimateRecord& estimate);
/// "ece_expected 1.21 % [0.90, 2.21]".
std::string note_text(std::string_view metric, const EstimateRecord& estimate);

/// "1,234".
std::string counted(std::size_t value);
/// "12.3 %".
std::string percent_text(double share, int digits = 1);

/// The words as a shell takes them.
std::string shell_command(const std::vector<std::string>& words);

}  // namespace credence::report
