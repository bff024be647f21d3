// How help looks: one blank line between groups, descriptions wrapped beside their options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace credence::cli {

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
};

}  // namespace credence::cli
