#include "parse.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "credence/error.hpp"
#include "credence/text.hpp"
#include "help/help_format.hpp"
#include "text/output.hpp"
#include "verbs.hpp"

namespace credence::cli {
namespace {

struct Program {
  CLI::App app;
  Actions actions;
};

/// The verb that was named, or the part of it: the last word that chose among several.
const CLI::App& innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.front());
}

/// The outermost verb with a word it could not take: 'simulate' in "simulate --sed 1 toy".
const CLI::App& puzzled(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() || !app.remaining().empty() ? app : puzzled(*chosen.front());
}

Error unknown_option(const CLI::App& verb, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> known;
  for (const CLI::Option* option : verb.get_options({})) {
    for (const std::string& long_name : option->get_lnames()) known.push_back("--" + long_name);
  }
  return Error(
      ErrorCode::usage,
      fmt::format("unknown option '{}'{}", name, did_you_mean(name, {known.begin(), known.end()})),
      fmt::format("'{} --help' lists the options", command_of(verb)));
}

/// Words that nothing on the command line could take.
Error leftover(const CLI::App& app) {
  const CLI::App& verb = puzzled(app);
  const std::vector<std::string> words = verb.remaining();
  // In "compair --logits x" the verb is wrong, not the option behind it.
  const bool wants_verb =
      !verb.get_subcommands({}).empty() && !words.empty() && !words.front().starts_with('-');
  for (const std::string& word : words) {
    if (!wants_verb && word.size() > 1 && word[0] == '-') return unknown_option(verb, word);
  }
  const std::string word = words.empty() ? std::string() : words.front();
  const std::string command = command_of(verb);
  std::vector<std::string> known;
  for (const CLI::App* choice : verb.get_subcommands({})) known.push_back(choice->get_name());
  if (known.empty()) {
    const CLI::Option* const method = verb.get_option_no_throw("--method");
    const bool meant = method != nullptr && method->count() == 0;
    return Error(ErrorCode::usage, fmt::format("'{}' is one word too many for '{}'", word, command),
                 fmt::format("{}; '{} --help' shows an example",
                             meant ? "the method stands behind its option: --method " + word
                                   : std::string("put names with spaces in quotes"),
                             command));
  }
  const bool top = verb.get_parent() == nullptr;
  return Error(
      ErrorCode::usage,
      fmt::format("unknown {} '{}'{}", top ? "verb" : "word", word,
                  did_you_mean(word, {known.begin(), known.end()})),
      fmt::format("{} {}; '{} --help' explains them",
                  top ? std::string("the verbs are") : "after '" + command + "' comes one of",
                  fmt::join(known, ", "), command));
}

Error bad_value(const CLI::App& app, const CLI::ParseError& error) {
  std::string message = error.what();
  // "--seed: 1 required N missing" is no way to talk.
  if (const auto missing = message.find(": 1 required "); missing != std::string::npos) {
    message = fmt::format("{} needs a value", message.substr(0, missing));
  }
  return Error(
      ErrorCode::usage, message,
      fmt::format("'{} --help' shows the options with an example", command_of(innermost(app))));
}

}  // namespace

std::function<void()> parse(int argc, char** argv) {
  const auto program = std::make_shared<Program>();
  CLI::App& app = program->app;
  program->actions = declare_program(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return [text = app.help()] { print(text); };
  } catch (const CLI::CallForVersion& version) {
    return [text = std::string(version.what())] { print(text + "\n"); };
  } catch (const CLI::ExtrasError&) {
    throw leftover(app);
  } catch (const CLI::ParseError& error) {
    throw bad_value(app, error);
  }
  const auto verbs = app.get_subcommands();
  if (verbs.empty()) {
    throw Error(ErrorCode::usage, "no verb given",
                "'credence demo' shows what it does, 'credence --help' lists the verbs");
  }
  return [program, verb = verbs.front()] { program->actions.at(verb)(); };
}

}  // namespace credence::cli
