// The answer in words.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "core/text.hpp"
#include "credence/report.hpp"
#include "report/estimates.hpp"

namespace credence::report {
namespace {

using core::grouped_digits;

std::string nll_of(const MethodResult& method) {
  const auto value = method.evaluation["nll"];
  return value ? fmt::format("{:.4f}", *value) : "infinite";
}

/// What a reader wants to see the recommendation beside.
std::array<std::string_view, 2> usual(const SplitResult& split) {
  const std::string_view chosen = split.references.front();
  return {chosen, chosen == "uncalibrated" ? "ts" : "uncalibrated"};
}

std::string ship(const Comparison& comparison, const SplitResult& split,
                 const MethodResult& chosen) {
  std::string text = fmt::format("Ship {}: nll {} on {} evaluation examples", chosen.name,
                                 nll_of(chosen), grouped_digits(comparison.evaluation.rows));
  std::string sep = "; ";
  for (const std::string_view name : usual(split)) {
    const MethodResult* other = split.find(name);
    if (other == nullptr || other == &chosen) continue;
    text += fmt::format("{}{} {}", sep, name, nll_of(*other));
    sep = ", ";
  }
  return text + ".";
}

/// "better than ts by 0.1028 [0.0925, 0.1137]; the interval excludes 0". The interval is for these
/// two fits on examples like these; it says nothing of a fit to other calibration rows, nor is it
/// adjusted for the number of methods, so no more than that is claimed.
std::string gain(const SplitResult& split, const MethodResult& chosen, std::string_view name) {
  const Estimate* gap = difference(split, chosen, name, "nll");
  if (gap == nullptr || !gap->value) {
    const bool own = !chosen.evaluation["nll"].has_value();
    return fmt::format("{} has no finite nll", own ? std::string_view(chosen.name) : name);
  }
  std::string text = *gap->value == 0.0 ? fmt::format("no different from {}", name)
                                        : fmt::format("{} than {} by {:.4f}",
                                                      *gap->value < 0.0 ? "better" : "worse", name,
                                                      std::abs(*gap->value));
  if (!gap->low || !gap->high) return text;
  const double sign = *gap->value <= 0.0 ? -1.0 : 1.0;
  const auto [low, high] = std::minmax({sign * *gap->low, sign * *gap->high});
  return text + fmt::format(" [{:.4f}, {:.4f}], {}", low, high,
                            low > 0.0 ? "the interval excludes 0" : "the interval includes 0");
}

std::string how_sure(const Comparison& comparison, const SplitResult& split,
                     const MethodResult& chosen) {
  std::string text;
  for (const std::string_view name : usual(split)) {
    if (split.find(name) == nullptr || chosen.name == name) continue;
    text += (text.empty() ? "" : "; ") + gain(split, chosen, name);
  }
  if (text.empty()) return "There is no other method to compare it with.";
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  if (comparison.protocol.bootstrap.resamples == 0) return text + " (no intervals asked for).";
  return fmt::format("{} ({:.4g} % paired).", text, 100.0 * comparison.protocol.bootstrap.level);
}

std::string how_far_off(const SplitResult& split, const MethodResult& chosen) {
  const Estimate* ece = find(chosen.estimates, "ece_expected");
  std::string text =
      fmt::format("Confidence off by {}", ece == nullptr ? std::string("-") : percent(*ece));
  std::string sep = " (";
  for (const std::string_view name : usual(split)) {
    const MethodResult* other = split.find(name);
    if (other == nullptr || other == &chosen) continue;
    text += fmt::format("{}{} {:.2f} %", sep, name,
                        100.0 * other->evaluation["ece_expected"].value_or(std::nan("")));
    sep = ", ";
  }
  if (sep == ", ") text += ")";
  text += fmt::format(", where a perfectly calibrated model would show about {:.2f} % by chance",
                      100.0 * chosen.evaluation.ece_by_chance);
  return text + fmt::format(
                    "; ece_true {:.2f} %, of which {:.2f} % is the noise floor of a perfect model.",
                    100.0 * chosen.evaluation["ece_true_exact"].value_or(std::nan("")),
                    100.0 * chosen.evaluation["ece_floor"].value_or(std::nan("")));
}

/// The part of the Brier score that is the annotators' own disagreement. Both numbers are over the
/// examples with two votes or more; the part is estimated, so it may exceed the whole by chance.
std::string irremovable(const Evaluation& scores) {
  const auto ceiling = scores["human_ceiling"], rest = scores["brier_unbiased"];
  if (!ceiling || !rest) return {};
  const std::string where = scores.repeated_rows == scores.rows
                                ? std::string()
                                : fmt::format(" of the {} examples with two votes or more",
                                              grouped_digits(scores.repeated_rows));
  if (*rest < 0.0) {
    return fmt::format(
        "; the Brier score {:.4f}{} is no more than their own disagreement ({:.4f}): no model "
        "removes it",
        *ceiling + *rest, where, *ceiling);
  }
  return fmt::format(
      "; of the Brier score {:.4f}{}, {:.4f} is their own disagreement: no model removes it",
      *ceiling + *rest, where, *ceiling);
}

std::string regime(const Comparison& comparison, const MethodResult& chosen) {
  const AnnotationSummary& a = comparison.evaluation;
  if (a.evidence < Evidence::annotations) {
    return "Only voted labels are known: all this is about the vote, not about what annotators "
           "think.";
  }
  if (a.shares) {
    return "Shares of annotators are known, not how many voted: their own disagreement cannot be "
           "told "
           "from a model's error.";
  }
  std::string text = a.evidence == Evidence::distributions
                         ? fmt::format("{:.3g} votes per example", a.votes_per_example)
                         : std::string("One vote per example");
  if (a.agreement.pairwise) {
    text += fmt::format("; two annotators agree {:.1f} %", 100.0 * *a.agreement.pairwise);
    if (a.agreement.krippendorff_alpha) {
      text += fmt::format(" (alpha {:.2f})", *a.agreement.krippendorff_alpha);
    }
  }
  return text + irremovable(chosen.evaluation) + ".";
}

std::string how_chosen(const Comparison& comparison, const SplitResult& split) {
  std::string text = fmt::format(
      "Chosen on the {} calibration examples alone by {}-fold cross-validation: {}.",
      grouped_digits(comparison.calibration.rows), comparison.protocol.folds, split.why);
  if (comparison.splits.size() > 1) {
    for (const MethodSpread& method : comparison.spread) {
      if (method.name != split.recommended) continue;
      text += fmt::format(" Chosen on {} of {} splits.", method.times_recommended,
                          comparison.splits.size());
    }
  }
  return text;
}

}  // namespace

std::vector<std::string> answer(const Comparison& comparison) {
  const SplitResult& split = comparison.splits.front();
  const MethodResult& chosen = split.method(split.recommended);
  return {ship(comparison, split, chosen), how_sure(comparison, split, chosen),
          how_far_off(split, chosen), regime(comparison, chosen), how_chosen(comparison, split)};
}

}  // namespace credence::report
