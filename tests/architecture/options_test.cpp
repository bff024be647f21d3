// The library names options by their ids; only the front ends know flags and keywords.
#include "credence/options.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "architecture/layers.hpp"

namespace credence::architecture {
namespace {

const std::filesystem::path kSources = CREDENCE_SOURCE_DIR;

/// Texts between quotation marks, by line; comments are left out.
std::vector<std::pair<std::size_t, std::string>> literals_of(const std::string& text) {
  static const std::regex literal(R"re("((?:[^"\\\n]|\\.)*)")re");
  std::vector<std::pair<std::size_t, std::string>> found;
  std::istringstream lines(text);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    if (line.find_first_not_of(' ') == line.find("//")) continue;
    for (std::sregex_iterator at(line.begin(), line.end(), literal), end; at != end; ++at) {
      found.emplace_back(number, (*at)[1]);
    }
  }
  return found;
}

bool holds_flag(const std::string& literal) {
  static const std::regex flag("(^|[^-a-z(])--[a-z]");
  return std::regex_search(literal, flag);
}

std::vector<std::filesystem::path> library_files() {
  std::vector<std::filesystem::path> files = cpp_files(kSources / "src");
  for (const auto& file : cpp_files(kSources / "include")) files.push_back(file);
  return files;
}

TEST(OptionChecker, SeesAFlagInAMessage) {
  EXPECT_TRUE(holds_flag("name it with --id-field"));
  EXPECT_TRUE(holds_flag("--labels takes one label"));
  EXPECT_FALSE(holds_flag("var(--f-ink)"));
  EXPECT_FALSE(holds_flag("1 -- 2"));
  const auto found = literals_of("// \"--a\"\nf(\"x \\\" y\", \"--b\");\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].first, 2u);
  EXPECT_EQ(found[1].second, "--b");
}

TEST(Options, OfTheProgramAreNotNamedInTheLibrary) {
  // Variables of style sheets, and what another program is told.
  const std::set<std::string> allowed{"palette.cpp", "convert_figure.cpp"};
  for (const auto& file : library_files()) {
    if (allowed.contains(file.filename())) continue;
    for (const auto& [line, literal] : literals_of(read_file(file))) {
      EXPECT_FALSE(holds_flag(literal))
          << file.string() << ":" << line << ": name the option by its id, as in ‹skip_rows›";
    }
  }
}

TEST(Options, NamedInMessagesOfTheLibraryExist) {
  std::size_t seen = 0;
  for (const auto& file : library_files()) {
    if (file.filename() == "speech.cpp") continue;
    for (const auto& [line, literal] : literals_of(read_file(file))) {
      seen += literal.find("‹") != std::string::npos ? 1u : 0u;
      const std::string rendered = render(literal, Speech::command_line);
      EXPECT_EQ(rendered.find("‹"), std::string::npos)
          << file.string() << ":" << line << ": no such option or verb: " << rendered;
      EXPECT_EQ(rendered.find("›"), std::string::npos) << file.string() << ":" << line;
    }
  }
  EXPECT_GT(seen, 50u);
}

}  // namespace
}  // namespace credence::architecture
