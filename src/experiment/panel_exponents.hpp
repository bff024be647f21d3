// How much each model of a panel counts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "credence/dataset.hpp"

namespace credence::experiment {

/// The exponents b >= 0 that minimise the mean over rows of the cross-entropy between the votes'
/// shares and softmax(sum_m b_m logs_m), plus M / (2 n) sum_m (b_m - 1/M)^2 for M models, which
/// weighs less than a row: it divides what equal models count evenly, and gives M copies of a model
/// what it gives to one. Convex. Looks at the rows whose fold is not `without`; at all rows where
/// `fold` is empty.
std::vector<double> fit_exponents(std::span<const MatrixView<const float>> logs, const Votes& votes,
                                  std::span<const std::uint32_t> fold, std::uint32_t without);

}  // namespace credence::experiment
