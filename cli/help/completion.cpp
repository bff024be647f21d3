#include "help/completion.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "credence/methods.hpp"

namespace credence::cli {
namespace {

/// One option or positional argument, as completion sees it.
struct Word {
  std::vector<std::string> names;  ///< with dashes; empty for a positional argument
  std::string description;
  bool takes_value = false;
  bool takes_file = false;
  std::vector<std::string> values;
};

struct Verb {
  std::string name, description;
  std::vector<Word> words;
};

/// Values listed by a type name such as "FORMAT:{text,json}".
std::vector<std::string> listed_values(const std::string& type_name) {
  const auto open = type_name.find('{'), close = type_name.find('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  return CLI::detail::split(type_name.substr(open + 1, close - open - 1), ',');
}

Word word_of(const CLI::Option& option) {
  Word word;
  for (const std::string& name : option.get_snames()) word.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) word.names.push_back("--" + name);
  word.description = option.get_description();
  word.takes_value = option.get_items_expected_max() > 0;
  const std::string type = option.get_type_name();
  word.takes_file = type.find("FILE") != std::string::npos || type.find("DIR") != std::string::npos;
  word.values = listed_values(type);
  if (type == "METHOD") {
    for (const Method& method : kMethods) word.values.emplace_back(method.id);
    for (const AutomaticMethod& method : kAutomaticMethods) word.values.emplace_back(method.id);
  }
  return word;
}

std::vector<Word> words_of(const CLI::App& app) {
  std::vector<Word> words;
  for (const CLI::Option* option : app.get_options({})) words.push_back(word_of(*option));
  return words;
}

std::vector<Verb> verbs_of(const CLI::App& app) {
  std::vector<Verb> verbs;
  for (const CLI::App* verb : app.get_subcommands({})) {
    std::vector<Word> words = words_of(*verb);
    // A verb of several parts: the words that name them, and the options of all.
    Word part;
    for (const CLI::App* inner : verb->get_subcommands({})) {
      part.values.push_back(inner->get_name());
      for (Word& word : words_of(*inner)) {
        const auto same = [&word](const Word& known) { return known.names == word.names; };
        if (std::ranges::none_of(words, same)) words.push_back(std::move(word));
      }
    }
    if (!part.values.empty()) words.push_back(std::move(part));
    verbs.push_back({verb->get_name(), verb->get_description(), std::move(words)});
  }
  return verbs;
}

std::string bash(const CLI::App& app) {
  const std::vector<Verb> verbs = verbs_of(app);
  std::vector<std::string> names, top;
  for (const Verb& verb : verbs) names.push_back(verb.name);
  for (const Word& word : words_of(app))
    top.insert(top.end(), word.names.begin(), word.names.end());
  std::string cases, previous;
  for (const Verb& verb : verbs) {
    std::vector<std::string> options, positional;
    for (const Word& word : verb.words) {
      options.insert(options.end(), word.names.begin(), word.names.end());
      if (word.names.empty()) {
        positional.insert(positional.end(), word.values.begin(), word.values.end());
      } else if (!word.values.empty()) {
        previous += fmt::format(
            "    \"{} {}\") COMPREPLY=($(compgen -W \"{}\" -- \"$cur\")); return ;;\n", verb.name,
            fmt::join(word.names, fmt::format("\"|\"{} ", verb.name)), fmt::join(word.values, " "));
      }
    }
    cases += fmt::format("    {}) options=\"{}\" words=\"{}\" ;;\n", verb.name,
                         fmt::join(options, " "), fmt::join(positional, " "));
  }
  return fmt::format(R"(# bash completion for credence: source this file, or put it in
# ~/.local/share/bash-completion/completions/credence
_credence() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}"
  local verb="${{COMP_WORDS[1]}}" options words
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} {}" -- "$cur"))
    return
  fi
  case "$verb $prev" in
{}  esac
  case "$verb" in
{}  esac
  case "$cur" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$cur")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$cur") $(compgen -f -- "$cur")) ;;
  esac
}}
complete -o filenames -F _credence credence
)",
                     fmt::join(names, " "), fmt::join(top, " "), previous, cases);
}

/// For text between single quotes.
std::string single_quoted(const std::string& text) {
  return CLI::detail::find_and_replace(text, "'", "'\\''");
}

std::string zsh_escaped(std::string text) {
  for (const char* special : {"[", "]", ":"}) {
    text = CLI::detail::find_and_replace(text, special, std::string("\\") + special);
  }
  return single_quoted(text);
}

std::string zsh_action(const Word& word) {
  if (!word.values.empty()) return fmt::format(":value:({})", fmt::join(word.values, " "));
  if (word.takes_file) return ":file:_files";
  return word.takes_value ? ":value: " : "";
}

std::string zsh(const CLI::App& app) {
  std::string descriptions, cases;
  for (const Verb& verb : verbs_of(app)) {
    descriptions += fmt::format("    '{}:{}'\n", verb.name, zsh_escaped(verb.description));
    cases += fmt::format("    {}) _arguments", verb.name);
    for (const Word& word : verb.words) {
      if (word.names.empty()) {
        cases += fmt::format(" \\\n        '1{}'", zsh_action(word));
      }
      for (const std::string& name : word.names) {
        cases += fmt::format(" \\\n        '{}[{}]{}'", name, zsh_escaped(word.description),
                             zsh_action(word));
      }
    }
    cases += " ;;\n";
  }
  return fmt::format(R"(#compdef credence
# zsh completion for credence: put this file as _credence in a folder of $fpath.
_credence() {{
  local -a verbs
  verbs=(
{}  )
  if (( CURRENT == 2 )); then
    _describe 'verb' verbs
    return
  fi
  local verb="${{words[2]}}"
  shift words
  (( CURRENT-- ))
  case "$verb" in
{}  esac
}}
compdef _credence credence
)",
                     descriptions, cases);
}

std::string fish(const CLI::App& app) {
  std::string out =
      "# fish completion for credence: put this file in ~/.config/fish/completions/\n";
  out += "complete -c credence -n __fish_use_subcommand -f\n";
  for (const Verb& verb : verbs_of(app)) {
    out += fmt::format("complete -c credence -n __fish_use_subcommand -a {} -d '{}'\n", verb.name,
                       single_quoted(verb.description));
    const std::string when = fmt::format("-n '__fish_seen_subcommand_from {}'", verb.name);
    for (const Word& word : verb.words) {
      std::string line = fmt::format("complete -c credence {}", when);
      for (const std::string& name : word.names) {
        line += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2))
                                       : fmt::format(" -s {}", name.substr(1));
      }
      if (!word.values.empty())
        line += fmt::format(" -x -a '{}'", fmt::join(word.values, " "));
      else if (word.takes_file)
        line += word.names.empty() ? " -F" : " -r -F";
      else if (word.takes_value)
        line += " -x";
      out += fmt::format("{} -d '{}'\n", line, single_quoted(word.description));
    }
  }
  return out;
}

}  // namespace

std::string completion_script(const CLI::App& app, std::string_view shell) {
  if (shell == "zsh") return zsh(app);
  if (shell == "fish") return fish(app);
  return bash(app);
}

}  // namespace credence::cli
