#include "help/man_page.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <string_view>

#include "help/help_format.hpp"

namespace credence::cli {
namespace {

/// Text that means itself: no escape, no hyphen that could become another dash.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

/// When the form of the pages last changed; builds are the same on any day.
constexpr const char* kDate = "2026-11-16";

/// A line as it is; one that begins like a request of the language is protected.
std::string verbatim_line(std::string_view text) {
  const bool request = text.starts_with('.') || text.starts_with('\'');
  return (request ? "\\&" : "") + escaped(text) + "\n";
}

/// Text that is filled: lines of source stay short, as readers of diffs like them.
std::string line(const std::string& text) {
  constexpr std::size_t kPageWidth = 72;
  std::string out, current;
  for (const std::string& word : CLI::detail::split(text, ' ')) {
    if (!current.empty() && escaped(current).size() + 1 + escaped(word).size() > kPageWidth) {
      out += verbatim_line(current);
      current.clear();
    }
    current += (current.empty() ? "" : " ") + word;
  }
  return current.empty() ? out : out + verbatim_line(current);
}

std::string joined_lines(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// "FORMAT:{text,json}" as "text|json".
std::string value_of(const CLI::Option& option) {
  std::string type = option.get_type_name();
  const auto open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return type;
  type = type.substr(open + 1, close - open - 1);
  std::ranges::replace(type, ',', '|');
  return type;
}

std::string option_entry(const CLI::Option& option) {
  std::string names;
  const auto add = [&](const std::string& name) {
    names += (names.empty() ? "" : ", ") + fmt::format("\\fB{}\\fR", escaped(name));
  };
  for (const std::string& name : option.get_snames()) add("-" + name);
  for (const std::string& name : option.get_lnames()) add("--" + name);
  if (names.empty()) {
    names = fmt::format("\\fI{}\\fR", escaped(argument_name(option)));
  } else if (option.get_items_expected_max() > 0) {
    names += fmt::format(" \\fI{}\\fR", escaped(value_of(option)));
  }
  return fmt::format(".TP\n{}\n{}", names, line(option.get_description()));
}

std::string synopsis(const CLI::App& app, const std::string& command) {
  std::string out = fmt::format("\\fB{}\\fR", escaped(command));
  for (const CLI::Option* option : app.get_options({})) {
    if (option->get_positional()) {
      out += fmt::format(" \\fI{}\\fR", escaped(argument_in_usage(*option)));
    }
  }
  if (!app.get_subcommands({}).empty()) {
    out += app.get_parent() == nullptr ? " \\fIVERB\\fR" : " \\fIWHAT\\fR";
  }
  return out + " [\\fIOPTIONS\\fR]\n";
}

std::string options_of(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* option : app.get_options({})) {
    if (option->get_positional()) out += option_entry(*option);
  }
  for (const std::string& group : app.get_groups()) {
    const auto options = app.get_options([&group](const CLI::Option* option) {
      return option->get_group() == group && option->nonpositional();
    });
    if (options.empty()) continue;
    if (group != "Options") out += fmt::format(".SS {}\n", escaped(group));
    for (const CLI::Option* option : options) out += option_entry(*option);
  }
  return out;
}

/// Footers are "Heading:" lines with indented examples below them, and plain sentences.
std::string footer(const std::string& text) {
  std::string out;
  bool verbatim = false;
  const auto switch_to = [&](bool wanted) {
    // A paragraph begins by itself at the top of a section.
    if (wanted && !verbatim) out += out.empty() ? ".nf\n.RS 2\n" : ".PP\n.nf\n.RS 2\n";
    if (!wanted && verbatim) out += ".RE\n.fi\n.PP\n";
    verbatim = wanted;
  };
  for (const std::string& one : CLI::detail::split(text, '\n')) {
    if (one.empty() || one == "Examples:") continue;
    switch_to(one.starts_with("  "));
    out += verbatim ? verbatim_line(one.substr(2)) : line(one);
  }
  switch_to(false);
  // Nothing may follow the last paragraph break.
  if (out.ends_with(".PP\n")) out.resize(out.size() - 4);
  return out;
}

/// The words after a verb that has several parts, each with its own options.
std::string parts_of(const CLI::App& verb) {
  std::string out;
  for (const CLI::App* part : verb.get_subcommands({})) {
    out += fmt::format(".SH {}\n{}.PP\n{}", upper(escaped(part->get_name())),
                       synopsis(*part, command_of(*part)),
                       line(joined_lines(part->get_description()) + "."));
    out += options_of(*part) + footer(part->get_footer());
  }
  return out;
}

std::string list_of_verbs(const CLI::App& program) {
  std::string out = ".SH VERBS\n";
  for (const CLI::App* verb : program.get_subcommands({})) {
    out += fmt::format(".TP\n\\fB{}\\fR(1)\n{}", escaped(man_page_name(*verb)),
                       line(joined_lines(verb->get_description())));
  }
  return out;
}

}  // namespace

std::string man_page_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : man_page_name(*app.get_parent()) + "-" + app.get_name();
}

std::string man_page(const CLI::App& app) {
  const bool program = app.get_parent() == nullptr;
  const std::string description = joined_lines(app.get_description());
  std::string out = fmt::format(".TH {} 1 \"{}\" \"credence {}\" \"User Commands\"\n",
                                upper(escaped(man_page_name(app))), kDate, CREDENCE_VERSION);
  out += fmt::format(".SH NAME\n{} \\- {}\n", escaped(man_page_name(app)),
                     escaped(description.substr(0, description.find(':'))));
  out += ".SH SYNOPSIS\n" + synopsis(app, command_of(app));
  out += ".SH DESCRIPTION\n" + line(description + ".");
  if (program) {
    out += list_of_verbs(app);
  }
  out += ".SH OPTIONS\n" + options_of(app);
  if (!program) out += parts_of(app);
  if (const std::string text = footer(app.get_footer()); !text.empty()) {
    out += ".SH EXAMPLES\n" + text;
  }
  out +=
      ".SH EXIT STATUS\n.TP\n0\ndone\n.TP\n1\nthe data, a file or the fit is at fault\n"
      ".TP\n2\nthe command line is at fault\n";
  if (!program) out += ".SH SEE ALSO\n.BR credence (1)\n";
  return out;
}

}  // namespace credence::cli
