// One answer for any thread count and any chunking: parameters and reports, to the last bit.
#include <gtest/gtest.h>

#include "credence/fit.hpp"
#include "synthetic.hpp"

namespace credence {
namespace {

void expect_same(const Calibrator& a, const Calibrator& b) {
  ASSERT_EQ(a.stages.size(), b.stages.size());
  for (std::size_t s = 0; s < a.stages.size(); ++s) {
    EXPECT_EQ(a.stages[s].theta, b.stages[s].theta);
    EXPECT_EQ(a.stages[s].report.loss, b.stages[s].report.loss);
    EXPECT_EQ(a.stages[s].report.gradient_norm, b.stages[s].report.gradient_norm);
    EXPECT_EQ(a.stages[s].report.passes, b.stages[s].report.passes);
    EXPECT_EQ(a.stages[s].report.stop, b.stages[s].report.stop);
  }
}

TEST(SameBits, ForAnyThreadsAndChunks) {
  // Large enough that several threads really share the work, not a multiple of a block.
  const auto set = testing_data::make_synthetic(70001, 4, 3);
  for (const char* method : {"slts", "ls-ts", "soft-platt", "vs", "dirichlet-soft", "ats",
                             "ir-soft", "hist-bin", "dirichlet-soft then ts"}) {
    FitOptions one;
    one.threads = 1;
    const Calibrator reference = fit(parse_method(method), set.data, one);
    for (const int threads : {2, 7}) {
      for (const std::size_t chunk : {std::size_t{0}, std::size_t{1}, std::size_t{10000}}) {
        FitOptions options;
        options.threads = threads;
        options.chunk_rows = chunk;
        SCOPED_TRACE(std::string(method) + ", threads " + std::to_string(threads) + ", chunk " +
                     std::to_string(chunk));
        expect_same(reference, fit(parse_method(method), set.data, options));
      }
    }
  }
}

TEST(SameBits, ApplyDoesNotDependOnThreads) {
  const auto set = testing_data::make_synthetic(300000, 4, 1);
  const Calibrator calibrator = fit(parse_method("platt"), set.data);
  Matrix<double> one(300000, 4), seven(300000, 4);
  calibrator.apply(set.scores.view(), one.view(), 1);
  calibrator.apply(set.scores.view(), seven.view(), 7);
  EXPECT_TRUE(std::equal(one.data(), one.data() + 1200000, seven.data()));
}

}  // namespace
}  // namespace credence
