// Subgroups in words and as a figure.
#include <fmt/format.h>

#include <cmath>

#include "credence/evaluation_report.hpp"
#include "credence/figures.hpp"
#include "credence/text.hpp"

namespace credence::report {

std::string subgroups_in_words(const Subgroups& subgroups) {
  if (!subgroups.worst) {
    return "In no subgroup is confidence off beyond chance.";
  }
  const SubgroupScore& worst = subgroups.scores[*subgroups.worst];
  return fmt::format(
      "Worst of those beyond chance: {}, where confidence is {:.1f} points too {} on {} examples.",
      worst.name, 100.0 * std::abs(worst.gap.value), worst.gap.value > 0.0 ? "high" : "low",
      grouped_digits(worst.examples));
}

std::string subgroups_figure(const EvaluationResult& result) {
  figure::SubgroupGaps gaps;
  for (const SubgroupScore& score : result.subgroups.value_or(Subgroups{}).scores) {
    gaps.rows.push_back({score.name, score.examples, score.gap.value, score.gap.low, score.gap.high,
                         score.examples < kFewestInSubgroup});
  }
  figure::Caption caption;
  caption.title = "Confidence minus agreement by subgroup";
  if (result.subgroups) caption.description = subgroups_in_words(*result.subgroups);
  return figure::subgroup_gaps(gaps, caption, figure::Frame::file);
}

}  // namespace credence::report
