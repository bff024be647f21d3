// The second order on real data: what it predicts holds on rows that it has not seen.
#include <cmath>
#include <vector>

#include "credence/compare.hpp"
#include "credence/methods.hpp"
#include "credence/second_order.hpp"
#include "real_data.hpp"

namespace credence {
namespace {

Matrix<float> as_float(const Matrix<double>& from) {
  Matrix<float> out(from.rows(), from.cols());
  for (std::size_t i = 0; i < from.rows(); ++i) {
    for (std::size_t k = 0; k < from.cols(); ++k) out(i, k) = static_cast<float>(from(i, k));
  }
  return out;
}

/// Every second row. Of DOD-H both halves then have rows of all recordings, which differ from each
/// other far more than rows of one recording do.
struct EveryOther {
  Matrix<float> scores;
  Dataset data;
};
EveryOther every_other(const real_data::Set& set, std::size_t first) {
  std::vector<std::size_t> rows;
  for (std::size_t i = first; i < set.logits.rows(); i += 2) rows.push_back(i);
  EveryOther out;
  out.scores = as_float(real_data::select(set.logits, rows));
  const Matrix<double> counts = real_data::select(set.counts, rows);
  out.data = make_dataset(out.scores.view(), ScoreKind::logits, Votes::from_counts(counts.view()));
  return out;
}

/// Of the mean of observed minus predicted disagreement, from that of the bins.
double standard_error(const Evaluation& found) {
  double sum = 0.0;
  for (const DisagreementBin& bin : found.disagreement_bins) {
    const double of_bin = static_cast<double>(bin.count) * bin.standard_error;
    sum += of_bin * of_bin;
  }
  return std::sqrt(sum) / static_cast<double>(found.repeated_rows);
}

class RealSecondOrder : public testing::TestWithParam<const char*> {};

TEST_P(RealSecondOrder, DisagreementIsPredictedWithinNoiseOnRowsThatWereNotFitted) {
  CREDENCE_NEEDS_REAL_DATA();
  const real_data::Set set = real_data::load(GetParam());
  const EveryOther known = every_other(set, 0), other = every_other(set, 1);
  for (const char* method : {"slts", "soft-platt", "ridge-both"}) {
    Calibrator calibrator = fit(parse_method(method), known.data);
    calibrator.second_order = fit_second_order(calibrator, known.data);
    const SecondOrder& model = *calibrator.second_order;
    EXPECT_EQ(model.concentration_report.stop, Stop::converged) << method;
    EXPECT_EQ(model.disagreement_report.stop, Stop::converged) << method;
    const Evaluation found = score(calibrator, other.data, {.draws = 0});
    // Both halves are samples: four standard errors of the difference of two.
    EXPECT_NEAR(*found["predicted_disagreement"], *found["annotator_disagreement"],
                4.0 * std::sqrt(2.0) * standard_error(found))
        << method;
    // The concentration is worth what it was worth on the fitted rows.
    EXPECT_LT(*found["dm_nll"], model.multinomial_nll) << method;
    EXPECT_NEAR(*found["dm_nll"], model.dm_nll, 0.05 * model.dm_nll) << method;
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, RealSecondOrder, testing::ValuesIn(real_data::kSets),
                         [](const auto& named) {
                           std::string name = named.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace credence
