#include "experiment/decisions.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/normal.hpp"

namespace credence::experiment {
namespace {

/// Hits and examples of one class in one group.
struct Tally {
  double hits = 0.0, examples = 0.0;
};

/// Wilson's interval, which stays within 0 and 1 and has a width even where all or none are hit.
/// Examples of one group vary together, so that they count for fewer: as many independent ones as
/// would give the variance that is seen between groups; where all groups are alike, one per group.
ShareEstimate share(const std::vector<Tally>& groups, bool grouped, double z) {
  Tally all;
  for (const Tally& one : groups) {
    all.hits += one.hits;
    all.examples += one.examples;
  }
  const double p = all.hits / all.examples;
  double n = all.examples;
  if (grouped) {
    const auto count = static_cast<double>(groups.size());
    double squares = 0.0;
    for (const Tally& one : groups) {
      const double off = one.hits - p * one.examples;
      squares += off * off;
    }
    const double variance =
        count > 1.0 ? count / (count - 1.0) * squares / (all.examples * all.examples) : 0.0;
    n = variance > 0.0 ? std::clamp(p * (1.0 - p) / variance, 1.0, all.examples) : count;
  }
  const double middle = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
  const double half = z / (1.0 + z * z / n) * std::sqrt(p * (1.0 - p) / n + z * z / (4.0 * n * n));
  return {p, std::clamp(middle - half, 0.0, p), std::clamp(middle + half, p, 1.0)};
}

/// Recall of every class that is a majority label, by class.
std::map<std::uint32_t, ShareEstimate> recalls(const Evaluation& evaluation, const Votes& votes,
                                               std::span<const std::uint32_t> groups, double z) {
  const auto predicted = examples(evaluation).predicted;
  std::map<std::uint32_t, std::map<std::uint32_t, Tally>> tallies;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const std::uint32_t label = votes.voted(i);
    Tally& tally = tallies[label][groups.empty() ? 0 : groups[i]];
    tally.examples += 1.0;
    tally.hits += predicted[i] == label ? 1.0 : 0.0;
  }
  std::map<std::uint32_t, ShareEstimate> result;
  for (const auto& [label, by_group] : tallies) {
    std::vector<Tally> list;
    for (const auto& [group, tally] : by_group) list.push_back(tally);
    result[label] = share(list, !groups.empty(), z);
  }
  return result;
}

}  // namespace

Decisions compare_decisions(const Evaluation& before, const Evaluation& after, const Votes& votes,
                            std::span<const std::uint32_t> groups, double level) {
  Decisions result;
  const auto was = examples(before).predicted, is = examples(after).predicted;
  result.rows = was.size();
  std::map<std::uint32_t, std::size_t> counts;
  for (std::size_t i = 0; i < was.size(); ++i) {
    result.changed += was[i] != is[i] ? 1 : 0;
    ++counts[votes.voted(i)];
  }
  const double z = core::normal_quantile(level);
  const auto old_recalls = recalls(before, votes, groups, z);
  const auto new_recalls = recalls(after, votes, groups, z);
  for (const auto& [label, estimate] : old_recalls) {
    result.recalls.push_back({label, counts[label], estimate, new_recalls.at(label)});
  }
  return result;
}

Decisions decisions_of(const PairedDecisions& found, std::size_t calibrator, double level) {
  const std::size_t classes = found.labelled.size();
  const double z = core::normal_quantile(level);
  Decisions result;
  result.changed = static_cast<std::size_t>(found.changed[calibrator]);
  for (std::size_t k = 0; k < classes; ++k) {
    const double examples = found.labelled[k];
    result.rows += static_cast<std::size_t>(examples);
    if (examples == 0.0) continue;
    const auto recall = [&](std::size_t of) {
      return share({{found.hits[of * classes + k], examples}}, false, z);
    };
    result.recalls.push_back(
        {k, static_cast<std::size_t>(examples), recall(0), recall(calibrator)});
  }
  return result;
}

}  // namespace credence::experiment
