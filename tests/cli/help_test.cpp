// Help, version, completion and slips of the hand.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "credence/methods.hpp"
#include "credence/options.hpp"

namespace credence::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kVerbs[]{"demo",  "methods", "metrics",  "inspect",    "fit",
                               "apply", "export",  "evaluate", "compare",    "ablate",
                               "plan",  "report",  "simulate", "completion", "man"};
// Every command with a help of its own.
constexpr const char* kCommands[]{
    "demo",         "methods",    "metrics", "inspect", "fit",    "apply",    "export",
    "evaluate",     "compare",    "ablate",  "plan",    "report", "simulate", "simulate annotators",
    "simulate toy", "completion", "man"};

/// "--name" of every line that explains an option: "  --name ..." or "  -n,--name ...".
std::vector<std::string> long_options_in(const std::string& help) {
  std::vector<std::string> names;
  for (std::size_t line = 0; line < help.size(); line = help.find('\n', line) + 1) {
    std::size_t at = line;
    if (help.compare(at, 3, "  -") != 0) continue;
    at += help.compare(at + 4, 1, ",") == 0 ? 5 : 2;
    const std::size_t end = help.find_first_not_of("-abcdefghijklmnopqrstuvwxyz", at);
    if (help.compare(at, 2, "--") == 0) names.push_back(help.substr(at, end - at));
  }
  return names;
}

/// As manual pages write it.
std::string escaped(const std::string& name) {
  std::string out;
  for (const char c : name) out += c == '-' ? "\\-" : std::string(1, c);
  return out;
}

class Help : public ProgramTest {
 protected:
  Outcome help_of(const std::string& command) const {
    return shell("credence " + command + " --help");
  }
};

TEST_F(Help, OfEveryVerbTeachesWithAnExample) {
  for (const std::string verb : kCommands) {
    const Outcome help = help_of(verb);
    EXPECT_EQ(help.code, 0);
    EXPECT_THAT(help.out, HasSubstr("Usage: credence " + verb));
    EXPECT_THAT(help.out, HasSubstr("Examples:\n"));
    EXPECT_EQ(help.err, "");
  }
}

TEST_F(Help, FitsInAHundredColumns) {
  for (const std::string verb : kCommands) {
    std::istringstream lines(help_of(verb).out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
  }
}

TEST_F(Help, OfTheProgramNamesEveryVerb) {
  const Outcome help = run({"--help"});
  EXPECT_EQ(help.code, 0);
  for (const std::string verb : kVerbs) EXPECT_THAT(help.out, HasSubstr("  " + verb + " "));
}

TEST_F(Help, ListsTheOptionsOfTheTableAndNoOthers) {
  std::set<std::string> shown;
  for (const std::string command : kCommands) {
    for (const std::string& name : long_options_in(help_of(command).out)) shown.insert(name);
  }
  shown.erase("--help");
  std::set<std::string> known;
  for (const OptionInfo& option : all_options()) known.insert("--" + std::string(option.flag));
  EXPECT_EQ(shown, known);
}

TEST_F(Help, VerbsThatMessagesNameExist) {
  for (const std::string_view verb : shared_verbs()) {
    EXPECT_EQ(help_of(std::string(verb)).code, 0) << verb;
  }
}

TEST_F(Help, PageInTheDocsIsWhatTheProgramSays) {
  std::string page =
      "# The program\n\n<!-- Written by 'make docs' from the program's help. -->\n\n";
  page += "```text\n" + run({"--help"}).out + "```\n";
  for (const std::string verb : kCommands) {
    page += "\n## credence " + verb + "\n\n```text\n" + help_of(verb).out + "```\n";
  }
  const fs::path path = fs::path(CREDENCE_SOURCE_DIR) / "docs" / "cli.md";
  if (std::getenv("CREDENCE_UPDATE_DOCS") != nullptr) {
    write_file(path, page);
    return;
  }
  EXPECT_EQ(read_file(path), page) << "CREDENCE_UPDATE_DOCS=1 cli_tests rewrites " << path;
}

TEST_F(Help, VersionIsOneLine) {
  const Outcome version = run({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.out, ::testing::MatchesRegex("credence [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST_F(Help, EveryVerbHasAManualPageWithAllItsOptions) {
  const Outcome written = run({"man", "-o", "man"});
  ASSERT_EQ(written.code, 0) << written.err;
  for (const std::string verb : kVerbs) {
    const std::string page = text_of("man/credence-" + verb + ".1");
    EXPECT_EQ(page, run({"man", verb}).out);
    EXPECT_THAT(page, StartsWith(".TH CREDENCE"));
    const std::string help = help_of(verb).out;
    const std::vector<std::string> names = long_options_in(help);
    EXPECT_FALSE(names.empty()) << verb;
    for (const std::string& name : names) {
      EXPECT_THAT(page, HasSubstr(escaped(name))) << verb;
    }
  }
}

struct Slip {
  std::vector<std::string> arguments;
  std::string suggestion;
};

TEST_F(Help, SlipsOfTheHandGetTheNearestWord) {
  const std::vector<Slip> slips{{{"fitt"}, "did you mean 'fit'?"},
                                {{"evalaute"}, "did you mean 'evaluate'?"},
                                {{"fit", "--metod", "ts"}, "did you mean '--method'?"},
                                {{"fit", "--logit=a.npy"}, "did you mean '--logits'?"},
                                {{"--vresion"}, "did you mean '--version'?"},
                                {{"fit", "-m", "slst", "-o", "m"}, "did you mean 'slts'?"},
                                {{"simulate", "anotators"}, "did you mean 'annotators'?"},
                                {{"simulate", "toy", "--epoch"}, "did you mean '--epochs'?"}};
  for (const Slip& slip : slips) {
    const Outcome outcome = run(slip.arguments);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, StartsWith("credence: error: unknown "));
    EXPECT_THAT(outcome.err, HasSubstr(slip.suggestion));
  }
}

TEST_F(Help, MethodsListTheWholeTable) {
  const auto listing = nlohmann::json::parse(run({"methods", "--format", "json"}).out);
  ASSERT_EQ(listing["methods"].size(), kMethods.size());
  for (std::size_t i = 0; i < kMethods.size(); ++i) {
    EXPECT_EQ(listing["methods"][i]["id"], std::string(kMethods[i].id));
  }
  EXPECT_EQ(listing["targets"].size(), kTargets.size());
  EXPECT_EQ(listing["maps"].size(), kMaps.size());
  const std::string text = run({"methods"}).out, csv = run({"methods", "--format", "csv"}).out;
  for (const Method& method : kMethods) {
    EXPECT_THAT(text, HasSubstr(std::string(method.id)));
    EXPECT_THAT(csv, HasSubstr(std::string(method.id) + ","));
  }
}

TEST_F(Help, MethodsCanBeRestrictedToTheEvidenceAtHand) {
  const auto listing =
      nlohmann::json::parse(run({"methods", "--evidence", "voted", "--format", "json"}).out);
  std::vector<std::string> listed;
  for (const auto& method : listing["methods"]) listed.push_back(method["id"]);
  const auto allowed = methods_allowed_by(Evidence::voted);
  EXPECT_EQ(listed, std::vector<std::string>(allowed.begin(), allowed.end()));
}

TEST_F(Help, CompletionKnowsVerbsOptionsAndMethods) {
  for (const std::string sh : {"bash", "zsh", "fish"}) {
    const Outcome script = run({"completion", sh});
    EXPECT_EQ(script.code, 0);
    for (const std::string verb : kVerbs) EXPECT_THAT(script.out, HasSubstr(verb));
    EXPECT_THAT(script.out, HasSubstr("skip-rows"));
    EXPECT_THAT(script.out, HasSubstr("dirichlet-soft"));
  }
}

TEST_F(Help, BashCompletesWhatFits) {
  const Outcome outcome = shell(
      "bash -c 'source <(credence completion bash); COMP_WORDS=(credence fit --gauge r); "
      "COMP_CWORD=3; _credence; echo \"${COMPREPLY[@]}\"'");
  EXPECT_EQ(outcome.out, "raw\n");
}

TEST_F(Help, ColourIsForTerminalsOnly) {
  for (const auto& arguments : {std::vector<std::string>{"methods"}, {"demo", "--rows", "200"}}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ((outcome.out + outcome.err).find('\x1b'), std::string::npos);
  }
}

}  // namespace
}  // namespace credence::cli_test
