#include "experiment/auto/rule.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "core/kernels.hpp"

namespace credence::experiment {
namespace {

/// exp(-behind / scale), where nothing divides by nothing. The exponential is ours: weights have
/// the same bits everywhere.
double fading(double behind, double scale) {
  if (behind <= 0.0) return 1.0;
  if (!(scale > 0.0)) return 0.0;
  constexpr std::size_t kLanes = 16;
  std::array<double, kLanes> x{}, decay, unused;
  x[0] = std::min(behind / scale, 700.0);  // beyond, the weight is dropped in any case
  core::kernels().f64.softplus(x.data(), kLanes, decay.data(), unused.data());
  return decay[0];
}

void scale_to_one(std::vector<double>& weights) {
  double sum = 0.0;
  for (const double weight : weights) sum += weight;
  for (double& weight : weights) weight /= sum;
}

void drop_small(std::vector<double>& weights, double least) {
  scale_to_one(weights);
  for (double& weight : weights) weight = weight < least ? 0.0 : weight;
  scale_to_one(weights);
}

std::vector<double> one_alone(const LossTable& losses, const std::vector<bool>& usable,
                              std::span<const std::size_t> parameters, const AutoRule& rule) {
  const std::size_t m = losses.candidates(), best = best_of(losses, usable);
  std::size_t chosen = best;
  if (losses.rows < rule.single_rows) {
    for (std::size_t c = 0; c < m; ++c) {
      const double behind = losses.mean[c] - losses.mean[best];
      if (!usable[c] || behind > losses.error_between(c, best)) continue;
      const bool simpler =
          parameters[c] < parameters[chosen] ||
          (parameters[c] == parameters[chosen] && losses.mean[c] < losses.mean[chosen]);
      if (simpler) chosen = c;
    }
  }
  std::vector<double> weights(m, 0.0);
  weights[chosen] = 1.0;
  return weights;
}

}  // namespace

std::size_t best_of(const LossTable& losses, const std::vector<bool>& usable) {
  std::size_t best = kAsIs;
  for (std::size_t c = 0; c < losses.candidates(); ++c) {
    if (usable[c] && (!usable[best] || losses.mean[c] < losses.mean[best])) best = c;
  }
  return best;
}

double behind_with_more_rows(const LossTable& held_out, const LossTable& fitted,
                             std::size_t candidate, std::size_t best, double times) {
  const double now = held_out.mean[candidate] - held_out.mean[best];
  const double seen = fitted.mean[candidate] - fitted.mean[best];
  const double limit = 0.5 * (now + seen);
  return std::min(now, limit + (now - limit) / times);
}

std::vector<double> weigh_simplest(const LossTable& losses, const std::vector<bool>& usable,
                                   const AutoRule& rule) {
  std::vector<double> weights(losses.candidates(), 0.0);
  const bool as_is = usable[kAsIs];
  const bool temperature = losses.candidates() > kTemperature && usable[kTemperature];
  if (as_is && temperature) {
    const double lead = losses.mean[kAsIs] - losses.mean[kTemperature];
    const double scale = rule.simple_sharpness * losses.error_between(kAsIs, kTemperature);
    weights[kAsIs] = fading(lead, scale);
    weights[kTemperature] = fading(-lead, scale);
    drop_small(weights, rule.least_weight);
    return weights;
  }
  const std::size_t only = as_is ? kAsIs : temperature ? kTemperature : best_of(losses, usable);
  weights[only] = 1.0;
  return weights;
}

std::vector<double> weigh(const LossTable& losses, const std::vector<bool>& usable,
                          std::span<const std::size_t> parameters, Automatic kind,
                          const AutoRule& rule) {
  if (kind == Automatic::single) return one_alone(losses, usable, parameters, rule);
  const std::size_t m = losses.candidates(), best = best_of(losses, usable);
  std::vector<double> weights(m, 0.0);
  for (std::size_t c = 0; c < m; ++c) {
    if (!usable[c]) continue;
    const double behind = losses.mean[c] - losses.mean[best];
    weights[c] = fading(behind, rule.sharpness * losses.error_between(c, best));
  }
  drop_small(weights, rule.least_weight);
  const double ratio = losses.rows / rule.simple_rows;
  const double share = 1.0 / (1.0 + ratio * ratio);
  return blend(std::move(weights), weigh_simplest(losses, usable, rule), share, rule);
}

std::vector<double> blend(std::vector<double> weights, const std::vector<double>& simplest,
                          double share, const AutoRule& rule) {
  for (std::size_t c = 0; c < weights.size(); ++c) {
    weights[c] = (1.0 - share) * weights[c] + share * simplest[c];
  }
  drop_small(weights, rule.least_weight);
  return weights;
}

double share_of_simplest(const LossTable& losses, std::size_t all, std::size_t simplest,
                         const AutoRule& rule) {
  if (losses.infinite[simplest] > 0.0) return 0.0;
  if (losses.infinite[all] > 0.0) return 1.0;
  const double behind = losses.mean[all] - losses.mean[simplest];
  return 1.0 - fading(behind, rule.retreat * losses.error_between(all, simplest));
}

}  // namespace credence::experiment
