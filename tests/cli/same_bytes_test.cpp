// A calibrator file depends on the data and the options that matter, on nothing else.
#include <gmock/gmock.h>

#include "cli/program.hpp"
#include "credence/methods.hpp"

namespace credence::cli_test {
namespace {

class SameBytes : public ProgramTest {
 protected:
  /// Enough rows for subsample, float32 passes and threads; 70,001 is no multiple of a block.
  void SetUp() override {
    const Outcome made = run({"demo", "--rows", "70001", "-o", "data"});
    ASSERT_EQ(made.code, 0) << made.err;
  }
  std::string fitted(const std::string& environment, const std::string& method,
                     const std::string& more) const {
    const Outcome outcome =
        shell(environment + " credence fit -m '" + method +
              "' --logits data/logits.npy --votes data/votes.csv -o model.json " + more);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return text_of("model.json");
  }
};

TEST_F(SameBytes, ForAnyThreadsChunksAndInstructionSet) {
  std::vector<std::string> methods;
  for (const Method& method : kMethods) methods.emplace_back(method.id);
  for (const AutomaticMethod& method : kAutomaticMethods) methods.emplace_back(method.id);
  methods.emplace_back("dirichlet-soft then ts");
  for (const std::string& method : methods) {
    SCOPED_TRACE(method);
    const std::string reference = fitted("CREDENCE_ISA=baseline", method, "--threads 1");
    EXPECT_THAT(reference, ::testing::HasSubstr("credence-calibrator"));
    EXPECT_EQ(fitted("CREDENCE_ISA=avx2", method, "--threads 1"), reference);
    EXPECT_EQ(fitted("", method, "--threads 7"), reference);
    EXPECT_EQ(fitted("", method, "--threads 2 --chunk-rows 1000"), reference);
    EXPECT_EQ(fitted("CREDENCE_ISA=baseline", method, "--threads 3 --chunk-rows 5000"), reference);
  }
}

}  // namespace
}  // namespace credence::cli_test
