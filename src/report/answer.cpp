// The answer in words.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "credence/report.hpp"
#include "credence/text.hpp"
#include "report/decision_words.hpp"

namespace credence::report {
namespace {

std::string nll_of(const MethodRecord& method) {
  const Maybe value = method.metric("nll").value;
  return value ? fmt::format("{:.4f}", *value) : "infinite";
}

double points(Maybe share) { return 100.0 * share.value_or(std::nan("")); }

/// What a reader wants to see the recommendation beside.
std::array<std::string_view, 2> usual(const SplitRecord& split) {
  const std::string_view chosen = split.references.front();
  return {chosen, chosen == "uncalibrated" ? "ts" : "uncalibrated"};
}

/// "uncalibrated 0.61, ts 0.52", without `but`; empty when there is none.
std::string beside(const SplitRecord& split, const MethodRecord& but, const auto& text_of) {
  std::string text;
  for (const std::string_view name : usual(split)) {
    const MethodRecord* other = split.find(name);
    if (other == nullptr || other == &but) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, text_of(*other));
  }
  return text;
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

std::string ship(const Results& results, const SplitRecord& split, const MethodRecord& chosen) {
  const std::string others = beside(split, chosen, nll_of);
  return fmt::format("Ship {}: nll {} on {} test examples{}{}.", chosen.name, nll_of(chosen),
                     grouped_digits(results.evaluation.rows), others.empty() ? "" : "; ", others);
}

std::string keep(const Results& results, const SplitRecord& split, const MethodRecord& candidate) {
  std::string text = "No method clearly beats your model: keep it.";
  const MethodRecord* model = split.find("uncalibrated");
  if (model == nullptr || model == &candidate) return text;
  return text +
         fmt::format(" The best candidate, {}, has nll {} on {} test examples, your model {}.",
                     candidate.name, nll_of(candidate), grouped_digits(results.evaluation.rows),
                     nll_of(*model));
}

std::string too_few(const Results& results) {
  const auto size = [](const AnnotationRecord& part, std::string_view name) {
    const std::string rows = fmt::format("{} {} rows", grouped_digits(part.rows), name);
    return part.groups ? fmt::format("{} in {} group{}", rows, grouped_digits(*part.groups),
                                     *part.groups == 1 ? "" : "s")
                       : rows;
  };
  const bool grouped = results.calibration.groups || results.evaluation.groups;
  std::string text = fmt::format(
      "Too few examples to choose: {} and {}; choosing takes {} of each{}.",
      size(results.calibration, "calibration"), size(results.evaluation, "test"), kFewestRows,
      grouped ? fmt::format(" in {} groups", kFewestGroups) : std::string());
  text += results.recommended == "uncalibrated"
              ? std::string(" Keep your model as it is")
              : fmt::format(" {}, one temperature, is the default", results.recommended);
  if (results.examples_needed) {
    text += fmt::format("; about {} examples like these would give nll to within 0.02",
                        grouped_digits(*results.examples_needed));
  }
  return text + ".";
}

std::string headline(const Results& results, const SplitRecord& split, const MethodRecord& chosen) {
  switch (results.verdict) {
    case Verdict::ship:
      return ship(results, split, chosen);
    case Verdict::keep:
      return keep(results, split, chosen);
    case Verdict::too_few:
      return too_few(results);
  }
  return {};
}

/// Behind which units the intervals stand, and whether there are enough.
std::string interval_basis(const Results& results, const SplitRecord& split) {
  std::string text = fmt::format("{:.4g} % paired", 100.0 * results.protocol.level);
  if (!results.evaluation.groups) return text;
  text += fmt::format(", over {} groups", grouped_digits(split.resampled_units));
  if (split.resampled_units >= kFewGroups) return text;
  return text + fmt::format("; with fewer than {} groups, intervals are too narrow", kFewGroups);
}

std::string uncertainty(const Results& results, const SplitRecord& split,
                        const MethodRecord& chosen) {
  std::string text;
  for (const std::string_view name : usual(split)) {
    if (split.find(name) == nullptr || chosen.name == name) continue;
    text += (text.empty() ? "" : "; ") + gain(chosen, name);
  }
  if (text.empty()) return "There is no other method to compare it with.";
  text =
      results.verdict == Verdict::ship
          ? std::string(1, static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])))) +
                text.substr(1)
          : fmt::format("{} is {}", chosen.name, text);
  if (results.protocol.resamples == 0) return text + " (no intervals asked for).";
  if (split.resampled_units == 0) return text + " (no intervals).";
  return fmt::format("{} ({}).", text, interval_basis(results, split));
}

std::string how_far_off(const Results& results, const SplitRecord& split,
                        const MethodRecord& chosen) {
  const bool ship = results.verdict == Verdict::ship;
  const EstimateRecord ece = chosen.metric("ece_expected");
  // Where the advice is not to use it, its numbers say whose they are.
  std::string text = ship || chosen.name == "uncalibrated"
                         ? std::string("Confidence is off by ")
                         : fmt::format("With {}, confidence is off by ", chosen.name);
  text += ece.value ? fmt::format("{:.2f} points", points(ece.value)) : std::string("-");
  if (ece.low && ece.high) {
    text += fmt::format(" [{:.2f}, {:.2f}]", points(ece.low), points(ece.high));
  }
  const std::string others = beside(split, chosen, [](const MethodRecord& other) {
    return fmt::format("{:.2f}", points(other.metric("ece_expected").value));
  });
  if (!others.empty()) text += fmt::format(" ({})", others);
  text += fmt::format(", where a perfectly calibrated model would show about {:.2f} by chance",
                      points(chosen.ece_by_chance));
  // One label per example hides the disagreement that the floor is made of.
  if (results.evaluation.evidence != to_string(Evidence::distributions)) return text + ".";
  // The same number under the same name as in the table; without draws there is only the exact one.
  const Maybe sampled = chosen.metric("ece_true").value;
  return text + fmt::format("; {} is {:.2f} %, where a perfect model would show {:.2f} %.",
                            sampled ? "ece_true" : "ece_true_exact",
                            points(sampled ? sampled : chosen.metric("ece_true_exact").value),
                            points(chosen.metric("ece_floor").value));
}

/// The part of the Brier score that is the annotators' own disagreement. Both numbers are over the
/// examples with two votes or more; the part is estimated, so it may exceed the whole by chance.
std::string irremovable(const MethodRecord& method, std::size_t rows) {
  const Maybe ceiling = method.metric("annotator_disagreement").value,
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
    return "Only majority labels are known: all this is about the majority label, not about what "
           "annotators think.";
  }
  if (a.shares) {
    return "Shares of annotators are known, not how many voted: their own disagreement cannot be "
           "told from a model's error.";
  }
  std::string text = several ? fmt::format("{:.3g} votes per example", a.votes_per_example)
                             : std::string("One vote per example");
  if (a.pairwise) {
    text += fmt::format("; two annotators agree {:.1f} %", 100.0 * *a.pairwise);
    if (a.alpha) text += fmt::format(" (alpha {:.2f})", *a.alpha);
  }
  return text + irremovable(chosen, results.first().evaluation_rows) + ".";
}

std::string how_chosen(const Results& results, const MethodRecord& chosen) {
  if (results.verdict == Verdict::too_few) {
    return fmt::format(
        "With enough examples a method is chosen by {}-fold cross-validation on the calibration "
        "rows.",
        results.protocol.folds);
  }
  std::string text = fmt::format(
      "{} was chosen on the {} calibration examples alone by {}-fold cross-validation: {}.",
      chosen.name, grouped_digits(results.calibration.rows), results.protocol.folds, results.why);
  if (results.splits.size() > 1) {
    const auto times = std::ranges::count(results.splits, chosen.name, &SplitRecord::candidate);
    text += fmt::format(" Chosen on {} of {} splits.", times, results.splits.size());
    const auto shipped = std::ranges::count(results.splits, Verdict::ship, &SplitRecord::verdict);
    text += fmt::format(" A method clearly beat the model on {}.", shipped);
  }
  return text;
}

}  // namespace

std::vector<std::string> answer(const Results& results) {
  const SplitRecord& split = results.first();
  const MethodRecord& chosen = results.chosen();
  std::vector<std::string> words{headline(results, split, chosen),
                                 uncertainty(results, split, chosen),
                                 how_far_off(results, split, chosen)};
  if (std::string changes = decision_words(results); !changes.empty()) {
    words.push_back(std::move(changes));
  }
  words.push_back(regime(results, chosen));
  words.push_back(how_chosen(results, chosen));
  return words;
}

}  // namespace credence::report
