#include "experiment/perfect_errors.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "credence/compare.hpp"
#include "synthetic.hpp"

namespace credence::experiment {
namespace {

TEST(PerfectErrors, AreWhatAModelShowsWhoseProbabilitiesTheVotesAreDrawnFrom) {
  // Scores that are the logarithms of what the votes are drawn from: already perfect.
  auto made = testing_data::make_synthetic(20000, 3, 5, 1.0);
  for (std::size_t i = 0; i < 20000; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      made.scores(i, k) = static_cast<float>(1.5 * testing_data::normal(1, i, k));
    }
  }
  const Dataset data = make_dataset(std::as_const(made.scores).view(), ScoreKind::logits,
                                    Votes::from_counts(made.counts.view()));
  const Calibrator model = fit(parse_method("uncalibrated"), data);
  Evaluation found = score(model, data, {.draws = 0, .keep_rows = true});
  add_perfect_errors(found, model, data, 42);
  for (const EntropyBin& bin : found.pointwise_by_entropy) {
    ASSERT_TRUE(bin.perfect);
    // Two independent means of a thousand rows or more: five standard errors of their difference.
    EXPECT_NEAR(*bin.perfect, bin.error, 5.0 * std::sqrt(2.0) * bin.standard_error)
        << "entropy " << bin.entropy << ", rows " << bin.count;
  }
}

}  // namespace
}  // namespace credence::experiment
