// Shell completion, generated from the same tree of verbs and options that parses the command line.
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace credence::cli {

/// `shell` is bash, zsh or fish.
std::string completion_script(const CLI::App& app, std::string_view shell);

}  // namespace credence::cli
