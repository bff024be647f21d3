// Fits that end at no optimum are told of before they begin.
#include <gtest/gtest.h>

#include "credence/fit.hpp"

namespace credence {
namespace {

std::vector<std::string> before(const char* method, std::size_t rows, std::size_t classes) {
  return cautions_before(parse_method(method), rows, classes);
}

TEST(Cautions, NameTheTimeAndWhatToUseInstead) {
  const std::vector<std::string> said = before("dirichlet-soft", 50000, 1000);
  ASSERT_EQ(said.size(), 1u);
  for (const char* part : {"dirichlet-soft", "1,001,000", "50,000 rows", "minutes", "'auto'",
                           "'soft-platt' fits 2,000"}) {
    EXPECT_NE(said.front().find(part), std::string::npos) << part;
  }
}

TEST(Cautions, KeepSilentWhereAFitIsShortOrHasTheRows) {
  EXPECT_TRUE(before("dirichlet-soft", 100000, 100).empty());    // ten rows for each parameter
  EXPECT_TRUE(before("dirichlet-soft", 2000, 100).empty());      // too few rows, but seconds
  EXPECT_TRUE(before("soft-platt", 50000, 1000).empty());        // no matrix
  EXPECT_TRUE(before("auto", 50000, 1000).empty());              // leaves matrices out
  EXPECT_TRUE(before("dirichlet-soft", 1500000, 1000).empty());  // long, but an optimum
}

TEST(Cautions, LookAtEveryMethodAndStage) {
  const std::vector<std::string> names{"slts", "dirichlet-soft", "dirichlet-hard"};
  EXPECT_EQ(cautions_before(names, 50000, 1000).size(), 2u);
  EXPECT_EQ(before("slts then dirichlet-soft", 50000, 1000).size(), 1u);
}

}  // namespace
}  // namespace credence
