// Scoring on several threads.
#include <gtest/gtest.h>

#include "credence/compare.hpp"
#include "credence/methods.hpp"
#include "errors.hpp"
#include "synthetic.hpp"

namespace credence {
namespace {

void expect_same(const std::vector<Estimate>& found, const std::vector<Estimate>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t m = 0; m < wanted.size(); ++m) {
    EXPECT_EQ(found[m].value, wanted[m].value) << wanted[m].name;
    EXPECT_EQ(found[m].low, wanted[m].low) << wanted[m].name;
    EXPECT_EQ(found[m].high, wanted[m].high) << wanted[m].name;
  }
}

TEST(Score, ThreadsChangeNoBitOfMetricsExamplesOrIntervals) {
  // Nine blocks and a bit, so that parts differ in size.
  const auto set = testing_data::make_synthetic(9 * kBlockRows + 100, 4);
  const Calibrator calibrator = fit(parse_method("slts"), set.data);
  MetricOptions options{.draws = 20, .keep_rows = true, .keep_votes = true, .threads = 1};
  options.keep_examples = true;
  const Evaluation wanted = score(calibrator, set.data, options);
  for (const BootstrapOptions& how :
       {BootstrapOptions{.resamples = 20, .kind = IntervalKind::studentised},
        BootstrapOptions{.resamples = 10, .annotators = true}}) {
    const BootstrapResult intervals = bootstrap({&wanted, 1}, {}, {}, how);
    for (const int threads : {2, 3, 7}) {
      options.threads = threads;
      const Evaluation found = score(calibrator, set.data, options);
      for (const Metric& metric : metric_table()) {
        EXPECT_EQ(found[metric.name], wanted[metric.name]) << metric.name;
      }
      const ExampleScores a = examples(found), b = examples(wanted);
      EXPECT_TRUE(std::ranges::equal(a.nll, b.nll) && std::ranges::equal(a.hit, b.hit) &&
                  std::ranges::equal(a.entropy, b.entropy) &&
                  std::ranges::equal(a.confidence, b.confidence));
      expect_same(bootstrap({&found, 1}, {}, {}, how).estimates[0], intervals.estimates[0]);
    }
  }
}

}  // namespace
}  // namespace credence
