// The recommendation on real data: made without the evaluation rows, and good there all the same.
#include <gtest/gtest.h>

#include "credence/compare.hpp"
#include "real_data.hpp"

namespace credence {
namespace {

class Recommended : public ::testing::TestWithParam<const char*> {};

TEST_P(Recommended, NllOnUnseenRowsIsWithinOnePerCentOfTheBestMethod) {
  CREDENCE_NEEDS_REAL_DATA();
  const real_data::Set set = real_data::load(GetParam());
  Matrix<float> scores(set.logits.rows(), set.logits.cols());
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    for (std::size_t k = 0; k < scores.cols(); ++k) {
      scores(i, k) = static_cast<float>(set.logits(i, k));
    }
  }
  const Dataset data =
      make_dataset(scores.view(), ScoreKind::logits, Votes::from_counts(set.counts.view()));
  CompareOptions options;
  options.calibration_rows = set.calibration;
  options.bootstrap.resamples = 0;
  options.metrics.draws = 1;
  const Comparison comparison = compare(data, options);
  const SplitResult& split = comparison.splits[0];
  const double best = *split.methods.front().evaluation["nll"];
  const double chosen = *split.method(split.recommended).evaluation["nll"];
  EXPECT_LE(chosen, 1.01 * best) << split.recommended << " instead of " << split.methods[0].name;
}

INSTANTIATE_TEST_SUITE_P(On, Recommended, ::testing::ValuesIn(real_data::kSets));

}  // namespace
}  // namespace credence
