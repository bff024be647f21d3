// `credence export` as a user meets it; tests/onnx runs what it writes.
#include <gmock/gmock.h>

#include "cli/program.hpp"

namespace credence::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Export : public ProgramTest {
 protected:
  Export() { fit_model(); }
};

TEST_F(Export, WritesTheModelItsCheckAndTheScriptThatComparesThem) {
  const Outcome outcome = run({"export", "model.json", "-o", "calibrator.onnx"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(fs::exists(file("calibrator.onnx")));
  EXPECT_TRUE(fs::exists(file("calibrator.check.npz")));
  EXPECT_THAT(text_of("calibrator.check.py"), HasSubstr("onnxruntime as ort"));
  EXPECT_THAT(outcome.out, HasSubstr("python3 calibrator.check.py"));
  EXPECT_THAT(outcome.out, HasSubstr("calibrator.check.npz"));
}

TEST_F(Export, TheCheckHoldsWhatTheEngineMakesOfItsScores) {
  ASSERT_EQ(run({"export", "model.json", "-o", "c.onnx", "--check-with", "logits.npy"}).code, 0);
  ASSERT_EQ(run({"apply", "model.json", "--logits", "c.check.npz:scores", "-o", "again.npy",
                 "--dtype", "float64"})
                .code,
            0);
  ASSERT_EQ(run({"apply", "model.json", "--logits", "logits.npy", "-o", "direct.npy", "--dtype",
                 "float64"})
                .code,
            0);
  EXPECT_EQ(text_of("again.npy"), text_of("direct.npy"));
}

TEST_F(Export, ACardAloneNeedsNoModelFile) {
  const auto before = files_in(folder_);
  const Outcome outcome = run({"export", "model.json", "--card", "card.md"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(text_of("card.md"), HasSubstr("model.json"));
  EXPECT_EQ(files_in(folder_).size(), before.size() + 1);
}

TEST_F(Export, ACardHoldsTheScoresOfItsOwnComparisonOnly) {
  ASSERT_EQ(run({"compare", "--logits", "logits.npy", "--votes", "votes.csv", "-o", "out",
                 "--methods", "slts,ts", "--resamples", "20"})
                .code,
            0);
  const Outcome outcome = run({"export", "out/calibrator.json", "--results", "out/results.json",
                               "--card", "card.md", "-o", "c.onnx"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(text_of("card.md"), HasSubstr("c.onnx"));
  EXPECT_THAT(text_of("card.md"), HasSubstr("ece_expected"));
  EXPECT_THAT(text_of("card.md"), HasSubstr("fitted again, to all 8 examples"));
  write("five.txt", "0\n1\n2\n3\n4\n");
  ASSERT_EQ(run({"fit", "--method", "slts", "--logits", "logits.npy", "--votes", "votes.csv",
                 "--rows", "five.txt", "-o", "five.json"})
                .code,
            0);
  const Outcome other =
      run({"export", "five.json", "--results", "out/results.json", "--card", "other.md"});
  EXPECT_EQ(other.code, 1);
  EXPECT_FALSE(fs::exists(file("other.md")));
  write("empty.json", "");
  EXPECT_EQ(run({"export", "model.json", "--results", "empty.json", "--card", "other.md"}).code, 1);
  EXPECT_FALSE(fs::exists(file("other.md")));
}

TEST_F(Export, ACardSaysWhatTheGraphReadsAndGives) {
  ASSERT_EQ(run({"export", "model.json", "-o", "c.onnx", "--card", "card.md", "--input-kind",
                 "probs", "--result", "log-probs"})
                .code,
            0);
  EXPECT_THAT(text_of("card.md"), HasSubstr("# reads probs"));
  EXPECT_THAT(text_of("card.md"),
              HasSubstr("log_probabilities = session.run([\"log_probabilities\"], "));
}

TEST_F(Export, TheSameCallGivesTheSameBytes) {
  ASSERT_EQ(run({"export", "model.json", "-o", "a.onnx"}).code, 0);
  ASSERT_EQ(run({"export", "model.json", "-o", "b.onnx"}).code, 0);
  EXPECT_EQ(text_of("a.onnx"), text_of("b.onnx"));
  EXPECT_EQ(text_of("a.check.npz"), text_of("b.check.npz"));
}

TEST_F(Export, ARefusalLeavesNothingBehind) {
  ASSERT_EQ(run({"export", "model.json", "-o", "net.onnx"}).code, 0);
  write("garbage.onnx", "\x08\x07garbage");
  const auto before = files_in(folder_);
  const std::vector<std::vector<std::string>> calls{
      {"export", "model.json", "--append-to", "garbage.onnx", "-o", "out.onnx"},
      {"export", "model.json", "--append-to", "net.onnx", "-o", "out.onnx"},
      {"export", "model.json", "--append-to", "missing.onnx", "-o", "out.onnx"},
      {"export", "missing.json", "-o", "out.onnx"},
      {"export", "model.json", "--check-with", "missing.npy", "-o", "out.onnx"},
      {"export", "model.json", "-o", "no/such/folder/out.onnx"},
      {"export", "model.json", "-o", "-"},
      {"export", "model.json", "--card", "-"},
      {"export", "model.json", "-o", "out.onnx", "--card", "./out.onnx"},
      {"export", "model.json", "-o", "out.onnx", "--card", "out.check.npz"},
      {"export", "model.json", "--results", "results.json", "-o", "out.onnx"},
      {"export", "missing.json", "--card", "card.md"},
      {"export", "model.json", "--opset", "10", "-o", "out.onnx"},
      {"export", "model.json", "--mode", "add", "-o", "out.onnx"},
      {"export", "model.json", "--append-to", "net.onnx", "--opset", "13", "-o", "out.onnx"}};
  for (const auto& call : calls) {
    const Outcome outcome = run(call);
    EXPECT_TRUE(outcome.code == 1 || outcome.code == 2) << ::testing::PrintToString(call);
    EXPECT_THAT(outcome.err, HasSubstr("error:")) << ::testing::PrintToString(call);
    EXPECT_EQ(files_in(folder_), before) << ::testing::PrintToString(call);
  }
}

TEST_F(Export, WhatIsReadIsNeverReplaced) {
  const std::string before = text_of("model.json");
  fs::create_symlink("model.json", file("link.onnx"));
  fs::create_hard_link(file("model.json"), file("hard.onnx"));
  for (const char* output : {"model.json", "./model.json", "link.onnx", "hard.onnx"}) {
    const Outcome outcome = run({"export", "model.json", "-o", output});
    EXPECT_EQ(outcome.code, 2) << output;
    EXPECT_THAT(outcome.err, HasSubstr("would be replaced")) << output;
  }
  EXPECT_EQ(text_of("model.json"), before);
}

TEST_F(Export, ACalibratedNetworkIsNotCalibratedAgain) {
  ASSERT_EQ(run({"export", "model.json", "-o", "net.onnx"}).code, 0);
  const Outcome outcome =
      run({"export", "model.json", "--append-to", "net.onnx", "-o", "twice.onnx"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("calibrated already"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("onnxruntime")));
}

}  // namespace
}  // namespace credence::cli_test
