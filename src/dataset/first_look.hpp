// What a look in float32 at every row of scores found, for whoever wants their order by confidence.
#pragma once

#include <cstdint>
#include <vector>

#include "credence/dataset.hpp"

namespace credence {

struct FirstLook {
  Scores of;                       ///< these very rows
  std::vector<float> others;       ///< as ArrayKernels::top_roughly gives them
  std::vector<std::uint32_t> top;  ///< the predicted classes

  /// Whether it is a look at these rows.
  bool is_of(Scores scores) const {
    return of.data() == scores.data() && of.rows() == scores.rows() && of.cols() == scores.cols();
  }
};

}  // namespace credence
