// The tree of verbs and options, with the help that teaches them.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "commands/commands.hpp"

namespace credence::cli {

/// Everything the command line can set, and what to run.
struct Choices {
  MethodsOptions methods;
  MetricsOptions metrics;
  InspectOptions inspect;
  FitCommandOptions fit;
  ApplyOptions apply;
  EvaluateOptions evaluate;
  DemoCommandOptions demo;
  std::string shell;
};

void declare_program(CLI::App& app, Choices& choices);

/// The verb that was named on the command line; empty when there was none.
std::function<void()> chosen_action(const CLI::App& app, const Choices& choices);

}  // namespace credence::cli
