// What can be wrong with files and command lines. Each gives exit code 1 or 2, one message that
// names the place, a hint that names the way out, and leaves nothing behind.
#include <gmock/gmock.h>
#include <zlib.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace credence::cli_test {
namespace {

using Arguments = std::vector<std::string>;

struct BadInput {
  std::string name;
  int code;
  Arguments arguments;
  /// Words of the message: the place, and what was found there.
  std::vector<std::string> says;
  /// Files of this case, by name.
  std::vector<std::pair<std::string, std::string>> files = {};
};

void PrintTo(const BadInput& bad, std::ostream* out) { *out << bad.name; }

std::string gzip(const std::string& text) {
  std::string out(compressBound(text.size()) + 64, '\0');
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string little_endian(std::size_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
  return out;
}

/// An .npz archive (a zip file, nothing compressed) with one member.
std::string npz(const std::string& name, const std::string& content) {
  const auto* bytes = reinterpret_cast<const Bytef*>(content.data());
  const std::size_t checksum = crc32(0, bytes, static_cast<uInt>(content.size()));
  const std::string common = std::string("\x14\0\0\0\0\0\0\0\0\0", 10) +
                             little_endian(checksum, 4) + little_endian(content.size(), 4) +
                             little_endian(content.size(), 4) + little_endian(name.size(), 2) +
                             little_endian(0, 2);
  const std::string local = "PK\x03\x04" + common + name + content;
  const std::string central =
      std::string("PK\x01\x02\x14\0", 6) + common + std::string(14, '\0') + name;
  return local + central + std::string("PK\x05\x06\0\0\0\0\x01\0\x01\0", 12) +
         little_endian(central.size(), 4) + little_endian(local.size(), 4) + little_endian(0, 2);
}

Arguments fit(const std::string& scores, const std::string& votes, const Arguments& more = {}) {
  Arguments arguments{"fit", "-m", "slts", "--logits", scores, "--votes", votes, "-o", "out.json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

Arguments apply(const std::string& scores, const std::string& output = "out.npy") {
  return {"apply", "model.json", "--logits", scores, "-o", output};
}

Arguments evaluate(const std::string& model) {
  return {"evaluate", model, "--logits", "logits.npy", "--votes", "votes.csv"};
}

const std::string kSeven = "9,1,2\n9,1,2\n9,1,2\n9,1,2\n9,1,2\n9,1,2\n9,1,2\n";

std::vector<BadInput> scores_on_disk() {
  const std::string whole = npy("<f4", "(8, 3)", std::string(96, '\0'));
  return {
      {"MissingFile", 1, fit("missing.npy", "votes.csv"), {"missing.npy"}},
      {"Directory", 1, fit("folder", "votes.csv"), {"folder", "directory"}},
      {"EmptyNpy", 1, fit("empty.npy", "votes.csv"), {"empty.npy"}, {{"empty.npy", ""}}},
      {"EmptyCsv", 1, fit("empty.csv", "votes.csv"), {"empty.csv"}, {{"empty.csv", ""}}},
      {"TruncatedNpy",
       1,
       fit("cut.npy", "votes.csv"),
       {"cut.npy"},
       {{"cut.npy", whole.substr(0, whole.size() - 10)}}},
      {"TruncatedNpyHeader",
       1,
       fit("cut.npy", "votes.csv"),
       {"cut.npy"},
       {{"cut.npy", whole.substr(0, 30)}}},
      {"NpyThatClaimsTooManyRows",
       1,
       fit("huge.npy", "votes.csv"),
       {"huge.npy"},
       {{"huge.npy", npy("<f4", "(1152921504606846976, 3)", std::string(96, '\0'))}}},
      {"NpyWhoseSizeOverflows",
       1,
       fit("huge.npy", "votes.csv"),
       {"huge.npy"},
       {{"huge.npy", npy("<f4", "(6148914691236517206, 3)", std::string(96, '\0'))}}},
      {"NotNpyAtAll", 1, fit("text.npy", "votes.csv"), {"text.npy"}, {{"text.npy", "1,2,3\n"}}},
      {"ObjectNpy",
       1,
       fit("object.npy", "votes.csv"),
       {"object.npy", "object"},
       {{"object.npy", npy("|O", "(8, 3)", "\x80\x04pickle")}}},
      {"PickledNpy",
       1,
       fit("pickle.npy", "votes.csv"),
       {"pickle.npy"},
       {{"pickle.npy", std::string("\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00", 11)}}},
      {"StringNpy",
       1,
       fit("words.npy", "votes.csv"),
       {"words.npy"},
       {{"words.npy", npy("<U4", "(8, 3)", std::string(384, '\0'))}}},
      {"NpyOfRankThree",
       1,
       fit("cube.npy", "votes.csv"),
       {"cube.npy"},
       {{"cube.npy", npy("<f4", "(2, 4, 3)", std::string(96, '\0'))}}},
      {"NpzWithoutTheMember",
       1,
       fit("a.npz:logits", "votes.csv"),
       {"a.npz", "no array named 'logits'"},
       {{"a.npz", npz("scores.npy", whole)}}},
      {"CorruptGzip",
       1,
       fit("a.csv.gz", "votes.csv"),
       {"a.csv.gz"},
       {{"a.csv.gz", gzip(kSeven).substr(0, 25)}}},
      {"RaggedCsv",
       1,
       fit("ragged.csv", "votes.csv"),
       {"ragged.csv:3"},
       {{"ragged.csv", "3,1,2\n3,1,2\n1,2\n"}}},
      {"CellThatIsNoNumber",
       1,
       fit("word.csv", "votes.csv"),
       {"word.csv:2", "two"},
       {{"word.csv", "3,1,2\n1,two,3\n"}}},
      {"BrokenJsonLine",
       1,
       fit("bad.jsonl", "votes.csv"),
       {"bad.jsonl:2"},
       {{"bad.jsonl", "{\"logits\": [1,2,3]}\n{\"logits\": [1,2\n"}}},
  };
}

std::vector<BadInput> values_of_scores() {
  return {
      {"NotANumberInScores",
       1,
       fit("nan.csv", "votes.csv"),
       {"nan.csv", "row 7", "column 1", "nan"},
       {{"nan.csv", kSeven + "1,nan,3\n"}}},
      {"InfinityInScores",
       1,
       fit("inf.csv", "votes.csv"),
       {"inf.csv", "row 7", "column 2", "inf"},
       {{"inf.csv", kSeven + "1,2,inf\n"}}},
      {"ProbabilitiesThatAreLogits",
       1,
       {"evaluate", "--probs", "logits.csv", "--votes", "votes.csv"},
       {"logits.csv", "row 0"}},
      {"ProbabilitiesThatDoNotSumToOne",
       1,
       {"evaluate", "--probs", "half.csv", "--votes", "votes.csv"},
       {"half.csv", "row 0"},
       {{"half.csv", "0.2,0.2,0.1\n"}}},
      {"ApplyToANotANumber",
       1,
       apply("nan.csv"),
       {"nan.csv", "row 2"},
       {{"nan.csv", "3,1,2\n3,1,2\nnan,2,3\n"}}},
  };
}

std::vector<BadInput> votes_on_disk() {
  std::vector<float> with_nan(24, 1.0F);
  with_nan[22] = NAN;
  return {
      {"NegativeVotes",
       1,
       fit("logits.npy", "v.csv"),
       {"v.csv", "-1"},
       {{"v.csv", kSeven + "3,-1,3\n"}}},
      {"NotANumberInVotes",
       1,
       fit("logits.npy", "v.npy"),
       {"v.npy", "row 7", "nan"},
       {{"v.npy", npy("<f4", "(8, 3)", floats(with_nan))}}},
      {"ExampleWithoutVotes",
       1,
       fit("logits.npy", "v.csv"),
       {"v.csv"},
       {{"v.csv", kSeven + "0,0,0\n"}}},
      {"LabelOutOfRange",
       1,
       {"fit", "-m", "ts", "--logits", "logits.npy", "--labels", "l.csv", "-o", "out.json"},
       {"l.csv", "3"},
       {{"l.csv", "0\n1\n2\n3\n0\n0\n0\n0\n"}}},
      {"OtherNumberOfRows", 1, fit("logits.npy", "v.csv"), {"7", "8"}, {{"v.csv", kSeven}}},
      {"OtherNumberOfClasses",
       1,
       fit("logits.npy", "v.csv"),
       {"4", "3"},
       {{"v.csv", "1,2,3,0\n1,2,3,0\n1,2,3,0\n1,2,3,0\n1,2,3,0\n1,2,3,0\n1,2,3,0\n1,2,3,1\n"}}},
      {"DuplicateIds",
       1,
       fit("s.csv", "v.csv"),
       {"x1"},
       {{"s.csv", "id,a,b\nx1,1,2\nx1,2,1\nx2,2,1\n"}, {"v.csv", "id,a,b\nx1,1,2\nx2,2,1\n"}}},
      {"UnmatchedIds",
       1,
       fit("s.csv", "v.csv"),
       {"x2"},
       {{"s.csv", "id,a,b\nx1,1,2\nx2,2,1\n"}, {"v.csv", "id,a,b\nx1,1,2\nx3,2,1\n"}}},
      {"OtherClassNames",
       1,
       fit("s.csv", "v.csv"),
       {"c"},
       {{"s.csv", "id,a,b\nx1,1,2\nx2,2,1\n"}, {"v.csv", "id,a,c\nx1,1,2\nx2,2,1\n"}}},
      {"RowListOutOfRange",
       1,
       fit("logits.npy", "votes.csv", {"--rows", "rows.txt"}),
       {"rows.txt", "8"},
       {{"rows.txt", "0\n8\n"}}},
      {"RowListThatIsNone",
       1,
       fit("logits.npy", "votes.csv", {"--skip-rows", "rows.txt"}),
       {"rows.txt", "first"},
       {{"rows.txt", "first\n"}}},
      {"EvidenceThatDoesNotSuffice",
       1,
       {"fit", "-m", "slts", "--logits", "logits.npy", "--labels", "labels.csv", "-o", "out.json"},
       {"slts"}},
      {"WrongNumberOfClassNames",
       1,
       fit("logits.npy", "votes.csv", {"--classes", "a,b"}),
       {"2", "3"}},
  };
}

std::vector<BadInput> models() {
  return {
      {"MissingModel", 1, evaluate("none.json"), {"none.json"}},
      {"TruncatedModel", 1, evaluate("cut.json"), {"cut.json"}, {{"cut.json", "{\"format\": "}}},
      {"ModelOfAnotherVersion", 1, evaluate("version.json"), {"version.json", "version"}},
      {"ModelWithAnUnknownKey", 1, evaluate("key.json"), {"key.json", "surprise"}},
      {"ModelForOtherClasses",
       1,
       apply("two.csv"),
       {"model.json", "3", "two.csv", "2"},
       {{"two.csv", "1,2\n"}}},
      {"SomeOtherJson", 1, evaluate("other.json"), {"other.json"}, {{"other.json", "{\"a\": 1}"}}},
  };
}

std::vector<BadInput> outputs() {
  return {
      {"FullDiskForTheModel",
       1,
       {"fit", "-m", "ts", "--logits", "logits.npy", "--votes", "votes.csv", "-o", "/dev/full"},
       {"/dev/full", "No space left"}},
      {"FullDiskForProbabilities",
       1,
       {"apply", "model.json", "--logits", "logits.npy", "-o", "/dev/full", "--output-format",
        "csv"},
       {"/dev/full", "No space left"}},
      {"OutputInAMissingFolder", 1, apply("logits.npy", "nowhere/out.npy"), {"nowhere/out.npy"}},
      {"OutputBelowAFile", 1, apply("logits.npy", "logits.csv/out.npy"), {"logits.csv/out.npy"}},
      // Not even root can create a file there.
      {"UnwritableFolder",
       1,
       {"fit", "-m", "ts", "--logits", "logits.npy", "--votes", "votes.csv", "-o",
        "/proc/out.json"},
       {"/proc/out.json"}},
      {"OutputThatIsTheInput", 2, apply("logits.npy", "./logits.npy"), {"logits.npy", "written"}},
      {"OutputThatIsTheVotes",
       2,
       {"fit", "-m", "ts", "--logits", "logits.npy", "--votes", "votes.csv", "-o", "votes.csv"},
       {"votes.csv", "written"}},
      {"OutputIsAFolder", 1, apply("logits.npy", "folder.npy"), {"folder.npy", "directory"}},
  };
}

std::vector<BadInput> command_lines() {
  return {
      {"UnknownVerb", 2, {"calibrate"}, {"'calibrate'"}},
      {"NoVerb", 2, {}, {"no verb"}},
      {"UnknownOption",
       2,
       fit("logits.npy", "votes.csv", {"--thread", "2"}),
       {"'--thread'", "'--threads'"}},
      {"UnknownMethod",
       2,
       {"fit", "-m", "dirichlet-sotf", "--logits", "logits.npy", "--votes", "votes.csv", "-o", "m"},
       {"'dirichlet-sotf'", "'dirichlet-soft'"}},
      {"UnknownTarget",
       2,
       {"fit", "-m", "anotators+matrix", "--logits", "logits.npy", "--votes", "votes.csv", "-o",
        "m"},
       {"'anotators'", "'annotators'"}},
      {"NoMethod",
       2,
       {"fit", "--logits", "logits.npy", "--votes", "votes.csv", "-o", "m"},
       {"no method"}},
      {"NoOutputForFit",
       2,
       {"fit", "-m", "slts", "--logits", "logits.npy", "--votes", "votes.csv"},
       {"no output"}},
      {"NoOutputForApply", 2, {"apply", "model.json", "--logits", "logits.npy"}, {"no output"}},
      {"OutputOfUnknownFormat", 2, apply("logits.npy", "out.xlsx"), {"'out.xlsx'"}},
      {"NoScores", 2, {"fit", "-m", "slts", "--votes", "votes.csv", "-o", "m"}, {"no score file"}},
      {"TwoKindsOfScores",
       2,
       fit("logits.npy", "votes.csv", {"--probs", "probs.csv"}),
       {"--logits", "--probs"}},
      {"VotesAndLabels",
       2,
       fit("logits.npy", "votes.csv", {"--labels", "labels.csv"}),
       {"--votes", "--labels"}},
      {"NoAnnotations",
       2,
       {"fit", "-m", "slts", "--logits", "logits.npy", "-o", "m"},
       {"'slts'", "annotations"}},
      {"NothingToScoreAgainst", 2, {"evaluate", "--probs", "probs.csv"}, {"no annotations"}},
      {"StandardInputTwice", 2, fit("-", "-"), {"standard input"}},
      {"OptionWithoutEffect",
       2,
       fit("logits.npy", "votes.csv", {"--lambda", "0.1"}),
       {"--lambda", "'slts'"}},
      {"ValueOutOfRange", 2, fit("logits.npy", "votes.csv", {"--bins", "0"}), {"--bins", "'0'"}},
      {"ValueThatIsNoNumber",
       2,
       fit("logits.npy", "votes.csv", {"--seed", "today"}),
       {"--seed", "'today'"}},
      {"OptionWithoutValue", 2, fit("logits.npy", "votes.csv", {"--seed"}), {"--seed"}},
      {"FormatThatDoesNotExist",
       2,
       fit("logits.npy", "votes.csv", {"--format", "xml"}),
       {"--format", "xml"}},
      {"MethodWithoutQuotes",
       2,
       {"fit", "-m", "dirichlet-soft", "then", "ts", "--logits", "logits.npy", "-o", "m"},
       {"'then'"}},
  };
}

std::vector<BadInput> everything() {
  std::vector<BadInput> all;
  for (const auto& part : {scores_on_disk(), values_of_scores(), votes_on_disk(), models(),
                           outputs(), command_lines()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

class BadInputs : public ProgramTest, public ::testing::WithParamInterface<BadInput> {
 protected:
  BadInputs() {
    fit_model();
    fs::create_directory(file("folder"));
    fs::create_directory(file("folder.npy"));
    auto model = nlohmann::ordered_json::parse(text_of("model.json"));
    model["surprise"] = 1;
    write("key.json", model.dump());
    model.erase("surprise");
    model["version"] = 999;
    write("version.json", model.dump());
    for (const auto& [name, content] : GetParam().files) write(name, content);
  }
};

TEST_P(BadInputs, GiveOneMessageWithPlaceAndWayOutAndLeaveNothing) {
  const BadInput& bad = GetParam();
  const std::set<std::string> before = files_in(folder_);
  const Outcome outcome = run(bad.arguments);
  EXPECT_EQ(outcome.signal, 0);
  EXPECT_EQ(outcome.code, bad.code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(files_in(folder_), before);

  RecordProperty("message", outcome.err);
  std::size_t errors = 0, hints = 0;
  std::istringstream lines(outcome.err);
  for (std::string line; std::getline(lines, line);) {
    errors += line.rfind("credence: error: ", 0) == 0;
    hints += line.rfind("  hint: ", 0) == 0;
  }
  EXPECT_EQ(errors, 1U) << outcome.err;
  EXPECT_EQ(hints, 1U) << outcome.err;
  const std::string message = outcome.err.substr(0, outcome.err.find("\n  hint: "));
  for (const std::string& word : bad.says) EXPECT_THAT(message, ::testing::HasSubstr(word));
}

INSTANTIATE_TEST_SUITE_P(Of, BadInputs, ::testing::ValuesIn(everything()),
                         [](const auto& test) { return test.param.name; });

TEST_F(ProgramTest, MissingEvidenceNamesAMethodThatTheEvidenceAllows) {
  const Outcome outcome = run(
      {"fit", "-m", "slts", "--logits", "logits.npy", "--labels", "labels.csv", "-o", "out.json"});
  EXPECT_THAT(outcome.err,
              ::testing::AnyOf(::testing::HasSubstr("'ts'"), ::testing::HasSubstr("ls-ts")));
}

TEST_F(ProgramTest, AMethodWithoutItsOptionIsShownItsPlace) {
  const Outcome outcome = run({"fit", "slts", "--logits", "logits.npy", "--votes", "votes.csv"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, ::testing::HasSubstr("'slts'"));
  EXPECT_THAT(outcome.err, ::testing::HasSubstr("hint: the method stands behind its option: "
                                                "--method slts"));
}

TEST_F(ProgramTest, FullStandardOutputIsAnError) {
  for (const std::string command : {"methods", "completion bash", "demo --rows 100"}) {
    const Outcome outcome = shell("credence " + command + " > /dev/full");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, ::testing::HasSubstr("standard output"));
  }
}

}  // namespace
}  // namespace credence::cli_test
