// How help looks: one blank line between groups, descriptions wrapped beside their options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace credence::cli {

/// The group of arguments without dashes that may be left out; it has no heading.
inline constexpr const char* kMayBeLeftOut = "May be left out";

/// "credence simulate toy".
std::string command_of(const CLI::App& app);

/// The name of an argument without dashes, in capitals: it stands for something and is not to be
/// typed.
std::string argument_name(const CLI::Option& argument);
/// The same in brackets when it may be left out.
std::string argument_in_usage(const CLI::Option& argument);

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
};

}  // namespace credence::cli
