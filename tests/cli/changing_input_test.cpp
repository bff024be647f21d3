// Inputs that are damaged, or change while the program reads them.
#include <gmock/gmock.h>

#include "cli/program.hpp"

namespace credence::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ChangingInput : public ProgramTest {
 protected:
  /// Fits while `change` happens to logits.npy. The votes come through a pipe that is opened only
  /// after the scores have been mapped and checked, and filled only after the change.
  Outcome fit_during(const std::string& change) const {
    return shell("mkfifo votes; (exec 3>votes; " + change +
                 "; cat votes.csv >&3) & "
                 "credence fit --method ts --logits logits.npy --votes votes -o out.json; "
                 "code=$?; rm votes; exit $code");
  }
};

TEST_F(ChangingInput, GzipWithoutItsTrailerLeavesNoOutputFromAFileOrAPipe) {
  fit_model();
  for (const char* input : {"logits.npy", "logits.csv"}) {
    const std::string cut = "gzip -c " + std::string(input) + " | head -c -8";
    for (const std::string& command :
         {cut + " > cut.gz; credence apply model.json --logits cut.gz -o out.npy",
          cut + " | credence apply model.json --logits - -o out.npy"}) {
      const Outcome outcome = shell(command);
      EXPECT_EQ(outcome.code, 1) << command;
      EXPECT_THAT(outcome.err, HasSubstr("ends early"));
      EXPECT_FALSE(fs::exists(file("out.npy")));
    }
  }
}

TEST_F(ChangingInput, ScoresThatBecomeShorterGiveAMessageInsteadOfADeath) {
  const std::size_t files = files_in(folder_).size();
  const Outcome outcome = fit_during(": > logits.npy");
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_THAT(outcome.err,
              HasSubstr("logits.npy: the file became shorter while it was being read"));
  EXPECT_THAT(outcome.err, HasSubstr("hint:"));
  EXPECT_EQ(files_in(folder_).size(), files);
}

TEST_F(ChangingInput, ScoresOverwrittenInPlaceGiveNoCalibrator) {
  const std::size_t files = files_in(folder_).size();
  // Four bytes of a quiet NaN, in the middle of the array.
  const Outcome outcome = fit_during(
      R"(sleep 0.05; printf '\377\377\377\177' | dd of=logits.npy bs=1 seek=160 conv=notrunc 2> log; rm log)");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("logits.npy: the file changed while it was being read"));
  EXPECT_EQ(files_in(folder_).size(), files);
  EXPECT_THAT(outcome.out, Not(HasSubstr("nan")));
}

TEST_F(ChangingInput, ScoresRewrittenWithTheSameNumbersAreStillAnotherFile) {
  const Outcome outcome = fit_during("sleep 0.05; cp logits.npy copy; mv copy logits.npy");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("logits.npy: the file changed while it was being read"));
  EXPECT_FALSE(fs::exists(file("out.json")));
}

TEST_F(ChangingInput, CalibratorThatCanOverflowIsRefusedByItsName) {
  write("huge.json", R"({"format": "credence-calibrator", "version": 1, "credence": "0.1.0",
    "method": "soft-platt", "gauge": "log_probs", "classes": null, "class_count": 3,
    "stages": [{"target": {"name": "annotators"}, "map": {"name": "diagonal"},
      "parameters": {"weights": [1e308, 1e308, 1e308], "bias": [0, 0, 0]},
      "report": {"stop": "converged", "passes": 1, "loss": 1, "gradient_norm": 0, "notes": []}}],
    "protocol": {"seed": 0, "rows": 8, "score_kind": "logits", "evidence": "annotations",
      "votes_per_example": 1}, "fingerprint": "x"})");
  const Outcome outcome = run({"apply", "huge.json", "--logits", "logits.npy", "-o", "-"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("huge.json: stages[0].parameters: 1e+308 is too large"));
  EXPECT_EQ(outcome.out, "");
}

}  // namespace
}  // namespace credence::cli_test
