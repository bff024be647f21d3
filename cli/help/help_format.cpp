#include "help/help_format.hpp"

#include <fmt/format.h>

#include <cctype>

namespace credence::cli {
namespace {

constexpr std::size_t kColumn = 30;
constexpr std::size_t kHelpWidth = 100;

/// Breaks between words; further lines start at kColumn.
std::string wrapped(const std::string& text) {
  std::string out;
  std::size_t column = kColumn;
  for (const std::string& word : CLI::detail::split(text, ' ')) {
    if (column > kColumn && column + 1 + word.size() > kHelpWidth) {
      out += "\n" + std::string(kColumn, ' ');
      column = kColumn;
    } else if (column > kColumn) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

}  // namespace

std::string command_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : command_of(*app.get_parent()) + " " + app.get_name();
}

std::string argument_name(const CLI::Option& argument) {
  std::string name = argument.get_name(true, false);
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::string argument_in_usage(const CLI::Option& argument) {
  const std::string name = argument_name(argument);
  return argument.get_group() == kMayBeLeftOut ? "[" + name + "]" : name;
}

HelpFormatter::HelpFormatter() {
  column_width(kColumn);
  label("SUBCOMMAND", "VERB");
  label("Positionals", "Arguments");
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
  std::string out = fmt::format("{}.\n\nUsage: {}", app->get_description(), name);
  for (const CLI::Option* option : app->get_options({})) {
    if (option->get_positional()) out += " " + argument_in_usage(*option);
  }
  if (!app->get_subcommands({}).empty()) out += app->get_parent() == nullptr ? " VERB" : " WHAT";
  out += " [OPTIONS]\n";
  out += make_positionals(app);
  for (const std::string& group : app->get_groups()) {
    const auto options = app->get_options([&group](const CLI::Option* option) {
      return option->get_group() == group && option->nonpositional();
    });
    if (!options.empty()) out += make_group(group, false, options);
  }
  return out + make_subcommands(app, mode) + "\n" + make_footer(app);
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  std::string left = "  ";
  left += is_positional ? argument_name(*option) : make_option_name(option, false);
  if (!is_positional) left += make_option_opts(option);
  if (left.size() + 2 > kColumn) left += "\n";
  left.resize(left.back() == '\n' ? left.size() + kColumn : kColumn, ' ');
  return left + wrapped(option->get_description()) + "\n";
}

}  // namespace credence::cli
