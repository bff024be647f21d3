#include "credence/output.hpp"
#include "unit/io/files.hpp"

namespace credence::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace credence::test;

/// The journal of three finished settings, as an interruption leaves it.
std::string three_lines(const TempDir& dir) {
  Journal journal(dir.path("a.journal"), "the work");
  for (const char* line : {"{\"nll\": 0.25}", "{\"nll\": 0.5}", "{\"nll\": 0.75}"}) {
    journal.add(line);
  }
  return dir.read("a.journal");
}

TEST(Journal, FinishedLinesComeBackAndALineThatWasCutOffDoesNot) {
  const TempDir dir;
  const std::string whole = three_lines(dir);
  dir.write("a.journal", whole.substr(0, whole.size() - 3));
  const Journal journal(dir.path("a.journal"), "the work");
  EXPECT_THAT(journal.finished(), ElementsAre("{\"nll\": 0.25}", "{\"nll\": 0.5}"));
  EXPECT_EQ(journal.damaged(), 0u);
}

TEST(Journal, NoChangedByteGivesAnotherNumber) {
  const TempDir dir;
  const std::string whole = three_lines(dir);
  const std::size_t first = whole.find('\n') + 1;
  for (std::size_t at = first; at < whole.size(); ++at) {
    for (const char changed : {'0', '9', 'e', '\n', '\0'}) {
      if (whole[at] == changed) continue;
      std::string bytes = whole;
      bytes[at] = changed;
      dir.write("a.journal", bytes);
      const Journal journal(dir.path("a.journal"), "the work");
      EXPECT_EQ(journal.finished().size(), whole[at] == '\n' && at + 1 < whole.size() ? 1u : 2u);
      for (const std::string& line : journal.finished()) {
        EXPECT_NE(whole.find(" " + line + "\n"), std::string::npos) << line;
      }
    }
  }
}

TEST(Journal, LinesOfAnEarlierVersionHaveNoChecksumAndAreCountedAsDamaged) {
  const TempDir dir;
  dir.write("a.journal", "the work\n{\"nll\": 0.25}\n{\"nll\": 0.5}\n");
  const Journal journal(dir.path("a.journal"), "the work");
  EXPECT_THAT(journal.finished(), IsEmpty());
  EXPECT_EQ(journal.damaged(), 2u);
}

TEST(Journal, OfOtherWorkIsRefused) {
  const TempDir dir;
  three_lines(dir);
  EXPECT_THAT(caught([&] { Journal(dir.path("a.journal"), "other work"); }).text,
              HasSubstr("other data or options"));
}

}  // namespace
}  // namespace credence::io
