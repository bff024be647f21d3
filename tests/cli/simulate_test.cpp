// Annotators simulated from confusion matrices, and the toy.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.hpp"

namespace credence::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::json;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class SimulateAnnotators : public ProgramTest {
 protected:
  SimulateAnnotators() {
    write("named.csv", "id,label\nx1,cat\nx2,dog\nx3,bird\nx4,dog\n");
    write("identity.csv", ",cat,dog,bird\ncat,1,0,0\ndog,0,1,0\nbird,0,0,1\n");
    write("contrary.csv", "cat,dog,bird\n0,1,0\n0,0,1\n1,0,0\n");
    write("unsure.csv", ",cat,dog,bird\ncat,0.5,0.3,0.2\ndog,0.1,0.6,0.3\nbird,0.2,0.2,0.6\n");
  }
  Outcome simulate(std::vector<std::string> more, std::string_view input = {}) const {
    more.insert(more.begin(), {"simulate", "annotators"});
    return run(more, input);
  }
};

TEST_F(SimulateAnnotators, WhoNeverErrAreUnanimous) {
  const Outcome outcome = simulate({"--labels", "named.csv", "--confusion", "identity.csv",
                                    "--annotators", "4", "-o", "out.csv"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(text_of("out.csv"), "id,cat,dog,bird\nx1,4,0,0\nx2,0,4,0\nx3,0,0,4\nx4,0,4,0\n");
  EXPECT_THAT(outcome.out, HasSubstr("4 unanimous"));
}

TEST_F(SimulateAnnotators, EachOnesOwnMatrixInTheOrderGivenOrOfTheNamesInAFolder) {
  const Outcome given = simulate({"--labels", "named.csv", "--confusion", "identity.csv",
                                  "--confusion", "contrary.csv", "--long", "-o", "out.csv"});
  ASSERT_EQ(given.code, 0) << given.err;
  EXPECT_EQ(text_of("out.csv"),
            "example,annotator,label\nx1,a1,cat\nx1,a2,dog\nx2,a1,dog\nx2,a2,bird\n"
            "x3,a1,bird\nx3,a2,cat\nx4,a1,dog\nx4,a2,bird\n");
  fs::create_directory(file("readers"));
  write("readers/1.csv", text_of("identity.csv"));
  write("readers/2.csv", text_of("contrary.csv"));
  const Outcome folder =
      simulate({"--labels", "named.csv", "--confusion", "readers", "--long", "-o", "again.csv"});
  ASSERT_EQ(folder.code, 0) << folder.err;
  EXPECT_EQ(text_of("again.csv"), text_of("out.csv"));
}

TEST_F(SimulateAnnotators, ClassesAreMatchedByName) {
  write("moved.csv", ",bird,cat,dog\nbird,0,1,0\ncat,0,0,1\ndog,1,0,0\n");
  ASSERT_EQ(simulate({"--labels", "named.csv", "--confusion", "moved.csv", "--annotators", "1",
                      "--long", "-o", "moved-votes.csv"})
                .code,
            0);
  ASSERT_EQ(simulate({"--labels", "named.csv", "--confusion", "contrary.csv", "--annotators", "1",
                      "--long", "-o", "votes-of-contrary.csv"})
                .code,
            0);
  EXPECT_EQ(text_of("moved-votes.csv"), text_of("votes-of-contrary.csv"));
}

TEST_F(SimulateAnnotators, ListedClassesSetTheOrderAndNotWhatTheRowsMean) {
  const Outcome listed =
      simulate({"--labels", "named.csv", "--confusion", "contrary.csv", "--vote-classes",
                "Bird,cat,dog", "--annotators", "2", "-o", "out.csv"});
  ASSERT_EQ(listed.code, 0) << listed.err;
  // cat is taken for a dog, dog for a bird, bird for a cat, as without the list.
  EXPECT_EQ(text_of("out.csv"), "id,Bird,cat,dog\nx1,0,0,2\nx2,2,0,0\nx3,0,2,0\nx4,2,0,0\n");
}

TEST_F(SimulateAnnotators, OtherNamesOfTheLabelsStandForTheRowsInOrder) {
  write("latin.csv", "felis\navis\n");
  const Outcome translated =
      simulate({"--labels", "latin.csv", "--confusion", "identity.csv", "--vote-classes",
                "felis,canis,avis", "--annotators", "2", "-o", "out.csv"});
  ASSERT_EQ(translated.code, 0) << translated.err;
  EXPECT_EQ(text_of("out.csv"), "felis,canis,avis\n2,0,0\n0,0,2\n");
  write("vascular.csv", "VASC\nMEL\n");
  const Outcome partly = simulate({"--labels", "vascular.csv", "--confusion", "isic",
                                   "--vote-classes", "MEL,NV,BCC,AK,BKL,DF,VASC,SCC", "-o", "-"});
  ASSERT_EQ(partly.code, 0) << partly.err;
  EXPECT_THAT(partly.out, StartsWith("MEL,NV,BCC,AK,BKL,DF,VASC,SCC\n"));
}

TEST_F(SimulateAnnotators, SameSeedSameBytesOtherSeedOthers) {
  const std::vector<std::string> arguments{"--labels",     "named.csv", "--confusion", "unsure.csv",
                                           "--annotators", "30",        "-o",          "-"};
  const Outcome once = simulate(arguments);
  ASSERT_EQ(once.code, 0) << once.err;
  EXPECT_EQ(simulate(arguments).out, once.out);
  std::vector<std::string> other = arguments;
  other.insert(other.end(), {"--seed", "43"});
  EXPECT_NE(simulate(other).out, once.out);
}

TEST_F(SimulateAnnotators, CountsAndLongTableHoldTheSameVotes) {
  write("eight.csv", "MEL\nNV\nBCC\nAK\nBKL\nDF\nVL\nSCC\n");
  for (const char* form : {"", "--long"}) {
    std::vector<std::string> arguments{"--labels", "eight.csv", "--confusion",
                                       "isic",     "-o",        fmt::format("votes{}.csv", form)};
    if (*form != '\0') arguments.emplace_back(form);
    const Outcome outcome = simulate(arguments);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  const std::vector<std::string> common{"--vote-classes", "MEL,NV,BCC,AK,BKL,DF,VL,SCC", "--format",
                                        "json"};
  std::vector<Json> inspected;
  for (const char* votes : {"votes.csv", "votes--long.csv"}) {
    std::vector<std::string> arguments{"inspect", "--votes", votes};
    arguments.insert(arguments.end(), common.begin(), common.end());
    const Outcome outcome = run(arguments);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    inspected.push_back(Json::parse(outcome.out));
  }
  for (Json& votes : inspected) {
    votes = votes.at("votes");
    for (const char* differs : {"path", "form", "annotators"}) votes.erase(differs);
    EXPECT_TRUE(votes.contains("ties"));
  }
  EXPECT_EQ(inspected[0], inspected[1]);
}

TEST_F(SimulateAnnotators, VotesCanBeFittedTo) {
  ASSERT_EQ(
      simulate({"--labels", "labels.csv", "--confusion", "unsure.csv", "-o", "made.csv"}).code, 0);
  const Outcome fitted = run(
      {"fit", "-m", "slts", "--logits", "logits.npy", "--votes", "made.csv", "-o", "made.json"});
  EXPECT_EQ(fitted.code, 0) << fitted.err;
  ASSERT_EQ(
      simulate({"--labels", "labels.csv", "--confusion", "unsure.csv", "--long", "-o", "long.csv"})
          .code,
      0);
  const Outcome from_long = run({"fit", "-m", "slts", "--logits", "logits.npy", "--votes",
                                 "long.csv", "--classes", "cat,dog,bird", "-o", "long.json"});
  EXPECT_EQ(from_long.code, 0) << from_long.err;
  EXPECT_EQ(Json::parse(text_of("made.json"))["stages"],
            Json::parse(text_of("long.json"))["stages"]);
}

TEST_F(SimulateAnnotators, WorksInAPipe) {
  const Outcome outcome = shell(
      "printf '0\\n2\\n1\\n' | credence simulate annotators --labels - --confusion unsure.csv "
      "--annotators 5 -o - | credence inspect --votes - --format json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["rows"], 3);
}

TEST_F(SimulateAnnotators, RefusedInputLeavesNoOutput) {
  write("negative.csv", ",cat,dog,bird\ncat,1.2,-0.2,0\ndog,0,1,0\nbird,0,0,1\n");
  write("sums.csv", ",cat,dog,bird\ncat,1,0,0\ndog,0,0.9,0\nbird,0,0,1\n");
  write("flat.csv", "cat,dog,bird\n1,0,0\n0,1,0\n");
  write("text.csv", ",cat,dog,bird\ncat,1,0,0\ndog,0,often,0\nbird,0,0,1\n");
  write("two.csv", ",cat,dog\ncat,1,0\ndog,0,1\n");
  write("unnamed.csv", "1,0,0\n0,1,0\n0,0,1\n");
  write("cow.csv", "id,label\nx1,cat\nx2,cow\n");
  struct Bad {
    int code;
    std::vector<std::string> arguments;
    std::string says;
  };
  const std::vector<Bad> all{
      {1,
       {"--labels", "named.csv", "--confusion", "negative.csv"},
       "negative.csv: row 0 ('cat'), column 1 ('dog'): -0.2"},
      {1,
       {"--labels", "named.csv", "--confusion", "sums.csv"},
       "sums.csv: row 1 ('dog'): the answers' probabilities sum to 0.9"},
      {1, {"--labels", "named.csv", "--confusion", "flat.csv"}, "flat.csv: 2 rows and 3 columns"},
      {1, {"--labels", "named.csv", "--confusion", "text.csv"}, "'often' is not a number"},
      {1,
       {"--labels", "named.csv", "--confusion", "two.csv"},
       "'bird' is not one of the 2 classes"},
      {1, {"--labels", "labels.csv", "--confusion", "two.csv"}, "label '2' is out of range"},
      {1, {"--labels", "named.csv", "--confusion", "unnamed.csv"}, "labels are names"},
      {1,
       {"--labels", "cow.csv", "--confusion", "identity.csv"},
       "label 'cow' is not one of the 3 classes"},
      {1, {"--labels", "named.csv", "--confusion", "gone.csv"}, "gone.csv: cannot open"},
      {1, {"--labels", "gone.csv", "--confusion", "isic"}, "gone.csv: cannot open"},
      {1,
       {"--labels", "named.csv", "--confusion", "identity.csv", "--confusion", "isic"},
       "isic: 8 classes, but identity.csv has 3"},
      {2, {"--confusion", "isic"}, "no labels given"},
      {2, {"--labels", "named.csv"}, "no confusion matrix given"},
      {2,
       {"--labels", "named.csv", "--confusion", "identity.csv", "--annotators", "0"},
       "'0' is not a whole number from 1"},
      {2, {"--labels", "-", "--confusion", "-"}, "standard input ('-') is named twice"},
      {2,
       {"--labels", "named.csv", "--confusion", "identity.csv", "--confusion", "contrary.csv",
        "--annotators", "3"},
       "2 confusion matrices for --annotators 3"},
      {2,
       {"--labels", "named.csv", "--confusion", "identity.csv", "--vote-classes", "a,b"},
       "--vote-classes names 2 classes"},
      {2,
       {"--labels", "named.csv", "--confusion", "identity.csv", "--vote-classes", "dog,cat,cow"},
       "--vote-classes has 'dog' at place 0, where the confusion matrix has 'cat'"},
  };
  for (const Bad& bad : all) {
    const auto before = files_in(folder_);
    std::vector<std::string> arguments = bad.arguments;
    arguments.insert(arguments.end(), {"-o", "out.csv"});
    const Outcome outcome = simulate(arguments);
    EXPECT_EQ(outcome.code, bad.code) << bad.says;
    EXPECT_THAT(outcome.err, StartsWith("credence: error: "));
    EXPECT_THAT(outcome.err, HasSubstr(bad.says));
    EXPECT_THAT(outcome.err, HasSubstr("  hint: "));
    EXPECT_EQ(files_in(folder_), before) << bad.says;
  }
  EXPECT_EQ(simulate({"--labels", "named.csv", "--confusion", "identity.csv"}).code, 2);
  EXPECT_EQ(simulate({"--labels", "named.csv", "--confusion", "identity.csv", "-o", "v.npy"}).code,
            2);
}

class SimulateToy : public ProgramTest {
 protected:
  double metric(const Json& toy, const std::string& method, const std::string& part,
                const std::string& name) const {
    for (const Json& score : toy["methods"]) {
      if (score["method"] == method) return score[part]["metrics"][name];
    }
    ADD_FAILURE() << method;
    return 0.0;
  }
};

TEST_F(SimulateToy, OthersFindTheSameNumbersInItsFiles) {
  const Outcome outcome = run({"simulate", "toy", "-o", "toy", "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json toy = Json::parse(outcome.out);
  EXPECT_EQ(toy["methods"].size(), 8U);
  const std::string data =
      "--logits toy/logits.npy --votes toy/votes.csv --classes toy/classes.txt ";
  for (const std::string method : {"ts", "dirichlet-soft"}) {
    const Outcome fitted = shell("credence fit -m " + method + " " + data +
                                 "--rows toy/calibration_rows.txt -o toy/model.json");
    ASSERT_EQ(fitted.code, 0) << fitted.err;
    for (const auto& [part, rows] :
         {std::pair<std::string, std::string>{"all", "--skip-rows toy/calibration_rows.txt"},
          {"all", "--rows toy/evaluation_rows.txt"},
          {"ambiguous", "--rows toy/evaluation_ambiguous_rows.txt"},
          {"clear", "--rows toy/evaluation_clear_rows.txt"}}) {
      const Outcome scored =
          shell("credence evaluate toy/model.json " + data + rows + " --format json");
      ASSERT_EQ(scored.code, 0) << scored.err;
      const Json metrics = Json::parse(scored.out)["metrics"];
      for (const char* name : {"ece_voted", "ece_true_exact", "nll"}) {
        // The same floats in the file, the same sums: the calibrator's text keeps every digit.
        EXPECT_EQ(metrics[name].get<double>(), metric(toy, method, part, name))
            << method << " " << part << " " << name;
      }
    }
  }
  const Outcome inspected = shell("credence inspect " + data + "--groups toy/regions.csv");
  EXPECT_EQ(inspected.code, 0) << inspected.err;
  EXPECT_EQ(lines_of(text_of("toy/points.csv")).size(), 2701U);
}

TEST_F(SimulateToy, CompareFindsTheSameNumbersInItsFiles) {
  const Outcome outcome = run({"simulate", "toy", "-o", "toy", "--format", "json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json toy = Json::parse(outcome.out);
  std::string methods;
  for (const Json& score : toy["methods"]) methods += score["method"].get<std::string>() + ",";
  methods.pop_back();
  const Outcome compared = shell(
      "credence compare --logits toy/logits.npy --votes toy/votes.csv --classes toy/classes.txt "
      "--calibration-rows toy/calibration_rows.txt --resamples 0 --format csv --methods " +
      methods);
  ASSERT_EQ(compared.code, 0) << compared.err;
  std::size_t seen = 0;
  for (const std::string& line : lines_of(compared.out)) {
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
    const std::string &method = cells.at(1), &name = cells.at(6), &value = cells.at(7);
    if (name != "ece_voted" && name != "ece_true_exact" && name != "nll") continue;
    // An infinite nll (ir-soft) has no number on either side.
    if (name == "nll" && method == "ir-soft") continue;
    EXPECT_EQ(std::stod(value), metric(toy, method, "all", name)) << method << " " << name;
    ++seen;
  }
  EXPECT_EQ(seen, 23U);
}

TEST_F(SimulateToy, SaysWhatItShowsAndWritesNothingUnasked) {
  const auto before = files_in(folder_);
  const Outcome outcome = run({"simulate", "toy"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(lines_of(outcome.out)[1], HasSubstr("ts takes ece_voted from"));
  for (const char* word : {"hist-bin", "ir-soft", "ambiguous", "clear", "ece_true_exact"}) {
    EXPECT_THAT(outcome.out, HasSubstr(word));
  }
  EXPECT_EQ(run({"simulate", "toy"}).out, outcome.out);
  EXPECT_NE(run({"simulate", "toy", "--seed", "1"}).out, outcome.out);
  EXPECT_EQ(files_in(folder_), before);
}

TEST_F(SimulateToy, HasTheSameBitsOnEveryInstructionSet) {
  const Outcome baseline = shell("CREDENCE_ISA=baseline credence simulate toy --format json");
  ASSERT_EQ(baseline.code, 0) << baseline.err;
  EXPECT_EQ(run({"simulate", "toy", "--format", "json"}).out, baseline.out);
}

TEST_F(SimulateToy, ProposedCommandsWork) {
  const Outcome outcome =
      run({"simulate", "toy", "--points", "40", "--annotators", "7", "-o", "play"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::size_t first = outcome.out.find("  credence compare");
  ASSERT_NE(first, std::string::npos);
  const Outcome tried = shell("set -e; " + outcome.out.substr(first));
  EXPECT_EQ(tried.code, 0) << tried.err;
}

TEST_F(SimulateToy, RefusesAFolderThatIsAFile) {
  write("taken", "");
  const Outcome outcome = run({"simulate", "toy", "--points", "20", "-o", "taken"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("taken"));
}

TEST_F(SimulateToy, NothingNamedIsAQuestionOfUsage) {
  const Outcome outcome = run({"simulate"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("credence simulate toy"));
  const Outcome misplaced = run({"simulate", "--sed", "1", "toy"});
  EXPECT_EQ(misplaced.code, 2);
  EXPECT_THAT(misplaced.err, HasSubstr("unknown option '--sed'"));
}

}  // namespace
}  // namespace credence::cli_test
