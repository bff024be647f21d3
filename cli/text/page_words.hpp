// What is said of a report that was written.
#pragma once

#include <string>

#include "credence/page.hpp"

namespace credence::cli {

/// "results/report.html (412 KB; 1,000 of 2,000 examples embedded: 210 KB)".
std::string page_in_words(const std::string& path, const report::Page& page);

}  // namespace credence::cli
