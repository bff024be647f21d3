// Are the columns of the scores the classes they are taken for? A swapped order cannot be seen in
// either file alone, and every method then calibrates nonsense.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "credence/dataset.hpp"

namespace credence {

/// The order of the score columns under which predictions agree best with the annotators.
struct ClassOrder {
  /// Class that each column of the scores looks like; column k itself where nothing is better.
  std::vector<std::uint32_t> looks_like;
  std::size_t rows = 0;         ///< that were looked at: all, or an even sample of many
  double agreement = 0.0;       ///< mean share of annotators who chose the predicted class
  double best_agreement = 0.0;  ///< the same under `looks_like`
  /// What the best of all orders gains by chance where none is better than the present one.
  double chance_gain = 0.0;
  /// The gain is beyond chance, and large on the rows that it concerns.
  bool decisive = false;

  double gain() const { return best_agreement - agreement; }
};

/// Solves the assignment problem on the cross-table of predicted classes and annotations (greedily
/// above 512 classes, which can only miss a gain, not invent one). `data` needs votes. `predicted`:
/// the class with the largest score of every row, where it is known.
ClassOrder likely_class_order(const Dataset& data, std::span<const std::uint32_t> predicted = {});

}  // namespace credence
