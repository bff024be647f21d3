// Problems on which fits used to fail in silence, and what must hold for every one of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

#include "core/random.hpp"
#include "credence/fit.hpp"
#include "reference_fit.hpp"
#include "synthetic.hpp"

namespace credence::testing_data {

struct Problem {
  std::string kind;
  Matrix<float> scores;
  Matrix<double> counts;
  Gauge gauge = Gauge::log_probs;
  Dataset data() const {
    return make_dataset(scores.view(), ScoreKind::logits, Votes::from_counts(counts.view()));
  }
};

/// Problem number `seed`: 1 to 500 rows, 2 to 50 classes (mostly few), scores that are masked,
/// huge, tiny, of unlike sizes, duplicated, tied or in favour of one class; raw gauge every third
/// time.
inline Problem bad_problem(std::uint64_t seed) {
  std::uint64_t drawn = 0;
  const auto uniform = [&] { return core::uniform(seed, 1'000'003, drawn++); };
  const auto below = [&](std::size_t most) {
    return std::min(most - 1, static_cast<std::size_t>(uniform() * static_cast<double>(most)));
  };
  const auto rows = static_cast<std::size_t>(std::exp(uniform() * std::log(501.0)));
  const double share = uniform();
  const auto classes =
      static_cast<std::size_t>(2.0 * std::exp(share * share * share * share * std::log(25.5)));
  constexpr std::array kKinds{"ordinary", "masked",     "partly masked", "huge",      "tiny",
                              "columns",  "rows apart", "duplicated",    "one class", "ties"};
  Problem out{kKinds[seed % kKinds.size()], Matrix<float>(rows, classes),
              Matrix<double>(rows, classes),
              seed / kKinds.size() % 3 == 2 ? Gauge::raw : Gauge::log_probs};
  const auto is = [&](const char* kind) { return out.kind == kind; };
  const double offset = uniform() < 0.3 ? 200.0 : 0.0;
  const double size = is("huge")   ? std::pow(10.0, 2.0 + 28.0 * uniform())
                      : is("tiny") ? std::pow(10.0, -30.0 * uniform())
                                   : std::pow(10.0, 2.0 * uniform() - 0.5);
  constexpr std::array kMasks{-40.0, -100.0, -1e3, -1e4, -1e9, -1e30};
  const double mask = kMasks[below(kMasks.size())];
  const std::size_t masked = below(classes), favoured = below(classes), distinct = 1 + below(5);
  std::vector<double> column(classes);
  for (double& c : column) c = is("columns") ? std::pow(10.0, 12.0 * uniform() - 6.0) : 1.0;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint64_t like = is("duplicated") ? i % distinct : i;
    const double row =
        is("rows apart") ? std::pow(10.0, 8.0 * core::uniform(seed, like, 900) - 4.0) : 1.0;
    std::vector<double> truth(classes);
    double sum = 0.0;
    for (std::size_t k = 0; k < classes; ++k) {
      const double logit = 1.5 * normal(seed, like, k);
      double z = size * column[k] * row * (logit + 0.7 * normal(seed + 7, like, k)) + offset;
      if (is("ties")) z = std::round(logit);
      if (is("masked") && k == masked) z = mask;
      if (is("partly masked") && core::uniform(seed, like, 800 + k) < 0.3) z = mask;
      out.scores(i, k) = static_cast<float>(std::clamp(z, -1e37, 1e37));
      sum += truth[k] = std::exp(logit);
    }
    const auto votes = 2 + static_cast<std::size_t>(4.0 * core::uniform(seed, like, 901));
    for (std::size_t s = 0; s < votes; ++s) {
      double left = core::uniform(seed + 2, like, s) * sum;
      std::size_t k = 0;
      while (k + 1 < classes && left >= truth[k]) left -= truth[k++];
      out.counts(i, is("one class") ? favoured : k) += 1.0;
    }
  }
  return out;
}

inline double largest_score(const Problem& problem) {
  double most = 0.0;
  for (std::size_t i = 0; i < problem.scores.rows(); ++i) {
    for (const float z : problem.scores.row(i)) most = std::max(most, std::abs(double(z)));
  }
  return most;
}

inline Matrix<double> written_out(const Targets& targets, std::size_t classes) {
  Matrix<double> q(targets.rows(), classes);
  for (std::size_t i = 0; i < q.rows(); ++i) {
    for (std::uint32_t k = 0; k < classes; ++k) q(i, k) = targets.at(i, k, classes);
  }
  return q;
}

/// How fits ended, for who wants to know.
using Outcomes = std::map<std::string, std::map<std::string, int>>;

/// Losses are compared to 1e-9, as a share of the loss where that is above 1: a sum of numbers near
/// 1e30 has no ninth digit behind the point.
inline double slack(double loss, double per_unit = 1e-9) {
  return per_unit * std::max(1.0, std::abs(loss));
}

/// Whether parameter j can still move the way its gradient points.
inline bool is_free(const MapSpec& map, double theta, Real gradient) {
  if (!std::holds_alternative<Temperature>(map) &&
      !std::holds_alternative<ClassTemperatures>(map)) {
    return true;
  }
  return !((theta <= 1.0 / kMaxTemperature && gradient > 0) ||
           (theta >= 1.0 / kMinTemperature && gradient < 0));
}

/// The loss is what the report says, the outcome is the truth, and a minimum is one.
inline void expect_truthful(const Stage& stage, const ReferenceFit& reference, int max_passes) {
  const FitReport& report = stage.report;
  Vector theta(Eigen::Index(stage.theta.size()));
  for (std::size_t j = 0; j < stage.theta.size(); ++j) theta[Eigen::Index(j)] = stage.theta[j];
  const Value value = reference.at(theta);
  const double loss = static_cast<double>(value.loss);
  // Logits are rounded to 1e-16 of the terms that they are the sum of.
  const double rounding = 1e-15 * static_cast<double>(reference.largest_term(stage.theta));
  EXPECT_NEAR(report.loss, loss, slack(loss) + rounding);
  if (report.stop == Stop::iteration_limit) {
    EXPECT_GE(report.passes, max_passes);
    return;
  }
  // Where there is no minimum the loss is all there is to compare.
  if (report.stop == Stop::no_progress || report.stop == Stop::no_minimiser) return;
  // 1e-7 of what a parameter multiplies is what fits call a tiny gradient; twice that, because the
  // library measures in another precision.
  for (std::size_t j = 0; j < stage.theta.size(); ++j) {
    const Real g = value.gradient[Eigen::Index(j)];
    if (reference.is_rounding(j) || !is_free(stage.map, stage.theta[j], g)) continue;
    EXPECT_LE(std::abs(g), 2e-7L * reference.size(j) + Real(rounding) * reference.size(j))
        << "parameter " << j;
  }
  if (report.stop == Stop::at_bound) {
    EXPECT_TRUE(std::ranges::any_of(stage.theta, [](double b) {
      return b == 1.0 / kMaxTemperature || b == 1.0 / kMinTemperature;
    }));
  }
}

/// How much work one problem may be.
struct Thoroughness {
  /// Matrix maps of more classes are left out, unless they are too large to factorise (from 32).
  std::size_t matrix_classes = 10;
  /// The reference is asked where rows times squared parameters are no more.
  std::size_t reference_work = 10'000;
};

/// Every claim about one problem.
inline void expect_sound_fits(const Problem& problem, const Thoroughness& thoroughness,
                              Outcomes& outcomes) {
  const Dataset data = problem.data();
  const std::size_t classes = data.classes_count();
  FitOptions options;
  options.gauge = problem.gauge;
  options.threads = 1;
  for (const TargetSpec& target : {TargetSpec{Annotators{}}, TargetSpec{Voted{}}}) {
    const Targets targets = make_target(target, data, options.seed);
    const Matrix<double> q = written_out(targets, classes);
    double simplest = INFINITY, class_temperatures = INFINITY;
    for (const MapSpec& map : {MapSpec{Temperature{}}, MapSpec{ClassTemperatures{}},
                               MapSpec{DiagonalAffine{}}, MapSpec{MatrixAffine{}}}) {
      SCOPED_TRACE(std::string(target_name(target)) + "+" + std::string(map_name(map)));
      if (std::holds_alternative<MatrixAffine>(map) && classes < 32 &&
          classes > thoroughness.matrix_classes) {
        continue;
      }
      const Stage stage = fit_stage(map, data, targets, options);
      ++outcomes[std::string(map_name(map))][std::string(to_string(stage.report.stop))];
      const ReferenceFit reference(map, problem.scores, q, problem.gauge);
      expect_truthful(stage, reference, options.max_passes);
      const double loss = stage.report.loss;
      if (std::holds_alternative<Temperature>(map)) {
        simplest = std::min(simplest, static_cast<double>(reference.at(reference.identity()).loss));
      }
      EXPECT_LE(loss, simplest + slack(simplest)) << to_string(stage.report.stop);
      if (std::holds_alternative<Temperature>(map)) simplest = std::min(simplest, loss);
      if (std::holds_alternative<ClassTemperatures>(map)) class_temperatures = loss;
      if (std::holds_alternative<DiagonalAffine>(map)) {
        EXPECT_LE(loss, class_temperatures + slack(class_temperatures))
            << to_string(stage.report.stop);
      }
      const bool claims_least =
          stage.report.stop != Stop::no_progress && stage.report.stop != Stop::iteration_limit;
      const std::size_t work = data.rows() * reference.parameters() * reference.parameters();
      // Log-probabilities of scores near 1e-10 have six digits of them left, which is not enough to
      // agree on a loss to eight.
      const bool resolved = problem.gauge == Gauge::raw || largest_score(problem) > 1e-3;
      if (claims_least && resolved && work <= thoroughness.reference_work) {
        const auto [least, reach] = reference.minimum();
        const double rounding = 1e-15 * static_cast<double>(reference.largest_term(stage.theta));
        const double allowed = slack(static_cast<double>(least), 1e-8) + rounding;
        // "No minimiser" says that less can be had only by parameters without bound: logits in the
        // millions, or the last millionth.
        if (stage.report.stop == Stop::no_minimiser) {
          EXPECT_TRUE(loss <= least + std::max(1e-6, allowed) || reach > 1e6)
              << loss << " " << least << " " << reach;
        } else {
          EXPECT_LE(loss, least + allowed) << to_string(stage.report.stop);
        }
      }
    }
    // Not convex, and no temperature below 0.1: no worse than the simpler maps within its reach.
    const Stage constant = fit_stage(Temperature{}, data, targets, options);
    const Stage adaptive = fit_stage(AdaptiveTemperature{}, data, targets, options);
    ++outcomes["adaptive"][std::string(to_string(adaptive.report.stop))];
    if (1.0 / constant.theta.front() >= 0.11) {
      EXPECT_LE(adaptive.report.loss, simplest + slack(simplest))
          << to_string(adaptive.report.stop);
    }
  }
  // A second stage starts from what the first gives; its own target is the same here.
  for (const char* method : {"soft-platt then slts", "vs then soft-platt"}) {
    SCOPED_TRACE(method);
    const Calibrator both = fit(parse_method(method), data, options);
    const double first = both.stages[0].report.loss, second = both.stages[1].report.loss;
    EXPECT_LE(second, first + slack(first));
  }
}

}  // namespace credence::testing_data
