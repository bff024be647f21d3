// The motivating example of Tao et al., "Confidence Calibration under Ambiguous Ground Truth".
#include <algorithm>
#include <array>
#include <cmath>

#include "core/exp_log.hpp"
#include "core/random.hpp"
#include "credence/error.hpp"
#include "credence/fit.hpp"
#include "credence/simulate.hpp"
#include "experiment/draw.hpp"
#include "experiment/mlp.hpp"

namespace credence {
namespace {

constexpr std::size_t kClasses = 3;
constexpr std::size_t kHidden = 64;
constexpr double kRate = 1e-3;

struct Cluster {
  double x, y;
  // The paper writes diag(0.60, 0.45) and so on. Read as standard deviations they give a mean
  // temperature of 0.66 for ts, read as variances 0.76; the paper has 0.62.
  double spread_x, spread_y;
  std::array<double, kClasses> shares;
  ToyRegion region;
};
constexpr std::array<Cluster, kClasses> kClusters{{
    {-3.2, 1.1, 0.60, 0.45, {1.0, 0.0, 0.0}, ToyRegion::clear},
    {0.0, 0.0, 1.15, 0.75, {0.0, 0.7, 0.3}, ToyRegion::ambiguous},
    {3.2, -1.1, 0.60, 0.45, {0.0, 0.0, 1.0}, ToyRegion::clear},
}};

// Each part and the network draw from streams of their own.
enum Stream : std::uint64_t { kTraining = 1, kCalibration, kEvaluation, kWeights };
constexpr std::uint64_t kVotes = std::uint64_t{1} << 32;

std::uint64_t stream_seed(std::uint64_t seed, Stream stream) {
  return core::mix64(core::mix64(seed ^ 0x746f7974746f7974ULL) + stream);
}

struct Pair {
  double x, y;
};

/// Two independent standard normals by the polar method (Marsaglia and Bray 1964), which needs no
/// sine: with our own logarithm the same bits whatever the instruction set.
Pair normals(std::uint64_t seed, std::uint64_t row) {
  for (std::uint64_t s = 0;; s += 2) {
    const double u = 2.0 * core::uniform(seed, row, s) - 1.0;
    const double v = 2.0 * core::uniform(seed, row, s + 1) - 1.0;
    const double square = u * u + v * v;
    if (square >= 1.0 || square == 0.0) continue;
    const double scale = std::sqrt(-2.0 * core::log_positive(square) / square);
    return {u * scale, v * scale};
  }
}

ToyPart make_part(const ToyOptions& options, Stream stream) {
  const std::uint64_t seed = stream_seed(options.seed, stream);
  const std::size_t rows = kClasses * options.points;
  ToyPart part{Matrix<double>(rows, 2), std::vector<ToyRegion>(rows), {}};
  Matrix<double> votes(rows, kClasses);
  for (std::size_t i = 0; i < rows; ++i) {
    const Cluster& cluster = kClusters[i % kClasses];
    const Pair z = normals(seed, i);
    part.points(i, 0) = cluster.x + cluster.spread_x * z.x;
    part.points(i, 1) = cluster.y + cluster.spread_y * z.y;
    part.regions[i] = cluster.region;
    if (options.annotators == 0) std::ranges::copy(cluster.shares, votes.row(i).begin());
    for (int a = 0; a < options.annotators; ++a) {
      const double u = core::uniform(seed, i, kVotes + static_cast<std::uint64_t>(a));
      votes(i, experiment::draw_class(cluster.shares, u)) += 1.0;
    }
  }
  part.votes = Votes::from_counts(votes.view());
  return part;
}

Matrix<float> to_float(const Matrix<double>& values) {
  Matrix<float> result(values.rows(), values.cols());
  std::transform(values.data(), values.data() + values.rows() * values.cols(), result.data(),
                 [](double value) { return static_cast<float>(value); });
  return result;
}

std::vector<std::size_t> rows_of(const ToyPart& part, ToyRegion region) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < part.regions.size(); ++i) {
    if (part.regions[i] == region) rows.push_back(i);
  }
  return rows;
}

Evaluation evaluate_rows(const Matrix<double>& probabilities, const Votes& votes,
                         const std::vector<std::size_t>& rows) {
  Matrix<double> selected(rows.size(), probabilities.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(probabilities.row(rows[i]), selected.row(i).begin());
  }
  return evaluate(selected.view(), votes.select(rows));
}

}  // namespace

std::string_view to_string(ToyRegion region) {
  return region == ToyRegion::clear ? "clear" : "ambiguous";
}

ToyData make_toy_data(const ToyOptions& options) {
  if (options.points == 0 || options.epochs < 0 || options.annotators < 0) {
    throw Error(ErrorCode::usage, "the toy needs at least one point per cluster");
  }
  ToyData data{.training = make_part(options, kTraining),
               .calibration = make_part(options, kCalibration),
               .evaluation = make_part(options, kEvaluation),
               .calibration_logits = {},
               .evaluation_logits = {},
               .classes = {"left", "middle", "right"}};
  experiment::Mlp model({2, kHidden, kHidden, kClasses}, stream_seed(options.seed, kWeights));
  experiment::Adam adam(model.parameters().size(), kRate);
  std::vector<double> gradient(model.parameters().size());
  const auto loss = [&] {
    return model.loss(data.training.points.view(), data.training.votes.voted(), gradient);
  };
  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    loss();
    adam.step(model.parameters(), gradient);
  }
  data.training_loss = loss();
  data.calibration_logits = to_float(model.logits(data.calibration.points.view()));
  data.evaluation_logits = to_float(model.logits(data.evaluation.points.view()));
  return data;
}

std::vector<ToyScore> score_toy(const ToyData& data) {
  const Dataset calibration = make_dataset(data.calibration_logits.view(), ScoreKind::logits,
                                           data.calibration.votes, data.classes);
  const Votes& votes = data.evaluation.votes;
  const auto ambiguous = rows_of(data.evaluation, ToyRegion::ambiguous);
  const auto clear = rows_of(data.evaluation, ToyRegion::clear);
  Matrix<double> probabilities(votes.rows(), kClasses);
  std::vector<ToyScore> scores;
  for (const std::string_view method : kToyMethods) {
    const Calibrator calibrator = fit(parse_method(method), calibration);
    calibrator.apply(data.evaluation_logits.view(), probabilities.view());
    scores.push_back({.method = method,
                      .temperature = calibrator.temperature(),
                      .all = evaluate(probabilities.view(), votes),
                      .ambiguous = evaluate_rows(probabilities, votes, ambiguous),
                      .clear = evaluate_rows(probabilities, votes, clear)});
  }
  return scores;
}

}  // namespace credence
