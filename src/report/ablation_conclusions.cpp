// What an ablation says, in a sentence per study.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/ablation_rows.hpp"

namespace credence::report {
namespace {

constexpr double kClose = 0.005;  // in nll: less than most choices between methods are about

using AblationRows = std::vector<AblationRow>;

AblationRows of_study(const AblationRows& rows, Study study) {
  AblationRows some;
  std::ranges::copy_if(rows, std::back_inserter(some),
                       [&](const AblationRow& row) { return row.study == study; });
  return some;
}

/// The smallest setting from which on the nll stays close to that of the largest; empty when the
/// largest has no finite nll.
std::optional<double> enough(const AblationRows& rows, std::string_view method) {
  AblationRows own;
  std::ranges::copy_if(rows, std::back_inserter(own),
                       [&](const AblationRow& row) { return row.method == method; });
  std::ranges::sort(own, std::ranges::greater{}, &AblationRow::setting);
  if (own.empty() || !own.front().nll.mean()) return std::nullopt;
  double smallest = own.front().setting;
  for (const AblationRow& row : own) {
    const Maybe nll = row.nll.mean();
    if (!nll || std::abs(*nll - *own.front().nll.mean()) > kClose) break;
    smallest = row.setting;
  }
  return smallest;
}

/// "slts 5 %, soft-platt 20 %": what each method needs.
std::string needs_of_methods(const AblationRows& rows, Study study) {
  std::string text;
  std::vector<std::string> seen;
  for (const AblationRow& row : rows) {
    // The model as it is needs no rows.
    if (row.method == "uncalibrated" || std::ranges::find(seen, row.method) != seen.end()) continue;
    seen.push_back(row.method);
    const auto setting = enough(rows, row.method);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", row.method,
                        setting ? setting_words(study, *setting) : "no finite nll with all");
  }
  return text;
}

std::string lowest_nll(const AblationRows& rows) {
  const AblationRow* best = nullptr;
  for (const AblationRow& row : rows) {
    if (!row.nll.mean()) continue;
    if (best == nullptr || *row.nll.mean() < *best->nll.mean()) best = &row;
  }
  return best == nullptr ? std::string("none has a finite nll")
                         : fmt::format("{} ({:.4f})", best->method, *best->nll.mean());
}

/// The rows of the largest setting, or of the smallest.
AblationRows at_setting(const AblationRows& rows, bool largest) {
  const auto [least, most] = std::ranges::minmax_element(rows, {}, &AblationRow::setting);
  const double wanted = largest ? most->setting : least->setting;
  AblationRows some;
  std::ranges::copy_if(rows, std::back_inserter(some),
                       [&](const AblationRow& row) { return row.setting == wanted; });
  return some;
}

}  // namespace

std::vector<std::string> ablation_conclusions(const AblationRecord& ablation) {
  const AblationRows rows = rows_over_seeds(ablation);
  std::vector<std::string> words;
  const AblationRows size = of_study(rows, Study::size), votes = of_study(rows, Study::votes),
                     draws = of_study(rows, Study::draws),
                     smoothing = of_study(rows, Study::smoothing);
  if (!size.empty()) {
    words.push_back(fmt::format(
        "Calibration rows that give the nll of all of them to within {}: {}. Lowest nll with all: "
        "{}; with the fewest: {}.",
        kClose, needs_of_methods(size, Study::size), lowest_nll(at_setting(size, true)),
        lowest_nll(at_setting(size, false))));
  }
  if (!votes.empty()) {
    words.push_back(
        fmt::format("Votes per example that give the nll of all votes to within {}: {}.", kClose,
                    needs_of_methods(votes, Study::votes)));
  }
  if (!draws.empty()) {
    words.push_back(fmt::format("Draws that give the nll of the most draws to within {}: {}.",
                                kClose, needs_of_methods(draws, Study::draws)));
  }
  if (!smoothing.empty()) {
    words.push_back(fmt::format("Lowest nll among the smoothing rules and their references: {}.",
                                lowest_nll(smoothing)));
  }
  return words;
}

}  // namespace credence::report
