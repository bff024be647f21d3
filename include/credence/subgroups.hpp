// Is confidence honest for everybody? Scores of parts of the rows: hospitals, languages, age
// groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/metrics.hpp"

namespace credence {

/// A mean over examples; no interval for a single unit.
struct MeanEstimate {
  double value = 0.0;
  std::optional<double> low, high;
};

struct SubgroupScore {
  std::string name;
  std::size_t examples = 0;
  MeanEstimate gap;  ///< mean confidence minus agreement: above 0 is over-confident
  MeanEstimate nll;  ///< infinite where one of its rows is
  double accuracy = 0.0, ece_expected = 0.0;
};

struct Subgroups {
  double level = 0.0;                 ///< that all intervals of a column hold together
  double single_level = 0.0;          ///< of each, after Bonferroni's correction for their number
  std::vector<SubgroupScore> scores;  ///< largest |gap| first
  /// The first whose gap is beyond chance and that has kFewestInSubgroup rows; none where none is.
  std::optional<std::size_t> worst;
};
inline constexpr std::size_t kFewestInSubgroup = 20;

/// The evaluation must have kept its rows. Rows of one group (`groups` may be empty) vary together,
/// which the intervals allow for. Means are taken to be normal.
Subgroups score_subgroups(const Evaluation& evaluation, const SubgroupLabels& labels,
                          std::span<const std::uint32_t> groups, double level);

}  // namespace credence
