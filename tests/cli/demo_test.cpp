// The demonstration, and the data it makes.
#include "credence/demo.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "cli/program.hpp"

namespace credence::cli_test {
namespace {

using ::testing::HasSubstr;

class Demo : public ProgramTest {};

TEST(DemoData, RowsDependOnSeedAndIndexOnly) {
  const DemoData shorter = make_demo_data({.rows = 50}), longer = make_demo_data({.rows = 80});
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_TRUE(std::ranges::equal(shorter.logits.row(i), longer.logits.row(i)));
    EXPECT_TRUE(std::ranges::equal(shorter.votes.row(i).weights, longer.votes.row(i).weights));
  }
  const DemoData other = make_demo_data({.rows = 50, .seed = 7});
  EXPECT_FALSE(std::ranges::equal(shorter.logits.row(0), other.logits.row(0)));
}

TEST(DemoData, AnnotatorsDisagreeOnSomeExamplesAndAgreeOnOthers) {
  const DemoData data = make_demo_data({.rows = 1000});
  std::size_t unanimous = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(data.votes.total(i), 12.0);
    unanimous += data.votes.row(i).classes.size() == 1;
  }
  // The point of the data: neither all clear nor all ambiguous.
  EXPECT_GT(unanimous, 100U);
  EXPECT_LT(unanimous, 900U);
}

TEST_F(Demo, PrintsATableAndWhatToDoNext) {
  const Outcome outcome = run({"demo"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* word : {"uncalibrated", "slts", "dirichlet-soft", "ece_expected", "What next",
                           "credence fit --method slts"}) {
    EXPECT_THAT(outcome.out, HasSubstr(word));
  }
  EXPECT_EQ(run({"demo"}).out, outcome.out);
  EXPECT_EQ(files_in(folder_).size(), 5U) << "the demonstration wrote files unasked";
}

TEST_F(Demo, FilesWorkWithTheCommandsItProposes) {
  const Outcome outcome = run({"demo", "--rows", "400", "-o", "play"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  // The proposed commands, as printed.
  const std::size_t first = outcome.out.find("  credence inspect --logits play/");
  const std::size_t last = outcome.out.find("On your own files");
  ASSERT_NE(first, std::string::npos);
  const Outcome tried = shell("set -e; " + outcome.out.substr(first, last - first));
  EXPECT_EQ(tried.code, 0) << tried.err;
  EXPECT_TRUE(fs::exists(file("play/calibrated.csv")));
}

}  // namespace
}  // namespace credence::cli_test
