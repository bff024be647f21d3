// The product of several distributions, each to a power of its own.
#pragma once

#include <span>
#include <vector>

#include "credence/matrix.hpp"

namespace credence::fit_detail {

/// Logarithms of probabilities as float32, like scores.
Matrix<float> log_of(Rows probabilities);

/// softmax(sum over m of exponents[m] * logs[m]), row by row.
void blend(std::span<const MatrixView<const float>> logs, std::span<const double> exponents,
           MutRows out);

}  // namespace credence::fit_detail
