// The tree of verbs and options, with the help that teaches them.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>

namespace credence::cli {

/// What a verb does once the command line is read; it owns the options it was told.
using Action = std::function<void()>;

using Actions = std::map<const CLI::App*, Action>;

Actions declare_program(CLI::App& app);

}  // namespace credence::cli
