// Input that can be read only once: standard input and named pipes.
#include <gmock/gmock.h>

#include "cli/program.hpp"

namespace credence::cli_test {
namespace {

using ::testing::HasSubstr;

class Pipes : public ProgramTest {
 protected:
  Pipes() {
    std::string lines, array = "[\n", answers = "{";
    for (std::size_t i = 0; i < kCounts.size(); ++i) {
      const auto& counts = kCounts[i];
      const std::string record = "{\"votes\": [" + std::to_string(counts[0]) + ", " +
                                 std::to_string(counts[1]) + ", " + std::to_string(counts[2]) +
                                 "]}";
      lines += record + "\n";
      array += (i == 0 ? "" : ",\n") + record;
      answers += std::string(i == 0 ? "" : ",") + "\n\"" + std::to_string(i) +
                 "\": {\"w\": " + std::to_string(i % 3) + "}";
    }
    write("lines.jsonl", lines);
    write("array.json", array + "\n]\n");
    write("answers.json", answers + "\n}\n");
    std::vector<float> numbers;
    std::string table;
    for (const auto& counts : kCounts) {
      for (std::size_t k = 0; k < 3; ++k) {
        numbers.push_back(static_cast<float>(counts[k]));
        table += std::to_string(counts[k]) + (k == 2 ? "\n" : ",");
      }
    }
    write("counts.npy", npy("<f4", "(8, 3)", floats(numbers)));
    write("counts.csv", table);
  }

  /// What `inspect` understood of the votes, without the name of their file.
  std::string inspect(const std::string& votes, const std::string& feed = "") const {
    const Outcome outcome =
        shell(feed + "credence inspect --logits logits.npy --format json --votes " + votes +
              " | sed -e 's#\"/dev/[^\"]*\"#FILE#' -e 's#\"-\"#FILE#'");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("\"votes\"")) << outcome.err;
    return outcome.out.substr(outcome.out.find("\"votes\""));
  }

  inline static const std::vector<std::vector<int>> kCounts{
      {3, 1, 0}, {2, 2, 0}, {0, 4, 0}, {0, 1, 3}, {2, 2, 1}, {4, 0, 0}, {0, 0, 4}, {1, 3, 0}};
};

TEST_F(Pipes, VotesOfEveryFormComeThroughStandardInputAndNamedPipes) {
  for (const std::string name :
       {"counts.csv", "counts.npy", "lines.jsonl", "array.json", "answers.json"}) {
    const std::string from_file = inspect(name);
    EXPECT_EQ(inspect("-", "cat " + name + " | "), from_file) << name;
    EXPECT_EQ(inspect("-", "gzip -c " + name + " | "), from_file) << name;
    EXPECT_EQ(inspect("pipe", "mkfifo pipe; cat " + name + " > pipe & "), from_file) << name;
    fs::remove(file("pipe"));
  }
}

TEST_F(Pipes, GroupsComeThroughStandardInput) {
  const Outcome outcome = shell(
      "seq 8 | credence inspect --logits logits.npy --votes counts.csv --groups - --format json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

/// Who has read enough goes, although the input has not ended.
TEST_F(Pipes, ApplyEndsWithItsReaderAndDoesNotWaitForIdleInput) {
  fit_model();
  // What feeds it keeps the pipe open for longer than this waits, and holds no output of the test.
  const Outcome outcome = shell(
      "(yes 1.5,2.5,3.5 | head -400000; exec sleep 40) 2> /dev/null | "
      "(credence apply model.json --logits - -o - --threads 2 2> /dev/null; echo $? > code) | "
      "head -1 > first & "
      "for i in $(seq 200); do [ -s code ] && break; sleep 0.1; done; cat first code");
  EXPECT_THAT(outcome.out, HasSubstr("\n0\n")) << outcome.out << outcome.err;
}

TEST_F(Pipes, StandardInputIsNamedOnceAmongAllInputs) {
  fit_model();
  const std::vector<std::vector<std::string>> twice{
      {"inspect", "--logits", "logits.npy", "--votes", "-", "--groups", "-"},
      {"inspect", "--logits", "logits.npy", "--votes", "counts.csv", "--groups", "-", "--rows",
       "-"},
      {"inspect", "--logits", "-", "--votes", "counts.csv", "--groups", "-"},
      {"apply", "-", "--logits", "logits.npy", "-o", "-", "--rows", "-"},
      {"apply", "model.json", "--logits", "-", "-o", "-", "--skip-rows", "-"},
      {"evaluate", "-", "--logits", "logits.npy", "--votes", "-"},
      {"evaluate", "-", "--logits", "logits.npy", "--votes", "counts.csv", "--groups", "-"},
  };
  for (const auto& arguments : twice) {
    const Outcome outcome = run(arguments, "0\n");
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("standard input ('-') is named twice"));
  }
}

TEST_F(Pipes, MessagesCallStandardInputByName) {
  const Outcome outcome = run({"inspect", "--logits", "logits.npy", "--votes", "-"},
                              "3,1,0\n3,1,nan\n3,1,0\n3,1,0\n3,1,0\n3,1,0\n3,1,0\n3,1,0\n");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("standard input:2: row 1, column 2"));
}

}  // namespace
}  // namespace credence::cli_test
