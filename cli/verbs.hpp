// The tree of verbs and options, with the help that teaches them.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>

namespace credence::cli {

/// What a verb does once the command line is read; it owns the options it was told.
using Action = std::function<void()>;

// Each gives its verb a description, examples and options. Adding a verb is a file in verbs/, a
// line here, and a row of kVerbs.
Action declare_ablate(CLI::App& verb);
Action declare_apply(CLI::App& verb);
Action declare_compare(CLI::App& verb);
Action declare_completion(CLI::App& verb);
Action declare_demo(CLI::App& verb);
Action declare_evaluate(CLI::App& verb);
Action declare_export(CLI::App& verb);
Action declare_fit(CLI::App& verb);
Action declare_inspect(CLI::App& verb);
Action declare_man(CLI::App& verb);
Action declare_methods(CLI::App& verb);
Action declare_metrics(CLI::App& verb);
Action declare_plan(CLI::App& verb);
Action declare_report(CLI::App& verb);
Action declare_simulate(CLI::App& verb);

using Actions = std::map<const CLI::App*, Action>;

Actions declare_program(CLI::App& app);

}  // namespace credence::cli
