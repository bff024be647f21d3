// The sections of the page, in the order in which they are read.
#pragma once

#include <string>

#include "credence/results.hpp"
#include "report/page/html.hpp"

namespace credence::report {

void answer_section(Html& html, const Results& results);
void table_section(Html& html, const Results& results);
void figure_section(Html& html, const Results& results);
void data_section(Html& html, const Results& results);
void protocol_section(Html& html, const Results& results);

/// Single examples for the script, as JSON that is safe inside a script element. `counted`: votes
/// are numbers of annotators.
std::string examples_json(const ExampleRecords& examples, bool counted);

}  // namespace credence::report
