#include "experiment/recommend.hpp"

#include <fmt/format.h>

#include <optional>

namespace credence::experiment {

Recommendation recommend(const std::vector<MethodSpec>& methods,
                         const std::vector<HeldOut>& held_out,
                         const std::vector<std::size_t>& parameters, const Dataset& calibration) {
  std::vector<double> mean(methods.size());
  std::optional<std::size_t> best;
  for (std::size_t j = 0; j < methods.size(); ++j) {
    if (!held_out[j].problem.empty()) continue;
    mean[j] = mean_over_rows(held_out[j].nll, calibration).mean;
    if (!best || mean[j] < mean[*best]) best = j;
  }
  if (!best) return {{}, "no method could be cross-validated on the calibration rows"};

  std::size_t chosen = *best;
  for (std::size_t j = 0; j < methods.size(); ++j) {
    if (!held_out[j].problem.empty() || parameters[j] >= parameters[chosen]) continue;
    std::vector<double> loss(held_out[j].nll);
    for (std::size_t i = 0; i < loss.size(); ++i) loss[i] -= held_out[*best].nll[i];
    const MeanOverRows difference = mean_over_rows(loss, calibration);
    if (difference.mean <= difference.standard_error &&
        difference.mean <= kNegligibleLoss * mean[*best]) {
      chosen = j;
    }
  }
  std::string why = fmt::format("lowest nll ({:.4f})", mean[*best]);
  if (chosen != *best) {
    why = fmt::format(
        "nll {:.4f}, not to be told from {:.4f} of {}, with {} parameters instead of {}",
        mean[chosen], mean[*best], methods[*best].name, parameters[chosen], parameters[*best]);
  }
  return {methods[chosen].name, why};
}

}  // namespace credence::experiment
