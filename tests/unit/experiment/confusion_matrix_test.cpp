#include <gmock/gmock.h>

#include <numeric>

#include "credence/error.hpp"
#include "credence/simulate.hpp"

namespace credence {
namespace {

using ::testing::HasSubstr;

ConfusionMatrix make(std::vector<double> values, ConfusionKind kind = ConfusionKind::probabilities,
                     std::vector<std::string> columns = {}, std::vector<std::string> rows = {}) {
  const std::size_t side = values.size() == 4 ? 2 : 3;
  return make_confusion_matrix({values.data(), side, values.size() / side}, kind, columns, rows,
                               "c.csv");
}

std::string refusal(const std::vector<double>& values,
                    ConfusionKind kind = ConfusionKind::probabilities,
                    const std::vector<std::string>& columns = {},
                    const std::vector<std::string>& rows = {}) {
  try {
    make(values, kind, columns, rows);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::data);
    return error.what();
  }
  return "accepted";
}

TEST(ConfusionMatrix, RoundingOfARowsSumIsDividedOut) {
  const ConfusionMatrix matrix = make({0.3, 0.7000005, 0.5, 0.5});
  EXPECT_DOUBLE_EQ(matrix.probabilities(0, 0) + matrix.probabilities(0, 1), 1.0);
  EXPECT_DOUBLE_EQ(matrix.probabilities(0, 0), 0.3 / 1.0000005);
}

TEST(ConfusionMatrix, CountsAreProbabilitiesOnlyWhenTheyAreSaidToBeCounts) {
  EXPECT_THAT(refusal({9, 1, 2, 6}),
              HasSubstr("c.csv: row 0: the answers' probabilities sum to 10"));
  const ConfusionMatrix matrix = make({9, 1, 2, 6}, ConfusionKind::counts);
  EXPECT_DOUBLE_EQ(matrix.probabilities(0, 0), 0.9);
  EXPECT_DOUBLE_EQ(matrix.probabilities(1, 0), 0.25);
}

TEST(ConfusionMatrix, BadValuesAreNamedByRowAndColumn) {
  EXPECT_THAT(refusal({1.5, -0.5, 0, 1}), HasSubstr("c.csv: row 0, column 1: -0.5"));
  EXPECT_THAT(refusal({1, 0, std::nan(""), 1}), HasSubstr("row 1, column 0: nan"));
  EXPECT_THAT(refusal({1, 0, 0, INFINITY}, ConfusionKind::counts),
              HasSubstr("row 1, column 1: inf"));
  EXPECT_THAT(refusal({1, 0, 0, 0}, ConfusionKind::counts), HasSubstr("row 1: sums to 0"));
  EXPECT_THAT(refusal({1, 0, 0.4, 0.5}, ConfusionKind::probabilities, {"a", "b"}, {"a", "b"}),
              HasSubstr("row 1 ('b'): the answers' probabilities sum to 0.9"));
}

TEST(ConfusionMatrix, MustBeSquare) {
  const std::vector<double> values(6, 0.5);
  EXPECT_THROW(make_confusion_matrix({values.data(), 3, 2}, ConfusionKind::probabilities), Error);
  EXPECT_THROW(make_confusion_matrix({values.data(), 1, 1}, ConfusionKind::probabilities), Error);
}

TEST(ConfusionMatrix, RowsFollowTheColumnsByName) {
  const ConfusionMatrix matrix =
      make({0.2, 0.8, 0.9, 0.1}, ConfusionKind::probabilities, {"cat", "dog"}, {"Dog", "cat"});
  EXPECT_DOUBLE_EQ(matrix.probabilities(0, 0), 0.9);
  EXPECT_DOUBLE_EQ(matrix.probabilities(1, 1), 0.8);
  EXPECT_THAT(refusal({1, 0, 0, 1}, ConfusionKind::probabilities, {"cat", "dog"}, {"cat", "cow"}),
              HasSubstr("no row is named 'dog'"));
  EXPECT_THAT(refusal({1, 0, 0, 1}, ConfusionKind::probabilities, {"cat", "CAT"}),
              HasSubstr("two columns are named 'CAT'"));
}

TEST(ConfusionMatrix, RowNumbersOfADataFrameNameNothing) {
  const ConfusionMatrix matrix =
      make({0.9, 0.1, 0.2, 0.8}, ConfusionKind::probabilities, {"cat", "dog"}, {"0", "1"});
  EXPECT_EQ(matrix.classes, (std::vector<std::string>{"cat", "dog"}));
}

TEST(ConfusionMatrix, ReorderingMovesRowsAndColumns) {
  const ConfusionMatrix matrix =
      make({0.5, 0.3, 0.2, 0.1, 0.8, 0.1, 0, 0, 1}, ConfusionKind::probabilities, {"a", "b", "c"});
  const ConfusionMatrix moved = reorder(matrix, {"C", "A", "B"});
  EXPECT_DOUBLE_EQ(moved.probabilities(0, 0), 1.0);  // c says c
  EXPECT_DOUBLE_EQ(moved.probabilities(1, 0), 0.2);  // a says c
  EXPECT_DOUBLE_EQ(moved.probabilities(2, 1), 0.1);  // b says a
  EXPECT_THROW(reorder(matrix, {"a", "b", "x"}), Error);
  EXPECT_THROW(reorder(matrix, {"a", "b"}), Error);
}

// What the paper says in words about its table: agreement per condition, their mean, and the pairs
// that are mixed up most.
TEST(ConfusionMatrix, OfIsicAgreesWithThePapersText) {
  const ConfusionMatrix isic = isic_confusion();
  ASSERT_EQ(isic.class_count(), 8U);
  const auto entry = [&](const char* truth, const char* answer) {
    const auto at = [&](const char* name) {
      return static_cast<std::size_t>(std::ranges::find(isic.classes, name) - isic.classes.begin());
    };
    return isic.probabilities(at(truth), at(answer));
  };
  EXPECT_NEAR(entry("MEL", "MEL"), 0.73, 1e-12);  // division by a sum that is 1 but for rounding
  EXPECT_NEAR(entry("NV", "NV"), 0.76, 1e-12);
  EXPECT_NEAR(entry("MEL", "NV"), 0.14, 1e-12);
  EXPECT_NEAR(entry("NV", "MEL"), 0.15, 1e-12);
  EXPECT_NEAR(entry("AK", "AK"), 0.65, 1e-12);
  EXPECT_NEAR(entry("BKL", "BKL"), 0.62, 1e-12);
  EXPECT_NEAR(entry("SCC", "SCC"), 0.67, 1e-12);
  EXPECT_NEAR(entry("AK", "SCC"), 0.16, 1e-12);
  EXPECT_NEAR(entry("SCC", "AK"), 0.18, 1e-12);
  EXPECT_NEAR(entry("DF", "DF"), 0.87, 1e-12);
  EXPECT_NEAR(entry("VL", "VL"), 0.91, 1e-12);
  double diagonal = 0.0;
  for (std::size_t k = 0; k < 8; ++k) diagonal += isic.probabilities(k, k) / 8.0;
  EXPECT_NEAR(diagonal, 0.75, 0.005);  // the text gives whole percents
}

}  // namespace
}  // namespace credence
