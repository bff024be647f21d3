#include "report/estimates.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace credence::report {
namespace {

std::string with_interval(const Estimate& estimate, double scale, int digits,
                          std::string_view unit) {
  if (!estimate.value) return "-";
  std::string text = fmt::format("{:.{}f}{}", scale * *estimate.value, digits, unit);
  if (estimate.low && estimate.high) {
    text += fmt::format(" [{:.{}f}, {:.{}f}]", scale * *estimate.low, digits,
                        scale * *estimate.high, digits);
  }
  return text;
}

Direction direction(std::string_view metric) {
  const auto table = metric_table();
  const auto row = std::ranges::find(table, metric, &Metric::name);
  return row == table.end() ? Direction::neither : row->better;
}

}  // namespace

const Estimate* find(const std::vector<Estimate>& estimates, std::string_view metric) {
  const auto found = std::ranges::find(estimates, metric, &Estimate::name);
  return found == estimates.end() ? nullptr : &*found;
}

const Estimate* difference(const SplitResult& split, const MethodResult& method,
                           std::string_view reference, std::string_view metric) {
  for (std::size_t r = 0; r < split.references.size(); ++r) {
    if (split.references[r] == reference) return find(method.differences[r], metric);
  }
  return nullptr;
}

const MethodResult* best(const SplitResult& split, std::string_view metric) {
  const Direction better = direction(metric);
  const MethodResult* winner = nullptr;
  std::optional<double> leading;
  if (better == Direction::neither) return nullptr;
  for (const MethodResult& method : split.methods) {
    const auto value = method.evaluation[metric];
    if (method.oracle || !value) continue;
    if (!leading || (better == Direction::lower ? *value < *leading : *value > *leading)) {
      leading = value;
      winner = &method;
    }
  }
  return winner;
}

bool among_best(const SplitResult& split, const MethodResult& method, std::string_view metric) {
  const MethodResult* winner = best(split, metric);
  if (winner == nullptr || method.oracle || !method.evaluation[metric]) return false;
  if (winner == &method || method.evaluation[metric] == winner->evaluation[metric]) return true;
  const Estimate* gap = difference(split, method, winner->name, metric);
  return gap != nullptr && gap->low && gap->high && *gap->low <= 0.0 && *gap->high >= 0.0;
}

std::string percent(const Estimate& estimate) { return with_interval(estimate, 100.0, 2, " %"); }
std::string number(const Estimate& estimate) { return with_interval(estimate, 1.0, 4, ""); }

}  // namespace credence::report
