// The sections of the page, in the order in which they are read.
#pragma once

#include <string>

#include "credence/results.hpp"
#include "report/page/figures.hpp"
#include "report/page/html.hpp"

namespace credence::report {

void answer_section(Html& html, const Results& results);
void table_section(Html& html, const Results& results);
void changes_section(Html& html, const Results& results);
void loss_section(Html& html, const Results& results);
void figure_section(Html& html, const Results& results);
void data_section(Html& html, const Results& results);
void protocol_section(Html& html, const Results& results);

/// Within the comparison, for every method that chose: what it is made of.
void choice_folds(Html& html, const Results& results);

/// A figure with its title and how to read it; drawn twice where a phone has a layout of its own.
void figure_element(Html& html, const FigurePlan& plan, std::string_view level = "h3");

/// Folded away until asked for, and open in print; close() ends it.
void open_fold(Html& html, std::string_view level, std::string_view title,
               const std::string& id = {});

/// Single examples for the script, as JSON that is safe inside a script element. `counted`: votes
/// are numbers of annotators; `grouped`: examples are not independent.
std::string examples_json(const ExampleRecords& examples, bool counted, bool grouped = false);
/// The reliability diagrams of all methods, likewise.
std::string bins_json(const Results& results);

}  // namespace credence::report
