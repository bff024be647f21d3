// Results arrive whole, where they were asked for, and cannot take over a terminal.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "cli/program.hpp"

namespace credence::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Output : public ProgramTest {
 protected:
  Output() {
    fit_model();
    EXPECT_EQ(run({"demo", "--rows", "200", "-o", "demo"}).code, 0);
    EXPECT_EQ(shell("credence compare " + kDemo + " -o results --resamples 20").code, 0);
  }

  /// Every verb that writes a file or a folder and also prints, without the place for the output.
  static std::vector<std::string> writing_verbs() {
    return {"demo --rows 100",
            "simulate toy --points 50 --epochs 1",
            "simulate annotators --labels labels.csv --confusion confusion.csv",
            "fit -m slts --logits logits.npy --votes votes.csv",
            "compare --resamples 20 " + kDemo,
            "compare --resamples 20 --format json " + kDemo,
            "ablate --study smoothing --seeds 1 " + kDemo,
            "plan " + kDemo,
            "report results",
            "report results --figures figures",
            "export model.json"};
  }
  /// As the verb wants its output to be called.
  static std::string place_for(const std::string& verb) {
    const bool folder = verb.starts_with("demo") || verb.starts_with("simulate toy") ||
                        verb.starts_with("compare") || verb.starts_with("ablate");
    if (folder) return " -o new/place";
    if (verb.starts_with("export")) return " -o place.onnx";
    return verb.starts_with("simulate") ? " -o place.csv" : " -o place.json";
  }
  void write_confusion() const { write("confusion.csv", "0.8,0.1,0.1\n0.1,0.8,0.1\n0,0,1\n"); }

  inline static const std::string kDemo = "--logits demo/logits.npy --votes demo/votes.csv";
};

TEST_F(Output, NothingAppearsWhenStandardOutputIsFull) {
  write_confusion();
  std::set<std::string> before = files_in(folder_);
  for (const std::string& verb : writing_verbs()) {
    const Outcome outcome = shell("credence " + verb + place_for(verb) + " > /dev/full");
    EXPECT_EQ(outcome.code, 1) << verb;
    EXPECT_THAT(outcome.err, HasSubstr("standard output: No space left on device")) << verb;
    // Finished work stays, so that the next run need not repeat it.
    if (verb.starts_with("ablate")) before.insert({"new", "new/place", "new/place/ablate.journal"});
    EXPECT_EQ(files_in(folder_), before) << verb;
    if (verb.starts_with("ablate")) {
      fs::remove_all(file("new"));
      before = files_in(folder_);
    }
  }
}

TEST_F(Output, AppearsWhenTheReaderOfStandardOutputHasSeenEnough) {
  write_confusion();
  for (const std::string& verb : writing_verbs()) {
    const std::size_t before = files_in(folder_).size();
    // Nobody reads the pipe by the time the verb writes to it.
    const Outcome outcome =
        shell("{ sleep 0.2; credence " + verb + place_for(verb) + "; echo $? > code; } | true");
    EXPECT_EQ(text_of("code"), "0\n") << verb << outcome.err;
    EXPECT_THAT(outcome.err, Not(HasSubstr("error"))) << verb;
    fs::remove(file("code"));
    EXPECT_GT(files_in(folder_).size(), before) << verb;
    fs::remove_all(file("new"));
    fs::remove_all(file("figures"));
    for (const char* name :
         {"place.json", "place.csv", "place.onnx", "place.check.npz", "place.check.py"}) {
      fs::remove(file(name));
    }
  }
}

TEST_F(Output, FilesAreTheSameWithStandardStreamsClosed) {
  const std::string fit = "credence fit -m slts --logits logits.npy --votes votes.csv -o ";
  for (const std::string closed : {"<&-", "2>&-", "<&- 2>&-"}) {
    const Outcome outcome = shell(fit + "closed.json " + closed);
    EXPECT_EQ(outcome.code, 0) << closed << outcome.err;
    EXPECT_EQ(text_of("closed.json"), text_of("model.json")) << closed;
    fs::remove(file("closed.json"));
  }
  for (const std::string closed : {">&-", "<&- >&-", "<&- >&- 2>&-"}) {
    EXPECT_EQ(shell(fit + "closed.json " + closed).code, 1) << closed;
    EXPECT_FALSE(fs::exists(file("closed.json"))) << closed;
  }
}

TEST_F(Output, SymbolicLinksStayWhetherTheirTargetExistsOrNot) {
  fs::create_directory(file("elsewhere"));
  fs::create_symlink("elsewhere/target.json", file("link.json"));
  fs::create_symlink("link.json", file("second.json"));
  for (const char* through : {"second.json", "link.json"}) {
    const Outcome outcome =
        run({"fit", "-m", "slts", "--logits", "logits.npy", "--votes", "votes.csv", "-o", through});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(fs::is_symlink(file("link.json")));
    EXPECT_TRUE(fs::is_symlink(file("second.json")));
    EXPECT_EQ(text_of("elsewhere/target.json"), text_of("model.json"));
  }
  fs::create_symlink("nowhere/target.json", file("lost.json"));
  const Outcome outcome = run(
      {"fit", "-m", "slts", "--logits", "logits.npy", "--votes", "votes.csv", "-o", "lost.json"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("nowhere does not exist"));
  EXPECT_TRUE(fs::is_symlink(file("lost.json")));
}

// -------------------------------------------------------------- text from elsewhere

/// Escape, bell, delete, a C1 control sequence introducer in UTF-8, a right-to-left override.
const std::string kNasty = "\x1b[31m\x07\x7f\xc2\x9b\xe2\x80\xae";

/// What only a program may write to a terminal.
bool is_plain(const std::string& text) {
  const bool controls = std::ranges::any_of(
      text, [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7f; });
  return !controls && text.find("\xc2\x9b") == std::string::npos &&
         text.find("\xe2\x80\xae") == std::string::npos;
}

TEST_F(Output, NamesFromFilesCannotControlTheTerminal) {
  const std::string nasty = "n" + kNasty;
  const fs::path place = file(nasty);
  fs::create_directory(place);
  std::string header, line_break = "\"a\nb\"";
  for (const char* name : {"x", "y"}) header += name + kNasty + ",";
  header += line_break + "\n";
  std::string long_votes = "example,annotator,label\n";
  for (int i = 0; i < 8; ++i) {
    for (const char* who : {"p", "q"}) {
      long_votes += "id" + std::to_string(i) + kNasty + "," + who + kNasty + "," +
                    (i % 2 == 0 ? "x" : "y") + kNasty + "\n";
    }
  }
  // Three times the eight examples: a plan wants 20.
  for (const std::string name : {"votes.csv", "logits.csv"}) {
    const std::string rows = text_of(name);
    write_file(place / name, header + rows + rows + rows);
  }
  write_file(place / "long.csv", long_votes);
  write_file(place / "bad.csv", header + "1,nan,0\n2,nan,0\n");
  write_file(place / "labels.csv", "label\nx" + kNasty + "\ny" + kNasty + "\n");
  write_file(place / "confusion.csv", header + "0.8,0.1,0.1\n0.1,0.8,0.1\n0,0,1\n");

  const auto in = [&](const std::string& name) { return nasty + "/" + name; };
  const auto with_data = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--logits", in("logits.csv"), "--votes", in("votes.csv")});
    return words;
  };
  struct Case {
    std::vector<std::string> words;
    int code = 0;
  };
  const std::vector<Case> cases{
      {with_data({"inspect"})},
      {{"inspect", "--votes", in("long.csv")}},
      {{"inspect", "--logits", in("bad.csv")}, 1},
      {with_data({"fit", "-m", "slts", "-o", in("model.json")})},
      {with_data({"fit", "-m", "slts", "-o", "-"})},
      {with_data({"evaluate", in("model.json"), "--reliability"})},
      {with_data({"compare", "--resamples", "20", "--report", "-o", in("results")})},
      {with_data({"compare", "--resamples", "20", "--format", "markdown"})},
      {with_data({"ablate", "--study", "smoothing", "--seeds", "1", "-o", in("ablation")})},
      {with_data({"plan", "-o", in("plan.json")})},
      {with_data({"plan", "--format", "markdown"})},
      {{"report", in("results"), "--figures", in("figures")}},
      {{"apply", in("model.json"), "--logits", "logits.npy", "-o", in("out.npy")}},
      {{"export", in("model.json"), "-o", in("model.onnx"), "--card", in("card.md")}},
      {{"simulate", "annotators", "--labels", in("labels.csv"), "--confusion", in("confusion.csv"),
        "-o", in("simulated.csv")}},
      {{"simulate", "toy", "--points", "50", "--epochs", "1", "-o", in("toy")}},
      {{"demo", "--rows", "100", "-o", in("demo")}},
      {{"fit", "-m", nasty, "-o", "x"}, 2},
      {{"apply", in("nowhere.json"), "--logits", "logits.npy", "-o", "x.npy"}, 1},
      {{nasty}, 2}};
  for (const Case& one : cases) {
    const Outcome outcome = run(one.words);
    const std::string what = ::testing::PrintToString(one.words);
    EXPECT_EQ(outcome.code, one.code) << what << outcome.err;
    // A calibrator on standard output is data: its JSON escapes what JSON must.
    const bool data = std::ranges::find(one.words, "-") != one.words.end();
    EXPECT_TRUE(data || is_plain(outcome.out)) << what << outcome.out;
    EXPECT_TRUE(is_plain(outcome.err)) << what << outcome.err;
    EXPECT_TRUE(data || !(outcome.out + outcome.err).empty()) << what;
  }
}

TEST_F(Output, NamesAreShownEscapedAndKeptAsTheyAreInFiles) {
  write("votes.csv", "x\x1b[31m,\xc3\xa9,\"a\nb\"\n" + text_of("votes.csv"));
  const std::vector<std::string> data{"--logits", "logits.npy", "--votes", "votes.csv"};
  std::vector<std::string> inspect{"inspect"}, fit{"fit", "-m", "slts", "-o", "named.json"};
  inspect.insert(inspect.end(), data.begin(), data.end());
  fit.insert(fit.end(), data.begin(), data.end());
  EXPECT_THAT(run(inspect).out, HasSubstr("3 (x\\x1b[31m, \xc3\xa9, a\\x0ab)"));
  ASSERT_EQ(run(fit).code, 0);
  EXPECT_THAT(text_of("named.json"), HasSubstr("x\\u001b[31m"));
  const Outcome applied =
      run({"apply", "named.json", "--logits", "logits.npy", "-o", "-", "--output-format", "csv"});
  EXPECT_THAT(applied.out, ::testing::StartsWith("x\x1b[31m,\xc3\xa9,\"a\nb\"\n"));
}

}  // namespace
}  // namespace credence::cli_test
