#include "credence/subgroups.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/normal.hpp"
#include "experiment/cross_validation.hpp"

namespace credence {
namespace {

/// The numbers of some rows, and the groups of these rows numbered anew.
struct Part {
  std::vector<double> confidence, agreement, gap, nll;
  std::vector<std::uint32_t> groups;
  std::size_t hits = 0;
};

MeanEstimate estimate(const std::vector<double>& values, std::span<const std::uint32_t> groups,
                      double z) {
  const auto [mean, error] = experiment::mean_over_rows(values, groups);
  if (!std::isfinite(mean) || !std::isfinite(error)) return {mean, {}, {}};
  return {mean, mean - z * error, mean + z * error};
}

SubgroupScore score_part(const Part& part, const std::string& name, int bins, double z) {
  SubgroupScore score;
  score.name = name;
  score.examples = part.gap.size();
  score.gap = estimate(part.gap, part.groups, z);
  score.nll = estimate(part.nll, part.groups, z);
  score.accuracy = static_cast<double>(part.hits) / static_cast<double>(part.gap.size());
  score.ece_expected = ece_expected(part.confidence, part.agreement, bins);
  return score;
}

bool is_beyond_chance(const MeanEstimate& gap) {
  return gap.low && gap.high && (*gap.low > 0.0 || *gap.high < 0.0);
}

}  // namespace

Subgroups score_subgroups(const Evaluation& evaluation, const SubgroupLabels& labels,
                          std::span<const std::uint32_t> groups, double level) {
  const ExampleScores rows = examples(evaluation);
  std::vector<Part> parts(labels.names.size());
  for (std::size_t i = 0; i < labels.of_row.size(); ++i) {
    Part& part = parts[labels.of_row[i]];
    part.confidence.push_back(rows.confidence[i]);
    part.agreement.push_back(rows.agreement[i]);
    part.gap.push_back(rows.confidence[i] - rows.agreement[i]);
    part.nll.push_back(rows.nll[i]);
    part.hits += rows.hit[i] != 0 ? 1 : 0;
    if (!groups.empty()) part.groups.push_back(groups[i]);
  }
  Subgroups result;
  const auto present = std::ranges::count_if(parts, [](const Part& p) { return !p.gap.empty(); });
  result.level = level;
  result.single_level =
      1.0 - (1.0 - level) / static_cast<double>(std::max<std::ptrdiff_t>(present, 1));
  const double z = core::normal_quantile(result.single_level);
  const auto bins = static_cast<int>(evaluation.reliability.size());
  for (std::size_t g = 0; g < parts.size(); ++g) {
    if (!parts[g].gap.empty()) {
      result.scores.push_back(score_part(parts[g], labels.names[g], bins, z));
    }
  }
  std::ranges::stable_sort(result.scores, std::ranges::greater{},
                           [](const SubgroupScore& score) { return std::abs(score.gap.value); });
  for (std::size_t g = 0; g < result.scores.size() && !result.worst; ++g) {
    const SubgroupScore& score = result.scores[g];
    if (score.examples >= kFewestInSubgroup && is_beyond_chance(score.gap)) result.worst = g;
  }
  return result;
}

}  // namespace credence
