#include "parse.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "core/nearest_name.hpp"
#include "credence/error.hpp"
#include "output.hpp"
#include "verbs.hpp"

namespace credence::cli {
namespace {

struct Program {
  CLI::App app;
  Actions actions;
};

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::string_view best = core::nearest_name(word, known);
  return best.empty() ? std::string() : fmt::format("; did you mean '{}'?", best);
}

Error unknown_option(const CLI::App& verb, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> known;
  for (const CLI::Option* option : verb.get_options({})) {
    for (const std::string& long_name : option->get_lnames()) known.push_back("--" + long_name);
  }
  const bool top = verb.get_parent() == nullptr;
  const std::string command = top ? "credence" : "credence " + verb.get_name();
  return Error(ErrorCode::usage,
               fmt::format("unknown option '{}'{}", name, did_you_mean(name, known)),
               fmt::format("'{} --help' lists the options", command));
}

/// Words that nothing on the command line could take.
Error leftover(const CLI::App& app) {
  const auto verbs = app.get_subcommands();
  if (!verbs.empty()) {
    const std::vector<std::string> words = verbs.front()->remaining();
    for (const std::string& word : words) {
      if (word.size() > 1 && word[0] == '-') return unknown_option(*verbs.front(), word);
    }
    return Error(
        ErrorCode::usage,
        fmt::format("'{}' is one word too many for 'credence {}'",
                    words.empty() ? std::string() : words.front(), verbs.front()->get_name()),
        fmt::format("put names with spaces in quotes; 'credence {} --help' shows an example",
                    verbs.front()->get_name()));
  }
  const std::vector<std::string> words = app.remaining();
  const std::string word = words.empty() ? std::string() : words.front();
  if (word.size() > 1 && word[0] == '-') return unknown_option(app, word);
  std::vector<std::string> known;
  for (const CLI::App* verb : app.get_subcommands({})) known.push_back(verb->get_name());
  return Error(
      ErrorCode::usage, fmt::format("unknown verb '{}'{}", word, did_you_mean(word, known)),
      fmt::format("the verbs are {}; 'credence --help' explains them", fmt::join(known, ", ")));
}

Error bad_value(const CLI::App& app, const CLI::ParseError& error) {
  const auto verbs = app.get_subcommands();
  std::string message = error.what();
  // "--seed: 1 required N missing" is no way to talk.
  if (const auto missing = message.find(": 1 required "); missing != std::string::npos) {
    message = fmt::format("{} needs a value", message.substr(0, missing));
  }
  return Error(ErrorCode::usage, message,
               fmt::format("'credence {}--help' shows the options with an example",
                           verbs.empty() ? std::string() : verbs.front()->get_name() + " "));
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
