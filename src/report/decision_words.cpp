#include "report/decision_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/text.hpp"

namespace credence::report {
namespace {

constexpr std::size_t kMostRecalls = 2;

std::string interval_words(const ShareEstimate& share) {
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", share.value, share.low, share.high);
}

/// The classes whose recall changes most, largest change first.
std::string recall_words(const Results& results) {
  std::vector<RecallChange> changes = results.decisions->recalls;
  const auto size = [](const RecallChange& one) {
    return std::abs(one.after.value - one.before.value);
  };
  std::erase_if(changes, [&](const RecallChange& one) { return size(one) == 0.0; });
  if (changes.empty()) return {};
  std::ranges::stable_sort(changes, std::ranges::greater{}, size);
  const std::size_t shown = std::min(changes.size(), kMostRecalls);
  const bool named = !results.provenance.class_names.empty();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    text += fmt::format("{}{}{} {} to {}", i == 0 ? "" : ", ", named ? "" : "class ",
                        results.class_name(changes[i].label), interval_words(changes[i].before),
                        interval_words(changes[i].after));
  }
  if (shown < changes.size()) {
    text += fmt::format("; smaller changes for {} other class{}", changes.size() - shown,
                        changes.size() - shown == 1 ? "" : "es");
  }
  return "; recall of " + text;
}

std::string keeper_words(const Results& results) {
  if (results.keeper.empty()) return {};
  if (results.keeper == "uncalibrated")
    return " No method that keeps every prediction clearly beats your model.";
  const MethodRecord* keeper = results.first().find(results.keeper);
  if (keeper == nullptr) return {};
  const Maybe nll = keeper->metric("nll").value;
  return fmt::format(" {} is the best method that keeps every prediction{}.", keeper->name,
                     nll ? fmt::format(" (nll {:.4f})", *nll) : std::string());
}

}  // namespace

std::string decision_words(const Results& results) {
  if (!results.decisions) return {};
  const auto [rows, changed] = std::pair(results.decisions->rows, results.decisions->changed);
  const std::string& name = results.chosen().name;
  if (name == "uncalibrated") return {};
  if (changed == 0) return fmt::format("{} changes no prediction on the test rows.", name);
  return fmt::format("{} changes the predicted class of {} of {} test examples ({:.1f} %){}.{}",
                     name, grouped_digits(changed), grouped_digits(rows),
                     100.0 * static_cast<double>(changed) / static_cast<double>(rows),
                     recall_words(results), keeper_words(results));
}

}  // namespace credence::report
