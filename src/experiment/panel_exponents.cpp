#include "experiment/panel_exponents.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fit/blend.hpp"
#include "fit/search/dense.hpp"

namespace credence::experiment {
namespace {

constexpr int kMostSteps = 100;
constexpr std::size_t kRowsAtOnce = 1024;
/// Logarithms are float32, so a gradient is known to about 1e-7.
constexpr double kSmallGradient = 1e-7;

/// First and second derivatives of the loss, with the penalty.
struct Slope {
  std::vector<double> gradient, curvature;  ///< M, and M x M
};

class Exponents {
 public:
  Exponents(std::span<const MatrixView<const float>> logs, const Votes& votes,
            std::span<const std::uint32_t> fold, std::uint32_t without)
      : logs_(logs), votes_(votes), fold_(fold), without_(without) {
    const std::size_t n = votes.rows();
    for (std::size_t i = 0; i < n; ++i) rows_ += counts(i) ? 1.0 : 0.0;
  }

  std::vector<double> minimise() const {
    const std::size_t models = logs_.size();
    std::vector<double> b(models, 1.0 / static_cast<double>(models));
    Slope at = slope(b);
    for (int step = 0; step < kMostSteps; ++step) {
      const std::vector<std::size_t> free = free_models(b, at);
      const bool done = std::ranges::all_of(
          free, [&](std::size_t m) { return std::abs(at.gradient[m]) <= kSmallGradient; });
      if (done) break;
      const std::vector<double> move = newton_step(free, at);
      double length = 1.0;
      for (std::size_t m = 0; m < models; ++m) {
        if (move[m] < 0.0) length = std::min(length, -b[m] / move[m]);
      }
      const double downhill = along(at.gradient, move);
      // Convex along the way: too far is where the loss rises as steeply as half of what it fell.
      for (int half = 0; half < 60; ++half, length *= 0.5) {
        const std::vector<double> next = moved(b, move, length);
        Slope there = slope(next);
        if (along(there.gradient, move) > -0.5 * downhill) continue;
        b = next;
        at = std::move(there);
        break;
      }
    }
    return b;
  }

 private:
  bool counts(std::size_t row) const { return fold_.empty() || fold_[row] != without_; }

  static double along(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t m = 0; m < a.size(); ++m) sum += a[m] * b[m];
    return sum;
  }

  static std::vector<double> moved(const std::vector<double>& b, const std::vector<double>& move,
                                   double length) {
    std::vector<double> next = b;
    for (std::size_t m = 0; m < b.size(); ++m) next[m] = std::max(0.0, b[m] + length * move[m]);
    return next;
  }

  /// Those that are not held at 0 by a loss that would fall below it.
  static std::vector<std::size_t> free_models(const std::vector<double>& b, const Slope& at) {
    std::vector<std::size_t> free;
    for (std::size_t m = 0; m < b.size(); ++m) {
      if (b[m] > 0.0 || at.gradient[m] < 0.0) free.push_back(m);
    }
    return free;
  }

  std::vector<double> newton_step(const std::vector<std::size_t>& free, const Slope& at) const {
    const std::size_t models = logs_.size(), count = free.size();
    std::vector<double> curvature(count * count), step(count);
    for (std::size_t r = 0; r < count; ++r) {
      step[r] = -at.gradient[free[r]];
      for (std::size_t c = 0; c < count; ++c) {
        curvature[r * count + c] = at.curvature[free[r] * models + free[c]];
      }
    }
    step = fit_detail::Cholesky(std::move(curvature), count).solve(step);
    std::vector<double> move(models, 0.0);
    for (std::size_t r = 0; r < count; ++r) move[free[r]] = step[r];
    return move;
  }

  Slope slope(const std::vector<double>& b) const {
    const std::size_t models = logs_.size(), classes = logs_.front().cols(), n = votes_.rows();
    Slope sum{std::vector<double>(models, 0.0), std::vector<double>(models * models, 0.0)};
    Matrix<double> p(kRowsAtOnce, classes);
    std::vector<MatrixView<const float>> part(models);
    std::vector<double> mean(models);
    for (std::size_t first = 0; first < n; first += kRowsAtOnce) {
      const std::size_t count = std::min(kRowsAtOnce, n - first);
      for (std::size_t m = 0; m < models; ++m) part[m] = logs_[m].block(first, count);
      fit_detail::blend(part, b, p.view().block(0, count));
      for (std::size_t i = 0; i < count; ++i) {
        if (counts(first + i)) add_row(first + i, part, i, p.row(i), mean, sum);
      }
    }
    const auto m_count = static_cast<double>(models);
    for (std::size_t m = 0; m < models; ++m) {
      sum.gradient[m] = (sum.gradient[m] + m_count * (b[m] - 1.0 / m_count)) / rows_;
      sum.curvature[m * models + m] += m_count;
    }
    for (double& value : sum.curvature) value /= rows_;
    return sum;
  }

  /// Gradient: what the model expects of its logarithms minus what the votes show; curvature: their
  /// covariance.
  void add_row(std::size_t row, const std::vector<MatrixView<const float>>& part, std::size_t place,
               std::span<const double> p, std::vector<double>& mean, Slope& sum) const {
    const std::size_t models = part.size();
    for (std::size_t m = 0; m < models; ++m) {
      const std::span<const float> logs = part[m].row(place);
      double expected = 0.0, seen = 0.0;
      for (std::size_t k = 0; k < p.size(); ++k) expected += p[k] * double{logs[k]};
      const VoteRow votes = votes_.row(row);
      for (std::size_t v = 0; v < votes.classes.size(); ++v) {
        seen += votes.weights[v] / votes_.total(row) * double{logs[votes.classes[v]]};
      }
      mean[m] = expected;
      sum.gradient[m] += expected - seen;
    }
    for (std::size_t a = 0; a < models; ++a) {
      const std::span<const float> one = part[a].row(place);
      for (std::size_t c = 0; c <= a; ++c) {
        const std::span<const float> other = part[c].row(place);
        double covariance = 0.0;
        for (std::size_t k = 0; k < p.size(); ++k) {
          covariance += p[k] * (double{one[k]} - mean[a]) * (double{other[k]} - mean[c]);
        }
        sum.curvature[a * models + c] += covariance;
        if (c != a) sum.curvature[c * models + a] += covariance;
      }
    }
  }

  std::span<const MatrixView<const float>> logs_;
  const Votes& votes_;
  std::span<const std::uint32_t> fold_;
  std::uint32_t without_;
  double rows_ = 0.0;
};

}  // namespace

std::vector<double> fit_exponents(std::span<const MatrixView<const float>> logs, const Votes& votes,
                                  std::span<const std::uint32_t> fold, std::uint32_t without) {
  return Exponents(logs, votes, fold, without).minimise();
}

}  // namespace credence::experiment
