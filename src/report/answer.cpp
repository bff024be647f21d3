// The answer in words.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "credence/report.hpp"
#include "credence/text.hpp"

namespace credence::report {
namespace {

std::string nll_of(const MethodRecord& method) {
  const Maybe value = method.metric("nll").value;
  return value ? fmt::format("{:.4f}", *value) : "infinite";
}

double percents(Maybe share) { return 100.0 * share.value_or(std::nan("")); }

/// What a reader wants to see the recommendation beside.
std::array<std::string_view, 2> usual(const SplitRecord& split) {
  const std::string_view chosen = split.references.front();
  return {chosen, chosen == "uncalibrated" ? "ts" : "uncalibrated"};
}

std::string ship(const Results& results, const SplitRecord& split, const MethodRecord& chosen) {
  std::string text = fmt::format("Ship {}: nll {} on {} evaluation examples", chosen.name,
                                 nll_of(chosen), grouped_digits(results.evaluation.rows));
  std::string sep = "; ";
  for (const std::string_view name : usual(split)) {
    const MethodRecord* other = split.find(name);
    if (other == nullptr || other == &chosen) continue;
    text += fmt::format("{}{} {}", sep, name, nll_of(*other));
    sep = ", ";
  }
  return text + ".";
}

/// "better than ts by 0.1028 [0.0925, 0.1137]; the interval excludes 0". The interval is for these
/// two fits on examples like these; it says nothing of a fit to other calibration rows, nor is it
/// adjusted for the number of methods, so no more than that is claimed.
std::string gain(const MethodRecord& chosen, std::string_view name) {
  const EstimateRecord gap = chosen.difference(name, "nll");
  if (!gap.value) {
    const bool own = !chosen.metric("nll").value.has_value();
    return fmt::format("{} has no finite nll", own ? std::string_view(chosen.name) : name);
  }
  std::string text =
      *gap.value == 0.0 ? fmt::format("no different from {}", name)
                        : fmt::format("{} than {} by {:.4f}", *gap.value < 0.0 ? "better" : "worse",
                                      name, std::abs(*gap.value));
  if (!gap.low || !gap.high) return text;
  const double sign = *gap.value <= 0.0 ? -1.0 : 1.0;
  const auto [low, high] = std::minmax({sign * *gap.low, sign * *gap.high});
  return text + fmt::format(" [{:.4f}, {:.4f}], {}", low, high,
                            low > 0.0 ? "the interval excludes 0" : "the interval includes 0");
}

std::string how_sure(const Results& results, const SplitRecord& split, const MethodRecord& chosen) {
  std::string text;
  for (const std::string_view name : usual(split)) {
    if (split.find(name) == nullptr || chosen.name == name) continue;
    text += (text.empty() ? "" : "; ") + gain(chosen, name);
  }
  if (text.empty()) return "There is no other method to compare it with.";
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  if (results.protocol.resamples == 0) return text + " (no intervals asked for).";
  return fmt::format("{} ({:.4g} % paired).", text, 100.0 * results.protocol.level);
}

std::string how_far_off(const SplitRecord& split, const MethodRecord& chosen) {
  const EstimateRecord ece = chosen.metric("ece_expected");
  std::string text = "Confidence off by ";
  text += ece.value ? fmt::format("{:.2f} %", percents(ece.value)) : std::string("-");
  if (ece.low && ece.high) {
    text += fmt::format(" [{:.2f}, {:.2f}]", percents(ece.low), percents(ece.high));
  }
  std::string sep = " (";
  for (const std::string_view name : usual(split)) {
    const MethodRecord* other = split.find(name);
    if (other == nullptr || other == &chosen) continue;
    text += fmt::format("{}{} {:.2f} %", sep, name, percents(other->metric("ece_expected").value));
    sep = ", ";
  }
  if (sep == ", ") text += ")";
  text += fmt::format(", where a perfectly calibrated model would show about {:.2f} % by chance",
                      percents(chosen.ece_by_chance));
  return text + fmt::format(
                    "; ece_true {:.2f} %, of which {:.2f} % is the noise floor of a perfect model.",
                    percents(chosen.metric("ece_true_exact").value),
                    percents(chosen.metric("ece_floor").value));
}

/// The part of the Brier score that is the annotators' own disagreement. Both numbers are over the
/// examples with two votes or more; the part is estimated, so it may exceed the whole by chance.
std::string irremovable(const MethodRecord& method, std::size_t rows) {
  const Maybe ceiling = method.metric("human_ceiling").value,
              rest = method.metric("brier_unbiased").value;
  if (!ceiling || !rest) return {};
  const std::string where = method.repeated_rows == rows
                                ? std::string()
                                : fmt::format(" of the {} examples with two votes or more",
                                              grouped_digits(method.repeated_rows));
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

std::string regime(const Results& results, const MethodRecord& chosen) {
  const AnnotationRecord& a = results.evaluation;
  const bool several = a.evidence == to_string(Evidence::distributions);
  if (!several && a.evidence != to_string(Evidence::annotations)) {
    return "Only voted labels are known: all this is about the vote, not about what annotators "
           "think.";
  }
  if (a.shares) {
    return "Shares of annotators are known, not how many voted: their own disagreement cannot be "
           "told "
           "from a model's error.";
  }
  std::string text = several ? fmt::format("{:.3g} votes per example", a.votes_per_example)
                             : std::string("One vote per example");
  if (a.pairwise) {
    text += fmt::format("; two annotators agree {:.1f} %", 100.0 * *a.pairwise);
    if (a.alpha) text += fmt::format(" (alpha {:.2f})", *a.alpha);
  }
  return text + irremovable(chosen, results.first().evaluation_rows) + ".";
}

std::string how_chosen(const Results& results) {
  std::string text =
      fmt::format("Chosen on the {} calibration examples alone by {}-fold cross-validation: {}.",
                  grouped_digits(results.calibration.rows), results.protocol.folds, results.why);
  if (results.splits.size() > 1) {
    if (const MethodSpreadRecord* chosen = results.spread(results.recommended)) {
      text += fmt::format(" Chosen on {} of {} splits.", chosen->times_recommended,
                          results.splits.size());
    }
  }
  return text;
}

}  // namespace

std::vector<std::string> answer(const Results& results) {
  const SplitRecord& split = results.first();
  const MethodRecord& chosen = results.chosen();
  return {ship(results, split, chosen), how_sure(results, split, chosen),
          how_far_off(split, chosen), regime(results, chosen), how_chosen(results)};
}

}  // namespace credence::report
