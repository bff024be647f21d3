// How what `credence evaluate` found is printed for people.
#pragma once

#include <string>

#include "commands/commands.hpp"
#include "credence/evaluate.hpp"

namespace credence::cli {

using EvaluateResult = report::EvaluationResult;

std::string as_text(const EvaluateResult& result, const EvaluateOptions& options);
std::string as_csv(const EvaluateResult& result, const EvaluateOptions& options);

}  // namespace credence::cli
