// Every j-th example, to find the neighbourhood of the optimum cheaply: rows may be sorted by
// class, so a prefix would mislead.
#pragma once

#include <cstddef>
#include <vector>

#include "credence/matrix.hpp"
#include "credence/target.hpp"

namespace credence::fit_detail {

struct Subsample {
  Matrix<float> scores;
  Targets targets;
};

Subsample strided_subsample(Scores scores, const Targets& targets, std::size_t rows);

}  // namespace credence::fit_detail
