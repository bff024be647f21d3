// The second order on real data: what it predicts holds on rows that it has not seen.
#include <cmath>

#include "credence/compare.hpp"
#include "credence/methods.hpp"
#include "credence/second_order.hpp"
#include "real_data.hpp"

namespace credence {
namespace {

struct Halves {
  Matrix<float> scores_a, scores_b;
  Dataset a, b;
};

Matrix<float> as_float(const Matrix<double>& from) {
  Matrix<float> out(from.rows(), from.cols());
  for (std::size_t i = 0; i < from.rows(); ++i) {
    for (std::size_t k = 0; k < from.cols(); ++k) out(i, k) = static_cast<float>(from(i, k));
  }
  return out;
}

class RealSecondOrder : public testing::TestWithParam<const char*> {};

TEST_P(RealSecondOrder, DisagreementIsPredictedWithinNoiseOnHeldOutRows) {
  CREDENCE_NEEDS_REAL_DATA();
  const real_data::Set set = real_data::load(GetParam());
  Halves halves;
  halves.scores_a = as_float(real_data::select(set.logits, set.calibration));
  halves.scores_b = as_float(real_data::select(set.logits, set.evaluation));
  const Matrix<double> counts_a = real_data::select(set.counts, set.calibration),
                       counts_b = real_data::select(set.counts, set.evaluation);
  halves.a =
      make_dataset(halves.scores_a.view(), ScoreKind::logits, Votes::from_counts(counts_a.view()));
  halves.b =
      make_dataset(halves.scores_b.view(), ScoreKind::logits, Votes::from_counts(counts_b.view()));
  for (const char* method : {"slts", "soft-platt", "ridge-both"}) {
    Calibrator calibrator = fit(parse_method(method), halves.a);
    calibrator.second_order = fit_second_order(calibrator, halves.a);
    EXPECT_EQ(calibrator.second_order->concentration_report.stop, Stop::converged) << method;
    EXPECT_EQ(calibrator.second_order->disagreement_report.stop, Stop::converged) << method;
    const Evaluation found = score(calibrator, halves.b, {.draws = 0});
    const double predicted = *found["predicted_disagreement"];
    const double observed = *found["annotator_disagreement"];
    // Rows of a recording are alike, so that only recordings count in DOD-H: 25, of which half
    // disagree with the other half by up to 4 points. Elsewhere the standard error of the
    // difference of two halves is about 0.5 points at most.
    const bool grouped = std::string(GetParam()) == "dod-h-ens";
    EXPECT_NEAR(predicted, observed, grouped ? 0.04 : 0.015) << method;
    // Without a concentration the votes are far less likely than with one.
    EXPECT_LT(*found["dm_nll"], calibrator.second_order->multinomial_nll) << method;
    EXPECT_NEAR(*found["dm_nll"], calibrator.second_order->dm_nll,
                0.1 * calibrator.second_order->dm_nll)
        << method;
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, RealSecondOrder, testing::ValuesIn(real_data::kSets),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace credence
