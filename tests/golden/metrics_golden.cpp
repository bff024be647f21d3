// Metrics against an independent float64 program (NumPy) on real data. The golden files hold the
// parameters of every smooth method; a small map evaluator written here turns them into
// probabilities, so that a failure points at the metrics and not at a fit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "credence/evaluate.hpp"
#include "real_data.hpp"

namespace credence {
namespace {

using Row = std::vector<double>;

Row log_softmax(Row z) {
  const double top = *std::max_element(z.begin(), z.end());
  double sum = 0.0;
  for (const double x : z) sum += std::exp(x - top);
  for (double& x : z) x -= top + std::log(sum);
  return z;
}

Row scaled(Row u, double factor) {
  for (double& x : u) x *= factor;
  return u;
}

Row affine(const Row& u, const Row& theta) {
  const std::size_t classes = u.size();
  Row v(theta.end() - static_cast<std::ptrdiff_t>(classes), theta.end());
  for (std::size_t j = 0; j < classes; ++j) {
    for (std::size_t k = 0; k < classes; ++k) v[j] += theta[j * classes + k] * u[k];
  }
  return v;
}

Row adaptive(const Row& u, const Row& theta) {
  const Row log_p = log_softmax(u);
  double entropy = 0.0, p1 = 0.0, p2 = 0.0;
  for (const double l : log_p) {
    const double p = std::exp(l);
    entropy -= p * l;
    p2 = std::max(p2, std::min(p, p1));
    p1 = std::max(p1, p);
  }
  const double a = theta[0] * *std::max_element(u.begin(), u.end()) +
                   theta[1] * entropy / std::log(static_cast<double>(u.size())) +
                   theta[2] * (p1 - p2) + theta[3] * p1 + theta[4];
  const double softplus = std::max(a, 0.0) + std::log1p(std::exp(-std::abs(a)));
  return scaled(u, 1.0 / (softplus + 0.1));
}

/// The map that golden values describe, or nothing for methods with steps, whose steps are not in
/// the file.
std::function<Row(const Row&)> golden_map(const std::string& method, const nlohmann::json& gauge) {
  const nlohmann::json& value = gauge.at(method);
  const Row theta = value.contains("theta") ? value["theta"].get<Row>() : Row{};
  if (method == "uncalibrated") return [](const Row& u) { return u; };
  if (value.contains("temperature")) {
    return [t = value["temperature"].get<double>()](const Row& u) { return scaled(u, 1.0 / t); };
  }
  if (method == "dirichlet-soft then ts") {
    return [first = gauge.at("dirichlet-soft").at("theta").get<Row>(),
            t = value.at("second_temperature").get<double>()](const Row& u) {
      return scaled(log_softmax(affine(u, first)), 1.0 / t);
    };
  }
  if (method == "ats") return [theta](const Row& u) { return adaptive(u, theta); };
  if (method.starts_with("dirichlet")) return [theta](const Row& u) { return affine(u, theta); };
  if (method == "vs" || method.ends_with("platt")) {
    return [theta](Row u) {
      const std::size_t classes = u.size();
      for (std::size_t k = 0; k < classes; ++k) {
        u[k] = theta[k] * u[k] + (theta.size() > classes ? theta[classes + k] : 0.0);
      }
      return u;
    };
  }
  return {};
}

class MetricsGolden : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(MetricsGolden, EveryScoreAgreesWithTheIndependentProgram) {
  CREDENCE_NEEDS_REAL_DATA();
  const auto [name, gauge_name] = GetParam();
  const real_data::Set set = real_data::load(name);
  const Matrix<double> logits = real_data::select(set.logits, set.evaluation);
  const Votes votes = Votes::from_counts(real_data::select(set.counts, set.evaluation).view());
  const nlohmann::json& gauge = set.golden.at("gauges").at(gauge_name);

  int methods = 0;
  for (const auto& [method, value] : gauge.items()) {
    const auto map = golden_map(method, gauge);
    if (!map) continue;
    SCOPED_TRACE(method);
    ++methods;
    Matrix<double> p(logits.rows(), logits.cols());
    for (std::size_t i = 0; i < p.rows(); ++i) {
      Row u(logits.row(i).begin(), logits.row(i).end());
      if (gauge_name == std::string("log_probs")) u = log_softmax(u);
      const Row log_p = log_softmax(map(u));
      std::transform(log_p.begin(), log_p.end(), p.row(i).begin(),
                     [](double l) { return std::exp(l); });
    }
    const auto& first_rows = value.at("first_rows");
    for (std::size_t i = 0; i < first_rows.size(); ++i) {
      for (std::size_t k = 0; k < p.cols(); ++k) {
        // The same float64 formula in another program: a few ulps of 1.
        ASSERT_NEAR(p(i, k), first_rows[i][k].get<double>(), 1e-12);
      }
    }
    const Evaluation result = evaluate(p.view(), votes);
    for (const auto& [metric, score] : value.at("scores").items()) {
      const auto found = result[metric];
      ASSERT_TRUE(found.has_value()) << metric;
      // Promised: 1e-8. Two float64 programs differ by the order of their sums, near 1e-14.
      EXPECT_NEAR(*found, score.get<double>(), 1e-8) << metric;
    }
  }
  EXPECT_EQ(methods, 14);
}

INSTANTIATE_TEST_SUITE_P(RealData, MetricsGolden, real_data::sets_and_gauges(),
                         real_data::set_and_gauge);

}  // namespace
}  // namespace credence
