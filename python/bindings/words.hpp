// Options as the command line would be given them, for the record in results files.
#pragma once

#include <string>
#include <vector>

#include "credence/ablate.hpp"
#include "credence/compare.hpp"
#include "credence/options.hpp"
#include "credence/plan.hpp"

namespace credence::python {

/// The option as the program takes it: "--skip-rows".
std::string flag_of(Option option);

/// Only what differs from the defaults.
std::vector<std::string> words_of(const CompareOptions& options);
std::vector<std::string> words_of(const AblateOptions& options);
std::vector<std::string> words_of(const PlanOptions& options);

}  // namespace credence::python
