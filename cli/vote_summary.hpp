// What the votes of a dataset look like, in a few numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "credence/dataset.hpp"

namespace credence::cli {

struct VoteSummary {
  double fewest = 0, mean = 0, most = 0;  ///< votes per example
  double entropy = 0;                     ///< mean H(pi) / log K
  /// Probability that two different annotators of one example agree, averaged over the examples
  /// with two votes or more; empty when the number of voters is unknown or always 1.
  std::optional<double> agreement;
  std::optional<double> alpha;  ///< Krippendorff's, of the same examples
  std::size_t unanimous = 0;
  std::vector<std::size_t> tied_rows;     ///< the first few
  std::vector<std::size_t> voted_counts;  ///< examples voted k
  std::vector<double> vote_shares;        ///< mean of pi[.,k]
};

VoteSummary summarise(const Votes& votes);

/// How many classes share the most votes of example i.
std::size_t classes_with_most_votes(const Votes& votes, std::size_t i);

}  // namespace credence::cli
