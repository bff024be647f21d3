// Isotonic steps of rows in memory, most of whose confidences are never computed in double, against
// those of a list of all rows.
#include "fit/passes/isotonic_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.hpp"
#include "credence/fit.hpp"
#include "credence/solver.hpp"
#include "dataset/score_trace.hpp"

namespace credence {
namespace {

/// What scores look like: row i, class k, and a number drawn for the two.
using Draw = float (*)(std::size_t i, std::size_t k, double drawn);

struct ScoreShape {
  const char* name;
  Draw draw;
};

double normal(double drawn) { return std::log(drawn / (1.0 - drawn)); }

constexpr ScoreShape kShapes[] = {
    {"plain", [](std::size_t, std::size_t, double u) { return static_cast<float>(normal(u)); }},
    {"coarse",
     [](std::size_t, std::size_t, double u) { return std::floor(static_cast<float>(4.0 * u)); }},
    {"saturated",
     [](std::size_t, std::size_t, double u) { return static_cast<float>(15.0 * normal(u)); }},
    {"rows that are equal",
     [](std::size_t i, std::size_t k, double) {
       return static_cast<float>(normal(core::uniform(5, i % 97, k)));
     }},
    {"tiny differences",
     [](std::size_t, std::size_t, double u) { return static_cast<float>(1e-9 * u); }},
    {"huge",
     [](std::size_t, std::size_t, double u) { return static_cast<float>(6e38 * (u - 0.5)); }},
    {"logarithms of probabilities that are 0 or 1",
     [](std::size_t i, std::size_t k, double u) {
       if (u < 0.3) return std::log(1e-30f);
       return i % 3 == 0 ? static_cast<float>(k == i % 2 ? -1e-9 * u : -20.0 - u)
                         : static_cast<float>(normal(u));
     }},
};

struct DrawnRows {
  Matrix<float> scores;
  Matrix<double> counts;
  Dataset data;

  DrawnRows(const ScoreShape& shape, std::size_t rows, std::size_t classes)
      : scores(rows, classes), counts(rows, classes) {
    for (std::size_t i = 0; i < rows; ++i) {
      std::size_t top = 0;
      for (std::size_t k = 0; k < classes; ++k) {
        scores(i, k) = shape.draw(i, k, core::uniform(3, i, k));
        if (scores(i, k) > scores(i, top)) top = k;
      }
      for (std::size_t vote = 0; vote < 5; ++vote) {
        const double drawn = core::uniform(4, i, vote);
        counts(i, drawn < 0.6 ? top : static_cast<std::size_t>(drawn * 1e6) % classes) += 1.0;
      }
    }
    data = make_dataset(scores.view(), ScoreKind::logits, Votes::from_counts(counts.view()));
  }
};

Calibrator fit_to_list(const MethodSpec& method, const Dataset& data, const FitOptions& options) {
  Solver solver(method, info_of(data), options);
  while (const Request* request = solver.next()) {
    solver.tell(accumulate(*request, {0, data.scores, &data.votes}));
  }
  return solver.result();
}

void expect_bits_of_list(const DrawnRows& rows, const FitOptions& options, double step_prior) {
  MethodSpec method = parse_method("ir-soft");
  std::get<TopLabelIsotonic>(method.stages.front().map).step_prior = step_prior;
  const Stage wanted = fit_to_list(method, rows.data, options).stages.front();
  Dataset looked_at = rows.data;
  looked_at.first_look = trace_finite_scores(rows.data.scores, true)->look;
  ASSERT_TRUE(looked_at.first_look);
  for (const Dataset& data : {rows.data, looked_at}) {
    const Stage found = fit(method, data, options).stages.front();
    EXPECT_EQ(found.theta, wanted.theta);
    EXPECT_EQ(found.report.loss, wanted.report.loss);
  }
}

/// A look at other scores is of no use, whatever it says.
TEST(IsotonicRows, AreNotFittedToALookAtOthers) {
  const DrawnRows rows(kShapes[0], 5000, 40), others(kShapes[2], 5000, 40);
  Dataset data = rows.data;
  data.first_look = trace_finite_scores(others.data.scores, true)->look;
  const MethodSpec method = parse_method("ir-soft");
  EXPECT_EQ(fit(method, data).stages.front().theta, fit(method, rows.data).stages.front().theta);
}

TEST(IsotonicRows, HaveTheBitsOfAListOfAllRows) {
  for (const ScoreShape& shape : kShapes) {
    for (const std::size_t classes : {2u, 3u, 10u, 33u, 100u, 130u}) {
      const DrawnRows rows(shape, classes < 30 ? 20000 : 3001, classes);
      for (const Gauge gauge : {Gauge::log_probs, Gauge::raw}) {
        SCOPED_TRACE(std::string(shape.name) + ", classes " + std::to_string(classes) + ", gauge " +
                     std::to_string(static_cast<int>(gauge)));
        FitOptions options;
        options.gauge = gauge;
        options.threads = 2;
        expect_bits_of_list(rows, options, 0.0);
        expect_bits_of_list(rows, options, 1.0);
      }
    }
  }
}

/// So many rows that most of them have a neighbour whose order is not certain.
TEST(IsotonicRows, HaveTheBitsOfAListOfMany) {
  for (const ScoreShape& shape : {kShapes[0], kShapes[2]}) {
    expect_bits_of_list(DrawnRows(shape, 600000, 3), {}, 0.0);
  }
}

}  // namespace
}  // namespace credence
