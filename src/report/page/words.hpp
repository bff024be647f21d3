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
/// "79.85 %" of a share, "1.21 points" of a difference between two.
std::string value_with_unit(std::string_view metric, Maybe value);
/// "[0.90, 2.21]", or empty.
std::string interval_text(std::string_view metric, const EstimateRecord& estimate);
/// "ece_expected 1.21 points [0.90, 2.21]".
std::string note_text(std::string_view metric, const EstimateRecord& estimate);

/// "1,234".
std::string counted(std::size_t value);
/// "12.3 %".
std::string percent_text(double share, int digits = 1);

/// "1 example", "2,000 examples".
std::string counted(std::size_t value, std::string_view what);

/// What the answer comes to, in a few words.
std::string headline(const Results& results);

/// The words as a shell takes them, paths without their folders: a page that is mailed tells nobody
/// where its files were.
std::string shell_command(const std::vector<std::string>& words);
/// The text with every absolute path in it cut to the file's name.
std::string without_folders(std::string_view text);

}  // namespace credence::report
