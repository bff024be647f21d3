#include "text/subgroup_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "credence/evaluation_report.hpp"
#include "text/output.hpp"
#include "text/table.hpp"

namespace credence::cli {
namespace {

std::string with_bounds(const MeanEstimate& mean, double scale, int digits) {
  if (!std::isfinite(mean.value)) return "infinite";
  const std::string value = fmt::format("{:.{}f}", scale * mean.value, digits);
  if (!mean.low || !mean.high) return value;
  return fmt::format("{} [{:.{}f}, {:.{}f}]", value, scale * *mean.low, digits, scale * *mean.high,
                     digits);
}

}  // namespace

std::string subgroups_text(const Subgroups& subgroups, const Paint& paint) {
  TextTable table({"subgroup", "examples", "confidence - agreement, points", "nll",
                   "ece_expected %", "accuracy %"},
                  "lrrrrr");
  for (const SubgroupScore& score : subgroups.scores) {
    table.row({score.name, grouped(score.examples), with_bounds(score.gap, 100.0, 2),
               with_bounds(score.nll, 1.0, 4), fmt::format("{:.2f}", 100.0 * score.ece_expected),
               fmt::format("{:.2f}", 100.0 * score.accuracy)});
  }
  return fmt::format(
      "\n{}\n{}{}\nThe intervals of a column hold together at {:g} %: each is a {:.4g} % "
      "interval.\n",
      paint.bold("Subgroups"), table.text("  "), printable(report::subgroups_in_words(subgroups)),
      100.0 * subgroups.level, 100.0 * subgroups.single_level);
}

}  // namespace credence::cli
