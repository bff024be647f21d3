#include "tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace credence::auto_table {
namespace {

std::string per_cent(double value, double reference) {
  return std::isfinite(value) ? fmt::format("{:+.2f} %", 100.0 * (value / reference - 1.0))
                              : "infinite";
}

/// The best method but auto.
const std::pair<const std::string, double>& best_single(const Nll& nll) {
  const auto rank = [](const auto& one) { return one.first == "auto" ? INFINITY : one.second; };
  return *std::ranges::min_element(nll, {}, rank);
}

std::string all_rows(const Measured& measured) {
  std::string out =
      "| set | rows to calibrate on | uncalibrated | slts | dirichlet-soft | best single method | "
      "auto | auto against dirichlet-soft | auto against the best |\n"
      "|---|---|---|---|---|---|---|---|---|\n";
  std::size_t below = 0, near = 0;
  for (const MeasuredSet& set : measured.sets) {
    const auto& [name, best] = best_single(set.all);
    const double chosen = set.all.at("auto"), dirichlet = set.all.at("dirichlet-soft");
    below += chosen < dirichlet ? 1 : 0;
    near += chosen <= 1.003 * best ? 1 : 0;
    out += fmt::format("| {} | {} | {:.4f} | {:.4f} | {:.4f} | {:.4f} ({}) | {:.4f} | {} | {} |\n",
                       set.title, set.calibration_rows, set.all.at("uncalibrated"),
                       set.all.at("slts"), dirichlet, best, name, chosen,
                       per_cent(chosen, dirichlet), per_cent(chosen, best));
  }
  return out + fmt::format(
                   "\nBelow dirichlet-soft on {} of {} sets; within 0.3 % of the best single method "
                   "on {}.\n",
                   below, measured.sets.size(), near);
}

std::string few_rows(const Measured& measured) {
  std::string out =
      "| rows | votes each | uncalibrated | slts | soft-platt | dirichlet-soft | auto | auto against "
      "uncalibrated, worst set |\n|---|---|---|---|---|---|---|---|\n";
  std::size_t best = 0;
  for (std::size_t s = 0; s < measured.settings.size(); ++s) {
    Nll mean;
    double worst = -INFINITY;
    for (const MeasuredSet& set : measured.sets) {
      for (const auto& [name, nll] : set.few[s]) {
        mean[name] += nll / static_cast<double>(measured.sets.size());
      }
      worst = std::max(worst, set.few[s].at("auto") / set.few[s].at("uncalibrated"));
    }
    const double others =
        std::min({mean.at("slts"), mean.at("soft-platt"), mean.at("dirichlet-soft")});
    best += mean.at("auto") < others ? 1 : 0;
    out += fmt::format("| {} | {} | {:.4f} | {:.4f} | {:.4f} | {:.4f} | {:.4f} | {} |\n",
                       measured.settings[s].rows, measured.settings[s].votes,
                       mean.at("uncalibrated"), mean.at("slts"), mean.at("soft-platt"),
                       mean.at("dirichlet-soft"), mean.at("auto"), per_cent(worst, 1.0));
  }
  return out + fmt::format(
                   "\nThe mean over sets and splits is below slts, soft-platt and dirichlet-soft in "
                   "{} of {} settings.\n",
                   best, measured.settings.size());
}

}  // namespace

std::string tables(const Measured& measured) {
  return fmt::format("### All rows and votes\n\n{}\n### Few rows and votes\n\n{}",
                     all_rows(measured), few_rows(measured));
}

}  // namespace credence::auto_table
