// Options as the command line would be given them, for the record in results files.
#pragma once

#include <string>
#include <vector>

#include "credence/ablate.hpp"
#include "credence/compare.hpp"
#include "credence/plan.hpp"

namespace credence::python {

/// Only what differs from the defaults.
std::vector<std::string> words_of(const CompareOptions& options);
std::vector<std::string> words_of(const AblateOptions& options);
std::vector<std::string> words_of(const PlanOptions& options);

}  // namespace credence::python
