// Agreement between annotators.
#include <gtest/gtest.h>

#include <vector>

#include "credence/metrics.hpp"

namespace credence {
namespace {

Votes votes_of(std::size_t rows, std::size_t classes, std::vector<double> counts) {
  return Votes::from_counts(Rows(counts.data(), rows, classes));
}

TEST(ReaderAgreement, AlphaIsTheOneKrippendorffPublished) {
  // The four-observer example of Krippendorff: Computing Krippendorff's Alpha-Reliability (2011),
  // section C, nominal data; unit 12 has a single value and is not pairable. Alpha = 0.743.
  const Votes votes = votes_of(12, 5, {3, 0, 0, 0, 0,  //
                                       0, 3, 1, 0, 0,  //
                                       0, 0, 4, 0, 0,  //
                                       0, 0, 4, 0, 0,  //
                                       0, 4, 0, 0, 0,  //
                                       1, 1, 1, 1, 0,  //
                                       0, 0, 0, 4, 0,  //
                                       3, 1, 0, 0, 0,  //
                                       0, 4, 0, 0, 0,  //
                                       0, 0, 0, 0, 3,  //
                                       2, 0, 0, 0, 0,  //
                                       0, 0, 1, 0, 0});
  const ReaderAgreement found = reader_agreement(votes);
  EXPECT_EQ(found.pairable_rows, 11U);
  ASSERT_TRUE(found.krippendorff_alpha);
  EXPECT_NEAR(*found.krippendorff_alpha, 0.743, 5e-4);  // printed with three decimals
  // Row by row: 1, 1/2, 1, 1, 1, 0, 1, 1/2, 1, 1, 1.
  EXPECT_NEAR(*found.pairwise, 9.0 / 11.0, 1e-15);
}

TEST(ReaderAgreement, OfAnnotatorsWhoAlwaysAgreeIsOne) {
  const ReaderAgreement found = reader_agreement(votes_of(3, 2, {4, 0, 0, 2, 3, 0}));
  EXPECT_EQ(found.pairwise, 1.0);
  EXPECT_EQ(found.krippendorff_alpha, 1.0);
}

TEST(ReaderAgreement, HasNoAlphaWhereOnlyOneClassWasEverChosen) {
  const ReaderAgreement found = reader_agreement(votes_of(2, 2, {4, 0, 3, 0}));
  EXPECT_EQ(found.pairwise, 1.0);
  EXPECT_FALSE(found.krippendorff_alpha);
}

TEST(ReaderAgreement, IsUnknownForSharesWeightsAndSingleVotes) {
  for (const std::vector<double>& counts :
       {std::vector<double>{0.5, 0.5, 0.25, 0.75}, {1.5, 1.5, 2, 0}, {1, 0, 0, 1}}) {
    const ReaderAgreement found = reader_agreement(votes_of(2, 2, counts));
    EXPECT_FALSE(found.pairwise);
    EXPECT_FALSE(found.krippendorff_alpha);
    EXPECT_EQ(found.pairable_rows, 0U);
  }
}

}  // namespace
}  // namespace credence
