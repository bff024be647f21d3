// The defaults that help shows are those of the library.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "credence/ablate.hpp"
#include "credence/compare.hpp"
#include "credence/demo.hpp"
#include "credence/fit.hpp"
#include "credence/map.hpp"
#include "credence/options.hpp"
#include "credence/page.hpp"
#include "credence/plan.hpp"
#include "credence/simulate.hpp"
#include "credence/target.hpp"

namespace credence {
namespace {

template <class T>
void expect_usual(Option option, const T& value) {
  EXPECT_EQ(info(option).usual, fmt::format("{}", value)) << info(option).id;
}

template <class T>
void expect_usual(Option option, const std::vector<T>& values) {
  EXPECT_EQ(info(option).usual, fmt::format("{}", fmt::join(values, ","))) << info(option).id;
}

TEST(Options, ShowTheDefaultsOfTheLibrary) {
  expect_usual(Option::bins, MetricOptions{}.bins);
  expect_usual(Option::entropy_bins, MetricOptions{}.entropy_bins);
  expect_usual(Option::draws, MetricOptions{}.draws);
  expect_usual(Option::draw_seed, MetricOptions{}.seed);
  expect_usual(Option::resamples, BootstrapOptions{}.resamples);
  expect_usual(Option::level, BootstrapOptions{}.level);
  expect_usual(Option::resample_seed, BootstrapOptions{}.seed);
  expect_usual(Option::reference, CompareOptions{}.reference);
  expect_usual(Option::share, CompareOptions{}.calibration_share);
  expect_usual(Option::share, AblateOptions{}.calibration_share);
  expect_usual(Option::seeds, CompareOptions{}.seeds);
  expect_usual(Option::folds, CompareOptions{}.folds);
  expect_usual(Option::refits, CompareOptions{}.refits);
  expect_usual(Option::shares, AblateOptions{}.shares);
  expect_usual(Option::study_draws, AblateOptions{}.draws);
  expect_usual(Option::planned_votes, PlanOptions{}.votes);
  expect_usual(Option::level, PlanOptions{}.level);
  expect_usual(Option::bins, PlanOptions{}.bins);
  expect_usual(Option::fit_seed, FitOptions{}.seed);
  expect_usual(Option::max_passes, FitOptions{}.max_passes);
  expect_usual(Option::threads, FitOptions{}.threads);
  expect_usual(Option::target_draws, Sampled{}.draws);
  expect_usual(Option::epsilon, Smoothed{}.fixed);
  expect_usual(Option::lambda, MatrixAffine{}.lambda);
  expect_usual(Option::mu, MatrixAffine{}.mu);
  expect_usual(Option::tau, RidgeLog{}.tau);
  expect_usual(Option::tau, RidgeBoth{}.tau);
  expect_usual(Option::tau, RidgeSharp{}.tau);
  expect_usual(Option::step_prior, TopLabelIsotonic{}.step_prior);
  expect_usual(Option::step_prior, TopLabelHistogram{}.step_prior);
  expect_usual(Option::histogram_bins, TopLabelHistogram{}.bins);
  expect_usual(Option::embed_examples, report::PageOptions{}.embed_examples);
  expect_usual(Option::demo_rows, DemoOptions{}.rows);
  expect_usual(Option::demo_seed, DemoOptions{}.seed);
  expect_usual(Option::points, ToyOptions{}.points);
  expect_usual(Option::epochs, ToyOptions{}.epochs);
  expect_usual(Option::toy_annotators, ToyOptions{}.annotators);
  expect_usual(Option::toy_seed, ToyOptions{}.seed);
  expect_usual(Option::answer_seed, AnnotatorOptions{}.seed);
  EXPECT_TRUE(accepts(Option::draws, kMaxDraws) && !accepts(Option::draws, kMaxDraws + 1.0));
}

}  // namespace
}  // namespace credence
