// The answer for people: what to do, how far the confidence is off, and a picture of it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/page/figures.hpp"
#include "report/page/sections.hpp"
#include "report/page/words.hpp"

namespace credence::report {
namespace {

/// The calibration error that the evidence allows, most telling first.
struct Offset {
  std::string_view metric;
  double before = 0.0, after = 0.0;  ///< in points
};

std::optional<Offset> offset_of(const MethodRecord& before, const MethodRecord& after) {
  for (const std::string_view metric : {"ece_expected", "ece_voted"}) {
    const Maybe was = before.metric(metric).value, is = after.metric(metric).value;
    if (was && is) return Offset{metric, 100.0 * *was, 100.0 * *is};
  }
  return std::nullopt;
}

/// "Confidence is off by 24 points; calibrated, by 1." Decimals only where whole points would hide
/// the difference.
std::string lead(const Offset& offset, bool same) {
  const bool whole =
      std::min(offset.before, offset.after) >= 1.0 && std::abs(offset.before - offset.after) >= 2.0;
  const int digits = whole ? 0 : 1;
  const std::string was = fmt::format("{:.{}f}", offset.before, digits);
  std::string text = offset.metric == "ece_voted"
                         ? "Against the majority label, confidence is off by "
                         : "Confidence is off by ";
  text += fmt::format("{} point{}", was, was == "1" ? "" : "s");
  if (!same) text += fmt::format("; calibrated, by {:.{}f}", offset.after, digits);
  return text + ".";
}

/// The bin of highest confidence that holds enough examples to say something.
const BinRecord* surest(const MethodRecord& method, std::size_t rows) {
  const std::size_t enough = std::max(rows / 100, figure::kFewExamples);
  const BinRecord* found = nullptr;
  for (const BinRecord& bin : method.reliability) {
    if (bin.count >= enough && bin.confidence && bin.agreement) found = &bin;
  }
  return found;
}

std::string example_of(const BinRecord& bin) {
  return fmt::format("says {:.0f} % on average, and {:.0f} % of annotators agree ({})",
                     100.0 * *bin.confidence, 100.0 * *bin.agreement,
                     counted(bin.count, "example"));
}

void for_example(Html& html, const Results& results, const MethodRecord& before) {
  const MethodRecord& after = results.chosen();
  const BinRecord *was = surest(before, results.evaluation.rows),
                  *is = surest(after, results.evaluation.rows);
  if (was == nullptr || is == nullptr) return;
  html.open("p", {{"class", "plain"}});
  html.element("strong", "For example, ").text("where it is most confident, your model ");
  html.text(example_of(*was));
  if (&before != &after) {
    html.text(". Calibrated by ").name(after.name).text(", where it is most confident it ");
    html.text(example_of(*is));
  }
  html.text(".").close();
}

void card(Html& html, std::string_view label, std::string_view value, std::string_view detail) {
  html.open("div", {{"class", "card"}});
  html.element("p", label, {{"class", "card-label"}});
  html.element("p", value, {{"class", "card-value"}});
  if (!detail.empty()) html.element("p", detail, {{"class", "card-detail"}});
  html.close();
}

/// "better than uncalibrated by 1.0341 [0.9779, 1.0976]; the interval excludes 0".
std::string gain_over(const MethodRecord& chosen, const std::string& reference) {
  const EstimateRecord gap = chosen.difference(reference, "nll");
  if (!gap.value) return {};
  const double sign = *gap.value <= 0.0 ? -1.0 : 1.0;
  std::string text = fmt::format("{} than {} by {:.4f}", *gap.value <= 0.0 ? "better" : "worse",
                                 reference, std::abs(*gap.value));
  if (!gap.low || !gap.high) return text;
  const auto [low, high] = std::minmax({sign * *gap.low, sign * *gap.high});
  return text + fmt::format(" [{:.4f}, {:.4f}]; the interval {} 0", low, high,
                            low > 0.0 ? "excludes" : "includes");
}

void cards(Html& html, const Results& results) {
  const MethodRecord& chosen = results.chosen();
  const MethodRecord* before = results.first().find("uncalibrated");
  const bool same = before == nullptr || before == &chosen;
  html.open("div", {{"class", "cards"}});
  // Where the advice is not to use it, its numbers say whose they are.
  const std::string with =
      results.verdict == Verdict::ship || same ? "" : fmt::format("candidate {}: ", chosen.name);
  const EstimateRecord ece = chosen.metric("ece_expected");
  std::string detail = interval_text("ece_expected", ece);
  if (!same) {
    detail += (detail.empty() ? "" : "; ") + std::string("uncalibrated: ") +
              value_with_unit("ece_expected", before->metric("ece_expected").value);
  }
  if (ece.value) {
    card(html, with + "confidence is off by", value_with_unit("ece_expected", ece.value), detail);
  }
  card(html, with + "nll, lower is better", value_text("nll", chosen.metric("nll").value),
       same ? std::string() : gain_over(chosen, "uncalibrated"));
  // Both over the examples with two votes or more, as brier_reader is not.
  const Maybe disagreement = chosen.metric("annotator_disagreement").value;
  const Maybe rest = chosen.metric("brier_unbiased").value;
  if (disagreement && rest) {
    const std::string whole = value_text("brier_reader", *disagreement + *rest);
    card(html, "annotator disagreement", value_text("annotator_disagreement", disagreement),
         *rest < 0.0
             ? fmt::format("the Brier score {} is no more than that: no model can remove it", whole)
             : fmt::format("of the Brier score {}: no model can remove it", whole));
  }
  html.close();
}

void in_numbers(Html& html, const Results& results) {
  html.open("ul", {{"class", "words"}});
  for (const std::string& line : results.words) html.element("li", without_folders(line));
  html.close();
  if (results.warnings.empty()) return;
  html.element("h3", results.warnings.size() == 1
                         ? std::string("A warning to read before relying on this")
                         : fmt::format("{} warnings to read before relying on this",
                                       results.warnings.size()));
  html.open("ul", {{"class", "warnings"}});
  for (const std::string& warning : results.warnings) {
    html.element("li", without_folders(warning));
  }
  html.close();
}

}  // namespace

void answer_section(Html& html, const Results& results) {
  const MethodRecord& chosen = results.chosen();
  const MethodRecord* before = results.first().find("uncalibrated");
  if (before == nullptr) before = &chosen;
  html.open("section", {{"id", "answer"}, {"aria-labelledby", "answer-title"}});
  html.open("div", {{"class", "first"}}).open("div", {{"class", "point"}});
  html.open("h2", {{"id", "answer-title"}});
  // A name of the user's is kept from reordering the words around it.
  const std::string words = headline(results);
  const std::size_t at = words.find(chosen.name);
  if (at == words.npos) {
    html.text(words);
  } else {
    html.text(words.substr(0, at)).name(chosen.name).text(words.substr(at + chosen.name.size()));
  }
  html.close();
  if (const auto offset = offset_of(*before, chosen)) {
    const bool keeps = before == &chosen || results.verdict == Verdict::keep;
    html.element("p", lead(*offset, keeps), {{"class", "lead"}});
  }
  if (results.verdict == Verdict::too_few) {
    html.element("p", without_folders(results.words.front()));
  }
  for_example(html, results, *before);
  cards(html, results);
  html.close();
  for (const FigureKind& kind : figure_kinds()) {
    if (kind.room != Room::answer) continue;
    for (const FigurePlan& plan : kind.plans(results)) figure_element(html, plan);
  }
  html.close();
  in_numbers(html, results);
  html.close();
}

}  // namespace credence::report
