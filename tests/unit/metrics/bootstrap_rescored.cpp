// Rows that are made once more have the intervals of rows that were kept.
#include "metrics/bootstrap/bootstrap_rescored.hpp"

#include <gtest/gtest.h>

#include "credence/block_sums.hpp"
#include "errors.hpp"
#include "samples.hpp"

namespace credence {
namespace {

using samples::Problem;

struct Rescoring {
  Problem one = samples::problem(3, 3 * kBlockRows + 77, 4, 5), other = one;
  Votes votes = one.votes();
  std::vector<std::uint32_t> groups;
  std::vector<std::size_t> references{1, 0};

  Rescoring() {
    for (std::size_t i = 0; i < other.p.rows(); ++i) {
      for (std::size_t k = 0; k < 4; ++k) other.p(i, k) = 0.5 * (other.p(i, k) + 0.25);
    }
  }
  RowsAgain again(std::size_t e, std::size_t first, std::size_t rows) const {
    const Matrix<double>& from = e == 0 ? one.p : other.p;
    RowsAgain made{Matrix<double>(rows, 4), {}};
    std::copy_n(from.data() + first * 4, rows * 4, made.probabilities.data());
    return made;
  }
  std::vector<Evaluation> evaluations(MetricOptions options) const {
    options.draws = 20;
    return {one.evaluate(options), other.evaluate(options)};
  }
  BootstrapResult rescored(const BootstrapOptions& how, std::size_t most_bytes) const {
    return metrics::bootstrap_rescored(
        evaluations({.keep_examples = true}), votes,
        [&](std::size_t e, std::size_t first, std::size_t rows) { return again(e, first, rows); },
        groups, references, how, most_bytes);
  }
};

void expect_same_estimates(const std::vector<Estimate>& found,
                           const std::vector<Estimate>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t m = 0; m < found.size(); ++m) {
    EXPECT_EQ(found[m].value, wanted[m].value) << found[m].name;
    EXPECT_EQ(found[m].low, wanted[m].low) << found[m].name;
    EXPECT_EQ(found[m].high, wanted[m].high) << found[m].name;
    EXPECT_EQ(found[m].standard_error, wanted[m].standard_error) << found[m].name;
  }
}

TEST(BootstrapRescored, HasTheBitsOfKeptRowsInAnyLots) {
  Rescoring set;
  const BootstrapOptions how{.resamples = 70, .seed = 5, .threads = 2};
  for (const bool grouped : {false, true}) {
    if (grouped) {
      for (std::size_t i = 0; i < set.votes.rows(); ++i) {
        set.groups.push_back(static_cast<std::uint32_t>(i * 7919 % 500));
      }
    }
    const BootstrapResult wanted =
        bootstrap(set.evaluations({.keep_rows = true}), set.groups, set.references, how);
    // All at once; an evaluation at a time; a few resamples of one at a time.
    for (const std::size_t bytes : {std::size_t{1} << 27, std::size_t{300'000}, std::size_t{1}}) {
      const BootstrapResult found = set.rescored(how, bytes);
      EXPECT_EQ(found.units, wanted.units);
      for (std::size_t e = 0; e < 2; ++e) {
        expect_same_estimates(found.estimates[e], wanted.estimates[e]);
        for (std::size_t q = 0; q < 2; ++q) {
          expect_same_estimates(found.differences[q][e], wanted.differences[q][e]);
        }
      }
    }
  }
}

TEST(BootstrapRescored, RefusesWhatItCannotGive) {
  const Rescoring set;
  const auto refusal = [](const auto& call) { return std::string(test::error_of(call).what()); };
  EXPECT_EQ(
      refusal([&] { set.rescored({.resamples = 10, .kind = IntervalKind::studentised}, 1 << 20); }),
      "bootstrap: rows that are made again give percentile intervals over examples");
  const Evaluation bare = set.one.evaluate({.draws = 0});
  EXPECT_EQ(refusal([&] {
              bootstrap_rescored({&bare, 1}, set.votes, {}, {}, {}, {.resamples = 10});
            }),
            "bootstrap: examples were not kept, or are not those of the votes");
}

TEST(BootstrapRescored, StopsWhenAsked) {
  const Rescoring set;
  BootstrapOptions how{.resamples = 40};
  how.progress = [](double share) { return share < 0.4; };
  EXPECT_EQ(test::error_of([&] { set.rescored(how, 1 << 27); }).code(), ErrorCode::cancelled);
}

}  // namespace
}  // namespace credence
