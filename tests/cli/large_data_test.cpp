// Data larger than the memory allowed: read in passes, to the same bytes; and fits that are
// interrupted.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <random>

#include "cli/program.hpp"
#include "credence/methods.hpp"

namespace credence::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

class LargeData : public ProgramTest {
 protected:
  /// Several pieces of several blocks; 30,001 is no multiple of a block.
  void SetUp() override {
    const Outcome made = run({"demo", "--rows", "30001", "-o", "data"});
    ASSERT_EQ(made.code, 0) << made.err;
  }
  Outcome fit(const std::string& method, const std::string& output, const std::string& more) const {
    return shell("credence fit -m '" + method + "' --logits data/logits.npy -o " + output + " " +
                 more);
  }
  /// What `fit` writes, with the data in memory and read in passes.
  void expect_same_bytes(const std::string& method, const std::string& scores,
                         const std::string& votes) const {
    SCOPED_TRACE(method + " " + scores + " " + votes);
    const std::string start = "credence fit -m '" + method + "' " + scores + " " + votes;
    const Outcome whole = shell(start + " -o whole.json");
    ASSERT_EQ(whole.code, 0) << whole.err;
    EXPECT_THAT(whole.err, Not(HasSubstr("every pass")));
    const Outcome passes = shell(start + " -o passes.json --memory 1M");
    ASSERT_EQ(passes.code, 0) << passes.err;
    EXPECT_THAT(passes.err, HasSubstr("the files are read again in every pass"));
    EXPECT_EQ(text_of("passes.json"), text_of("whole.json"));
  }
};

TEST_F(LargeData, EveryMethodFitsToTheBytesOfMemory) {
  for (const Method& method : kMethods) {
    expect_same_bytes(std::string(method.id), "--logits data/logits.npy", "--votes data/votes.csv");
  }
  expect_same_bytes("dirichlet-soft then ts", "--logits data/logits.npy", "--votes data/votes.csv");
}

TEST_F(LargeData, ComparesToTheCalibratorsAndTheAdviceOfMemory) {
  const std::string start =
      "credence compare --logits data/logits.npy --votes data/votes.csv --resamples 0 --oracle "
      "--seeds 42..43 --draws 10 "
      "--methods ts,slts,ls-ts,ats,vs,platt,soft-platt,dirichlet-soft,hist-bin ";
  const Outcome whole = shell(start + "-o whole");
  ASSERT_EQ(whole.code, 0) << whole.err;
  const Outcome passes = shell(start + "-o passes --memory 1M --threads 2");
  ASSERT_EQ(passes.code, 0) << passes.err;
  EXPECT_THAT(passes.err, HasSubstr("the files are read again in every pass"));
  EXPECT_EQ(text_of("passes/calibrator.json"), text_of("whole/calibrator.json"));
  EXPECT_EQ(text_of("passes/calibrator-as-scored.json"),
            text_of("whole/calibrator-as-scored.json"));
  const Json a = Json::parse(text_of("whole/results.json"));
  const Json b = Json::parse(text_of("passes/results.json"));
  for (const char* same : {"answer", "protocol"}) EXPECT_EQ(a[same], b[same]);
  for (std::size_t s = 0; s < 2; ++s) {
    ASSERT_EQ(a["splits"][s]["methods"].size(), b["splits"][s]["methods"].size());
    for (std::size_t j = 0; j < a["splits"][s]["methods"].size(); ++j) {
      const Json &x = a["splits"][s]["methods"][j], &y = b["splits"][s]["methods"][j];
      for (const auto& [key, value] : y.items()) {
        if (key == "metrics" || key == "differences" || value.is_array()) continue;
        if (!value.is_object()) {
          EXPECT_EQ(x[key], value) << key;
          continue;
        }
        for (const auto& [name, one] : value.items()) {  // what sorts rows is empty in passes
          if (!one.is_null()) {
            EXPECT_EQ(x[key][name], one) << key << " " << name;
          }
        }
      }
      for (const auto& [name, metric] : y["metrics"].items()) {
        if (!metric["value"].is_null()) {
          EXPECT_EQ(x["metrics"][name], metric) << name;
        }
      }
    }
  }
  EXPECT_THAT(passes.out, Not(HasSubstr("calibration_rows.txt")));
}

TEST_F(LargeData, ComparingRefusesWhatNeedsRowsUnderALimit) {
  const Outcome out = shell(
      "credence compare --logits data/logits.npy --votes data/votes.csv --refit 10 --memory 1M");
  EXPECT_EQ(out.code, 2);
  EXPECT_THAT(out.err, HasSubstr("need all rows at once"));
}

TEST_F(LargeData, EveryFormThatCanBeReadInPiecesGivesTheBytesOfMemory) {
  ASSERT_EQ(shell("credence apply $(credence fit -m ts --logits data/logits.npy --votes "
                  "data/votes.csv -o ts.json >&2; echo ts.json) --logits data/logits.npy -o p.csv; "
                  "credence apply ts.json --logits data/logits.npy -o p.jsonl; "
                  "credence apply ts.json --logits data/logits.npy -o p.npy --dtype float64")
                .code,
            0);
  for (const char* scores : {"--probs p.csv", "--probs p.jsonl", "--probs p.npy"}) {
    expect_same_bytes("soft-platt", scores, "--votes data/votes.csv");
  }
  // Ids on both sides, in the same order; sampled targets draw by id.
  ASSERT_EQ(shell("awk 'NR==1{print \"id,\"$0} NR>1{print \"x\" NR \",\" $0}' p.csv > ids.csv; "
                  "awk 'NR==1{print \"id,\"$0} NR>1{print \"x\" NR \",\" $0}' data/votes.csv "
                  "> id_votes.csv; awk -F, 'NR>1{m=1; for(i=2;i<=NF;i++) if($i>$m) m=i; "
                  "print m-1}' data/votes.csv > labels.csv")
                .code,
            0);
  expect_same_bytes("mcts", "--probs ids.csv", "--votes id_votes.csv");
  expect_same_bytes("ts", "--probs p.npy", "--labels labels.csv");
}

TEST_F(LargeData, WhatNeedsAllRowsIsRefusedWithTheReason) {
  write("rows.txt", "0\n1\n");
  const std::string data = "--votes data/votes.csv --memory 1M ";
  EXPECT_THAT(fit("ts", "same", "--votes data/votes.csv --checkpoint same").err,
              HasSubstr("the checkpoint needs a file of its own"));
  const Outcome rows = fit("ts", "m.json", data + "--rows rows.txt");
  EXPECT_EQ(rows.code, 2);
  EXPECT_THAT(rows.err, HasSubstr("choosing rows (--rows, --skip-rows) needs all rows at once"));
  // 30,001 rows fit (above); 40,001 do not.
  const Outcome isotonic = shell(
      "credence demo --rows 40001 -o more; credence fit -m ir-soft "
      "--logits more/logits.npy --votes more/votes.csv -o m.json "
      "--memory 1M");
  EXPECT_EQ(isotonic.code, 2);
  EXPECT_THAT(isotonic.err, HasSubstr("isotonic steps are fitted to 2 numbers for each of 40,001"));

  ASSERT_EQ(shell("credence fit -m ts --logits data/logits.npy --votes data/votes.csv -o ts.json; "
                  "credence apply ts.json --logits data/logits.npy -o p.csv; "
                  "awk 'NR==1{print \"id,\"$0} NR>1{print \"x\" NR \",\" $0}' p.csv > ids.csv; "
                  "awk 'NR==1{print \"id,\"$0} NR>1{print \"x\" NR \",\" $0}' data/votes.csv | "
                  "awk 'NR==1{print; next} NR==20000{held=$0; next} {print} "
                  "NR==20005{print held}' > moved.csv")
                .code,
            0);
  const Outcome order = shell(
      "credence fit -m ts --probs ids.csv --votes moved.csv -o m.json "
      "--memory 1M");
  EXPECT_EQ(order.code, 2);
  EXPECT_THAT(order.err, HasSubstr("row 19998 is 'x20000' in ids.csv and 'x20001' in moved.csv"));
  EXPECT_THAT(order.err, HasSubstr("sort both files by id, or allow more with --memory SIZE"));
  EXPECT_FALSE(fs::exists(file("m.json")));

  // Row numbers in messages are those of the file, not of a piece.
  ASSERT_EQ(shell("awk 'NR==29000{gsub(/[0-9.]+/, \"0\")} {print}' data/votes.csv > bad.csv").code,
            0);
  const Outcome empty = fit("ts", "m.json", "--votes bad.csv --memory 1M");
  EXPECT_THAT(empty.err, HasSubstr("bad.csv:29000: row 28998: no votes"));
  const Outcome few = shell(
      "head -n 25000 data/votes.csv > few.csv; credence fit -m ts --logits "
      "data/logits.npy --votes few.csv -o m.json --memory 1M");
  EXPECT_THAT(few.err, HasSubstr("30001 rows of scores but few.csv has 24999 rows of votes"));
}

TEST_F(LargeData, EvaluationInPassesHasTheNumbersOfMemory) {
  fit("slts", "model.json", "--votes data/votes.csv");
  const std::string start =
      "credence evaluate model.json --logits data/logits.npy --votes data/votes.csv --format json "
      "--resamples 0 --threads 2";
  Json whole = Json::parse(shell(start).out);
  // With too little memory to sort all rows, metrics that sort them have no value; others keep it.
  Json small = Json::parse(shell(start + " --memory 1M").out);
  EXPECT_TRUE(small["metrics"]["smooth_ece"].is_null());
  for (const auto& [name, value] : small["metrics"].items()) {
    if (value.is_null()) continue;
    EXPECT_EQ(value, whole["metrics"][name]) << name;
  }
  EXPECT_EQ(small["metrics"]["nll"], whole["metrics"]["nll"]);
  EXPECT_TRUE(small["intervals"].is_null());
  EXPECT_EQ(small["protocol"]["fingerprint"], whole["protocol"]["fingerprint"]);
}

TEST_F(LargeData, IntervalsInPassesAreThoseOfMemoryForThoseWhoAsk) {
  const std::string start =
      "credence evaluate --logits data/logits.npy --votes data/votes.csv --format json --draws 10";
  const Json whole = Json::parse(shell(start + " --resamples 40").out)["intervals"];
  const Json asked =
      Json::parse(shell(start + " --resamples 40 --memory 1M --threads 2").out)["intervals"];
  EXPECT_EQ(asked["units"], whole["units"]);
  std::size_t compared = 0;
  for (const auto& [name, interval] : whole["metrics"].items()) {
    if (name.starts_with("aece")) continue;
    EXPECT_EQ(asked["metrics"][name], interval) << name;
    ++compared;
  }
  EXPECT_GT(compared, 12U);
  const Outcome unasked = shell(start + " --memory 1M");
  EXPECT_THAT(unasked.err, HasSubstr("no intervals: resampling takes far longer than scoring; "
                                     "--resamples 1000 asks for them"));
  EXPECT_TRUE(Json::parse(unasked.out)["intervals"].is_null());
  const Outcome studentised = shell(start + " --memory 1M --resamples 40 --interval studentised");
  EXPECT_THAT(studentised.err, HasSubstr("no intervals: studentised ones need all rows at once"));
}

TEST_F(LargeData, EvaluationInPassesSortsRowsWhereTheyFit) {
  // Of many classes, where a few numbers per row take much less than the scores.
  const std::size_t rows = 20000, classes = 60;
  std::mt19937 random(7);
  std::vector<float> logits(rows * classes), counts(rows * classes, 0.0F);
  for (float& z : logits) z = static_cast<float>(random() % 8000) / 1000.0F;
  for (std::size_t i = 0; i < rows; ++i) {
    for (int vote = 0; vote < 3; ++vote) counts[i * classes + random() % classes] += 1.0F;
  }
  write("wide.npy", npy("<f4", "(20000, 60)", floats(logits)));
  write("wide_votes.npy", npy("<f4", "(20000, 60)", floats(counts)));
  const std::string start =
      "credence evaluate --logits wide.npy --votes wide_votes.npy --format json --resamples 0";
  const Json whole = Json::parse(shell(start).out);
  const Outcome passes = shell(start + " --memory 4M");
  EXPECT_THAT(passes.err, HasSubstr("every pass"));
  EXPECT_EQ(Json::parse(passes.out), whole);
}

TEST_F(LargeData, MemoryStaysWithinTheLimitOfTheProcess) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer reserves terabytes";
#endif
  // 640 MB of zeros, of which the disk stores nothing, for a process that may take 500 MB.
  const std::size_t rows = 1600000, classes = 100;
  const std::string shape = "(" + std::to_string(rows) + ", " + std::to_string(classes) + ")";
  const std::string header = npy("<f4", shape, "");
  write("huge.npy", header);
  fs::resize_file(file("huge.npy"), header.size() + rows * classes * sizeof(float));
  const std::string labels = npy("|u1", "(" + std::to_string(rows) + ",)", "");
  write("labels.npy", labels);
  fs::resize_file(file("labels.npy"), labels.size() + rows);
  const Outcome fitted = shell(
      "ulimit -v 500000; credence fit -m ts --logits huge.npy --votes labels.npy -o m.json "
      "--memory 100M --threads 2");
  EXPECT_EQ(fitted.code, 0) << fitted.err;
  const Outcome scored = shell(
      "ulimit -v 500000; credence evaluate --logits huge.npy --votes labels.npy --memory 100M "
      "--threads 2 --draws 0");
  EXPECT_EQ(scored.code, 0) << scored.err;
}

/// A fit that takes long enough to be killed in the middle.
class KilledFit : public LargeData {
 protected:
  void SetUp() override { ASSERT_EQ(run({"demo", "--rows", "100000", "-o", "data"}).code, 0); }
};

TEST_F(KilledFit, ContinuesToTheSameBytes) {
  const std::string method = "dirichlet-soft";
  ASSERT_EQ(fit(method, "whole.json", "--votes data/votes.csv").code, 0);
  for (const std::string memory : {"", " --memory 1M"}) {
    SCOPED_TRACE(memory);
    const std::string command =
        "credence fit -m dirichlet-soft --logits data/logits.npy --votes data/votes.csv -o m.json "
        "--threads 1 --checkpoint state" +
        memory;
    const Outcome killed =
        shell(command + " & pid=$!; while [ ! -s state ] && kill -0 $pid; do :; done; " +
              "kill -9 $pid; wait $pid; [ -s state ] && [ ! -e m.json ] && echo half-way");
    ASSERT_THAT(killed.out, HasSubstr("half-way")) << killed.err;
    const Outcome resumed = shell(command);
    ASSERT_EQ(resumed.code, 0) << resumed.err;
    EXPECT_THAT(resumed.err, HasSubstr("continued from state, after "));
    EXPECT_EQ(text_of("m.json"), text_of("whole.json"));
    EXPECT_FALSE(fs::exists(file("state")));
    fs::remove(file("m.json"));
  }
}

TEST_F(KilledFit, TheCheckpointOfAnotherFitIsNeitherUsedNorReplaced) {
  const std::string start =
      "credence fit --logits data/logits.npy --votes data/votes.csv -o m.json --threads 1 "
      "--checkpoint state -m ";
  shell(start +
        "dirichlet-soft & pid=$!; while [ ! -s state ] && kill -0 $pid; do :; done; "
        "kill -9 $pid; wait $pid");
  const std::string state = text_of("state");
  ASSERT_FALSE(state.empty());
  const Outcome other = shell(start + "vs");
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, HasSubstr("state is the checkpoint of a fit by another method"));
  const Outcome data = shell(
      "head -n 100000 data/votes.csv | tail -n +2 > x; head -n 1 "
      "data/votes.csv > other.csv; tail -n 1 x >> other.csv; cat x >> "
      "other.csv; credence fit --logits data/logits.npy --votes other.csv "
      "-o m.json --checkpoint state -m dirichlet-soft");
  EXPECT_THAT(data.err, HasSubstr("state is the checkpoint of a fit to other data"));
  EXPECT_EQ(text_of("state"), state);
  write("state", state.substr(0, state.size() - 9));
  EXPECT_THAT(shell(start + "dirichlet-soft").err, HasSubstr("the checkpoint state"));
  EXPECT_FALSE(fs::exists(file("m.json")));
}

TEST_F(LargeData, SizesAreReadWithTheirUnits) {
  for (const char* size : {"1M", "1.5G", "2GB", "1GiB"}) {
    EXPECT_EQ(fit("ts", "m.json", std::string("--votes data/votes.csv --memory ") + size).code, 0);
  }
  for (const char* size : {"0", "5", "-1G", "G", "1K", "2 bananas"}) {
    const Outcome refused =
        fit("ts", "n.json", std::string("--votes data/votes.csv --memory '") + size + "'");
    EXPECT_EQ(refused.code, 2) << size;
    EXPECT_THAT(refused.err, HasSubstr("--memory")) << size;
  }
}

}  // namespace
}  // namespace credence::cli_test
