// What is said twice is changed once and wrong afterwards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "architecture/layers.hpp"

namespace credence::architecture {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Two places may share this many lines in a row.
constexpr std::size_t kMaxEqualLines = 12;

struct SourceText {
  std::string name, text;
};
struct SourceLine {
  std::size_t number;
  std::string words;  ///< white space between them is one blank
};

bool says_something(const std::string& words) {
  if (words.starts_with("#include") || words.starts_with("import ") || words.starts_with("from ")) {
    return false;
  }
  return std::any_of(words.begin(), words.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0; });
}

/// Without blank lines, includes and lone brackets: those repeat in every file.
std::vector<SourceLine> telling_lines(const std::string& text) {
  std::vector<SourceLine> found;
  std::istringstream lines(text);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    std::istringstream parts(line);
    std::string words, word;
    while (parts >> word) words += (words.empty() ? "" : " ") + word;
    if (says_something(words)) found.push_back({number, words});
  }
  return found;
}

/// "a.cpp:3 and b.cpp:40: ..." for every run of more than kMaxEqualLines lines that is there twice.
std::vector<std::string> repetitions(const std::vector<SourceText>& sources) {
  std::map<std::string, std::string> first_place;
  std::vector<std::string> found;
  for (const SourceText& source : sources) {
    const std::vector<SourceLine> lines = telling_lines(source.text);
    bool in_repetition = false;  // of a longer run only the start is told
    for (std::size_t i = 0; i + kMaxEqualLines < lines.size(); ++i) {
      std::string run;
      for (std::size_t j = i; j <= i + kMaxEqualLines; ++j) run += lines[j].words + "\n";
      const std::string here = source.name + ":" + std::to_string(lines[i].number);
      const auto [place, is_new] = first_place.emplace(run, here);
      if (!is_new && !in_repetition) {
        found.push_back(place->second + " and " + here + ": " + lines[i].words);
      }
      in_repetition = !is_new;
    }
  }
  return found;
}

std::string counted_lines(std::size_t count, const std::string& indent) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += indent + "line " + std::to_string(i) + ";\n\n" + indent + "}\n";
  }
  return text;
}

TEST(RepetitionFinder, SeesALongRunWhateverItsIndentation) {
  const std::string run = counted_lines(kMaxEqualLines + 3, "");
  EXPECT_THAT(repetitions({{"a.cpp", "first\n" + run}, {"b.cpp", counted_lines(15, "    ")}}),
              ElementsAre(HasSubstr("a.cpp:2 and b.cpp:1: line 0;")));
  EXPECT_THAT(repetitions({{"a.cpp", run + "between\n" + run}}), ElementsAre(HasSubstr("a.cpp:1")));
}

TEST(RepetitionFinder, AllowsAShortRunAndCommonIncludes) {
  EXPECT_THAT(repetitions({{"a.cpp", counted_lines(kMaxEqualLines, "")},
                           {"b.cpp", counted_lines(kMaxEqualLines, "")}}),
              IsEmpty());
  std::string includes;
  for (int i = 0; i < 20; ++i) includes += "#include <header" + std::to_string(i) + ">\n";
  EXPECT_THAT(repetitions({{"a.cpp", includes}, {"b.cpp", includes}}), IsEmpty());
}

TEST(Sources, NothingLongIsSaidTwice) {
  const std::filesystem::path tree = CREDENCE_SOURCE_DIR;
  std::vector<SourceText> sources;
  for (const char* folder : {"src", "cli", "python"}) {
    for (const auto& file : files_below(tree / folder, {".cpp", ".hpp", ".inl", ".py"})) {
      if (file.string().find("/tests/") != std::string::npos) continue;
      sources.push_back({std::filesystem::relative(file, tree), read_file(file)});
    }
  }
  ASSERT_GT(sources.size(), 100u);
  for (const std::string& repetition : repetitions(sources)) ADD_FAILURE() << repetition;
}

}  // namespace
}  // namespace credence::architecture
