// Which method to ship, by what held-out calibration rows say.
#pragma once

#include <string>
#include <vector>

#include "credence/dataset.hpp"
#include "experiment/cross_validation.hpp"

namespace credence::experiment {

struct Recommendation {
  std::string method;
  std::string why;
};

/// The lowest held-out nll. A method with fewer parameters is taken instead when it loses by less
/// than one standard error of the paired difference and by less than kNegligibleLoss of the nll:
/// what cannot be told apart and would not matter is decided by simplicity.
inline constexpr double kNegligibleLoss = 0.002;

/// `parameters[j]` counts the numbers that method j learns.
Recommendation recommend(const std::vector<MethodSpec>& methods,
                         const std::vector<HeldOut>& held_out,
                         const std::vector<std::size_t>& parameters, const Dataset& calibration);

}  // namespace credence::experiment
