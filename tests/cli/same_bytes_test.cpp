// A calibrator file depends on the data and the options that matter, on nothing else.
#include <gmock/gmock.h>

#include "cli/program.hpp"
#include "credence/methods.hpp"

namespace credence::cli_test {
namespace {

/// Several blocks, the last of them not full.
constexpr const char* kFewRows = "4001";
/// Enough rows for subsample, float32 passes and threads. Sanitizers, twenty times slower, look for
/// other mistakes, which few rows show as well.
#if defined(__SANITIZE_ADDRESS__)
constexpr const char* kManyRows = kFewRows;
#else
constexpr const char* kManyRows = "70001";
#endif

class SameBytes : public ProgramTest {
 protected:
  void make_rows(const char* rows) const {
    const Outcome made = run({"demo", "--rows", rows, "-o", "data"});
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
  void expect_same(const std::string& method) const {
    SCOPED_TRACE(method);
    const std::string reference = fitted("CREDENCE_ISA=baseline", method, "--threads 1");
    EXPECT_THAT(reference, ::testing::HasSubstr("credence-calibrator"));
    EXPECT_EQ(fitted("CREDENCE_ISA=avx2", method, "--threads 1"), reference);
    EXPECT_EQ(fitted("", method, "--threads 7"), reference);
    EXPECT_EQ(fitted("", method, "--threads 2 --chunk-rows 1000"), reference);
    EXPECT_EQ(fitted("CREDENCE_ISA=baseline", method, "--threads 3 --chunk-rows 5000"), reference);
  }
};

TEST_F(SameBytes, ForAnyThreadsChunksAndInstructionSet) {
  make_rows(kManyRows);
  for (const Method& method : kMethods) expect_same(std::string(method.id));
  expect_same("dirichlet-soft then ts");
}

// Its maps are among the methods above: what it adds is the choice.
TEST_F(SameBytes, OfAChoiceForAnyThreadsChunksAndInstructionSet) {
  make_rows(kFewRows);
  for (const AutomaticMethod& method : kAutomaticMethods) expect_same(std::string(method.id));
}

}  // namespace
}  // namespace credence::cli_test
