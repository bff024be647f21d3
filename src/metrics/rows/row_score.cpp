#include "metrics/rows/row_score.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/dirichlet_multinomial.hpp"

namespace credence::metrics {
namespace {

double log_loss(double p) {
  return p > kLeastProbability ? -std::log(p) : std::numeric_limits<double>::infinity();
}

/// Terms are added in ascending order, so that the same votes for other classes give the same bits
/// and fall into the same bin of entropy.
double vote_entropy(const ScoredVotes& votes, std::vector<double>& sorted) {
  sorted.assign(votes.weights.begin(), votes.weights.end());
  std::sort(sorted.begin(), sorted.end());
  double sum = 0.0;
  for (const double c : sorted) {
    if (c > 0.0) sum -= c / votes.total * std::log(c / votes.total);
  }
  return sum;
}

/// True when p ranks every class above all classes with fewer votes. Classes with equally many
/// votes may stand in any order: the annotators do not rank them.
bool same_ranking(const ModelRow& model, const ScoredVotes& votes,
                  std::vector<std::size_t>& order) {
  order.resize(votes.weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return votes.weights[a] > votes.weights[b]; });
  double lowest = std::numeric_limits<double>::infinity();  // of the classes with more votes
  for (std::size_t first = 0; first < order.size();) {
    const double weight = votes.weights[order[first]];
    double least = lowest;
    std::size_t next = first;
    for (; next < order.size() && votes.weights[order[next]] == weight; ++next) {
      const double p = votes.p[order[next]];
      if (!(p < lowest)) return false;
      least = std::min(least, p);
    }
    if (weight > 0.0) lowest = least;
    first = next;
  }
  return model.rest_most < lowest;
}

}  // namespace

RowScore score_row(const ModelRow& model, const ScoredVotes& votes, RowScratch& scratch) {
  const double m = votes.total;
  double top_share = 0.0, squared_shares = 0.0, pairs = 0.0, cross_entropy = 0.0, most = 0.0;
  double squared_gap = model.rest_square, distance = model.rest_sum;
  std::uint32_t voted = 0;
  for (std::size_t v = 0; v < votes.classes.size(); ++v) {
    const double c = votes.weights[v], share = c / m, gap = votes.p[v] - share;
    squared_gap += gap * gap;
    distance += std::abs(gap);
    if (!(c > 0.0)) continue;
    if (votes.classes[v] == model.predicted) top_share = share;
    if (c > most) most = c, voted = votes.classes[v];
    squared_shares += share * share;
    pairs += c * (c - 1.0);
    cross_entropy += share * log_loss(votes.p[v]);
  }
  RowScore score{};
  at(score, Statistic::count) = 1.0;
  at(score, Statistic::hit) = voted == model.predicted ? 1.0 : 0.0;
  at(score, Statistic::agreement) = top_share;
  at(score, Statistic::entropy) = vote_entropy(votes, scratch.sorted);
  at(score, Statistic::nll) = cross_entropy;
  at(score, Statistic::brier) = squared_gap;
  at(score, Statistic::disagreement) = 1.0 - squared_shares;
  at(score, Statistic::pointwise) = std::abs(model.confidence - top_share);
  at(score, Statistic::total_variation) = 0.5 * distance;
  at(score, Statistic::entropy_gap) = std::abs(model.entropy - at(score, Statistic::entropy));
  at(score, Statistic::ranking) = same_ranking(model, votes, scratch.order) ? 1.0 : 0.0;
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
