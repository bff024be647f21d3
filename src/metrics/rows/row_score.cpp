#include "metrics/rows/row_score.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/dirichlet_multinomial.hpp"
#include "core/kernels.hpp"

namespace credence::metrics {
namespace {

/// Logarithms are taken this many at a time.
constexpr std::size_t kLogLanes = 8;

/// Beyond this many classes with votes, sorting them is faster than comparing every pair.
constexpr std::size_t kFewClasses = 32;

/// Pair by pair: the votes come in no order that a processor could guess.
bool pairs_in_order(const ScoredVotes& votes) {
  for (std::size_t a = 1; a < votes.weights.size(); ++a) {
    bool wrong = false;
    for (std::size_t b = 0; b < a; ++b) {
      const double more = votes.weights[a] - votes.weights[b], above = votes.p[a] - votes.p[b];
      wrong |= (more > 0.0 && !(above > 0.0)) || (more < 0.0 && !(above < 0.0));
    }
    if (wrong) return false;
  }
  return true;
}

bool sorted_in_order(const ScoredVotes& votes) {
  std::vector<std::pair<double, double>> ranked;  // weight and p, most votes first
  for (std::size_t v = 0; v < votes.weights.size(); ++v) {
    ranked.emplace_back(-votes.weights[v], votes.p[v]);
  }
  std::sort(ranked.begin(), ranked.end());
  double above = std::numeric_limits<double>::infinity();  // the least p of those with more votes
  for (std::size_t first = 0, next = 0; first < ranked.size(); first = next) {
    while (next < ranked.size() && ranked[next].first == ranked[first].first) ++next;
    if (!(ranked[next - 1].second < above)) return false;
    above = ranked[first].second;
  }
  return true;
}

/// True when p ranks every class above all classes with fewer votes. Classes with equally many
/// votes may stand in any order: the annotators do not rank them. `least` is the smallest p of a
/// class with votes.
bool same_ranking(const ModelRow& model, const ScoredVotes& votes, double least) {
  if (!(model.rest_most < least)) return false;
  return votes.weights.size() <= kFewClasses ? pairs_in_order(votes) : sorted_in_order(votes);
}

}  // namespace

void take_logs(std::span<double> x) {
  for (double& value : x) value = std::max(value, std::numeric_limits<double>::min());
  const std::size_t whole = x.size() / kLogLanes * kLogLanes;
  core::kernels().f64.log_positive(x.data(), whole);
  if (whole == x.size()) return;
  std::array<double, kLogLanes> last;
  last.fill(1.0);
  const auto rest = x.subspan(whole);
  std::copy(rest.begin(), rest.end(), last.begin());
  core::kernels().f64.log_positive(last.data(), last.size());
  std::copy_n(last.begin(), rest.size(), rest.begin());
}

RowScore score_row(const ModelRow& model, const ScoredVotes& votes) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double m = votes.total;
  double top_share = 0.0, squared_shares = 0.0, pairs = 0.0, cross_entropy = 0.0, most = 0.0;
  double squared_gap = model.rest_square, distance = model.rest_sum, least = kInfinity;
  std::uint32_t voted = 0;
  for (std::size_t v = 0; v < votes.classes.size(); ++v) {
    const double c = votes.weights[v], share = votes.shares[v], p = votes.p[v], gap = p - share;
    squared_gap += gap * gap;
    distance += std::abs(gap);
    if (!(c > 0.0)) continue;
    least = std::min(least, p);
    top_share = votes.classes[v] == model.predicted ? share : top_share;
    voted = c > most ? votes.classes[v] : voted;
    most = std::max(most, c);
    squared_shares += share * share;
    pairs += c * (c - 1.0);
    cross_entropy -= share * (p > kLeastProbability ? votes.log_p[v] : -kInfinity);
  }
  RowScore score{};
  at(score, Statistic::count) = 1.0;
  at(score, Statistic::hit) = voted == model.predicted ? 1.0 : 0.0;
  at(score, Statistic::agreement) = top_share;
  at(score, Statistic::entropy) = votes.entropy;
  at(score, Statistic::nll) = cross_entropy;
  at(score, Statistic::brier) = squared_gap;
  at(score, Statistic::disagreement) = 1.0 - squared_shares;
  at(score, Statistic::pointwise) = std::abs(model.confidence - top_share);
  at(score, Statistic::total_variation) = 0.5 * distance;
  at(score, Statistic::entropy_gap) = std::abs(model.entropy - votes.entropy);
  at(score, Statistic::ranking) = same_ranking(model, votes, least) ? 1.0 : 0.0;
  if (m >= 2.0) {
    at(score, Statistic::repeated) = 1.0;
    at(score, Statistic::brier_unbiased) = squared_gap - (1.0 - squared_shares) / (m - 1.0);
    at(score, Statistic::ceiling) = 1.0 - pairs / (m * (m - 1.0));
    if (model.inverse_concentration >= 0.0) {
      at(score, Statistic::dm_nll) =
          std::isfinite(cross_entropy)
              ? -core::vote_likelihood(votes.p, votes.weights, m, model.inverse_concentration).log
              : cross_entropy;
      at(score, Statistic::predicted_disagreement) = model.disagreement;
    }
  }
  return score;
}

}  // namespace credence::metrics
