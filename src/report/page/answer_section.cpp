// What to ship, how much better, how sure, what cannot be removed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/page/sections.hpp"
#include "report/page/words.hpp"

namespace credence::report {
namespace {

void card(Html& html, std::string_view label, std::string_view value, std::string_view detail) {
  html.open("div", {{"class", "card"}});
  html.element("p", label, {{"class", "card-label"}});
  html.element("p", value, {{"class", "card-value"}});
  if (!detail.empty()) html.element("p", detail, {{"class", "card-detail"}});
  html.close();
}

/// "1.0341 [0.9779, 1.0976] better than uncalibrated".
std::string gain(const MethodRecord& chosen, const std::string& reference) {
  const EstimateRecord gap = chosen.difference(reference, "nll");
  if (!gap.value) return {};
  std::string text = fmt::format("{:.4f}", std::abs(*gap.value));
  if (gap.low && gap.high) {
    const double sign = *gap.value <= 0.0 ? -1.0 : 1.0;
    const auto [low, high] = std::minmax({sign * *gap.low, sign * *gap.high});
    text += fmt::format(" [{:.4f}, {:.4f}]", low, high);
  }
  return fmt::format("{} {} than {}", text, *gap.value <= 0.0 ? "better" : "worse", reference);
}

/// The bin of highest confidence that holds enough examples to say something.
const BinRecord* surest(const MethodRecord& method, std::size_t rows) {
  const std::size_t enough = std::max<std::size_t>(rows / 100, 20);
  const BinRecord* found = nullptr;
  for (const BinRecord& bin : method.reliability) {
    if (bin.count >= enough && bin.confidence && bin.agreement) found = &bin;
  }
  return found;
}

std::string example_of(const BinRecord& bin) {
  return fmt::format("says {:.0f} % on average, and {:.0f} % of annotators agree ({} examples)",
                     100.0 * *bin.confidence, 100.0 * *bin.agreement, counted(bin.count));
}

void plain_words(Html& html, const Results& results) {
  const MethodRecord* before = results.first().find("uncalibrated");
  const MethodRecord& after = results.chosen();
  if (before == nullptr || before == &after) return;
  const BinRecord *was = surest(*before, results.evaluation.rows),
                  *is = surest(after, results.evaluation.rows);
  if (was == nullptr || is == nullptr) return;
  html.open("p", {{"class", "plain"}});
  html.element("strong", "For example. ").text("Where it is surest, the model as it is ");
  html.text(example_of(*was))
      .text("; calibrated by ")
      .name(after.name)
      .text(", where it is surest it ");
  html.text(example_of(*is)).text(".");
  html.close();
}

void cards(Html& html, const Results& results) {
  const MethodRecord& chosen = results.chosen();
  const MethodRecord* before = results.first().find("uncalibrated");
  html.open("div", {{"class", "cards"}});
  card(html, "nll, lower is better", value_text("nll", chosen.metric("nll").value),
       before == &chosen ? std::string() : gain(chosen, "uncalibrated"));
  const EstimateRecord ece = chosen.metric("ece_expected");
  std::string was;
  if (before != nullptr && before != &chosen) {
    was = fmt::format("uncalibrated: {}",
                      value_with_unit("ece_expected", before->metric("ece_expected").value));
  }
  const std::string interval = interval_text("ece_expected", ece);
  card(html, "confidence is off by", value_with_unit("ece_expected", ece.value),
       interval + (interval.empty() || was.empty() ? "" : "; ") + was);
  const Maybe floor = chosen.metric("ece_floor").value;
  if (floor) {
    card(html, "noise floor of ece_true", value_with_unit("ece_floor", floor),
         fmt::format("ece_true shows {}; a perfect model would show the floor",
                     value_with_unit("ece_true_exact", chosen.metric("ece_true_exact").value)));
  }
  // Both over the examples with two votes or more, as brier_reader is not.
  const Maybe ceiling = chosen.metric("annotator_disagreement").value;
  const Maybe rest = chosen.metric("brier_unbiased").value;
  if (ceiling && rest) {
    const std::string whole = value_text("brier_reader", *ceiling + *rest);
    card(html, "cannot be removed", value_text("annotator_disagreement", ceiling),
         *rest < 0.0
             ? fmt::format("annotators' own disagreement; the Brier score {} is no more than that",
                           whole)
             : fmt::format("of the Brier score {}: annotators' own disagreement", whole));
  }
  html.close();
}

}  // namespace

void answer_section(Html& html, const Results& results) {
  html.open("section", {{"id", "answer"}, {"aria-labelledby", "answer-title"}});
  html.open("h2", {{"id", "answer-title"}}).text("Ship ").name(results.recommended).close();
  cards(html, results);
  plain_words(html, results);
  html.open("ul", {{"class", "words"}});
  for (const std::string& line : results.words) html.element("li", line);
  html.close();
  if (!results.warnings.empty()) {
    html.open("p").open("a", {{"href", "#data"}});
    html.text(results.warnings.size() == 1
                  ? "There is 1 warning"
                  : fmt::format("There are {} warnings", results.warnings.size()));
    html.close().text(" to read before relying on this.").close();
  }
  html.close();
}

}  // namespace credence::report
