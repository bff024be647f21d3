// What calibrating changes in the decisions, in words.
#pragma once

#include <string>

#include "credence/results.hpp"

namespace credence::report {

/// How many predictions the candidate changes, what that does to the recall of the classes, and
/// which method would change none. Empty when the examples were not kept.
std::string decision_words(const Results& results);

}  // namespace credence::report
