// Where the loss comes from, and what an automatic choice is made of.
#include <fmt/format.h>

#include <vector>

#include "credence/report.hpp"
#include "report/page/sections.hpp"
#include "report/page/words.hpp"

namespace credence::report {
namespace {

constexpr double kErrorsInInterval = 1.96;  // standard errors on each side of a 95 % interval

std::string value_and_interval(double value, Maybe standard_error) {
  if (!standard_error) return fmt::format("{:.4f}", value);
  const double half = kErrorsInInterval * *standard_error;
  return fmt::format("{:.4f} ± {:.4f}", value, half);
}

std::string part_text(const std::optional<LossPart>& part, std::string_view without) {
  return part ? value_and_interval(part->value, part->standard_error) : std::string(without);
}

/// A table that scrolls by itself where it is too wide, up to its body; close_table() ends it.
void open_table(Html& html, const std::string& label, const std::vector<std::string>& columns) {
  html.open("div",
            {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", label}});
  html.open("table").open("thead").open("tr");
  html.element("th", columns.front(), {{"scope", "col"}});
  for (std::size_t i = 1; i < columns.size(); ++i) {
    html.element("th", columns[i], {{"scope", "col"}, {"class", "number"}});
  }
  html.close().close().open("tbody");
}
void close_table(Html& html) { html.close().close().close(); }

void number_cells(Html& html, const std::vector<std::string>& cells) {
  for (const std::string& cell : cells) html.element("td", cell, {{"class", "number"}});
}

std::string about_disagreement(const LossParts& parts, const LossSplit& nll) {
  if (!nll.disagreement) {
    return "No test example has two votes, so disagreement cannot be told from what a better "
           "model could win: the last column holds both.";
  }
  if (!parts.corrected) {
    return "The number of votes is unknown, so the disagreement is that of the shares as they "
           "are given: too small where few annotators are behind them.";
  }
  return fmt::format(
      "Disagreement allows for the number of votes ({} with two votes or more): the shares alone "
      "would show {:.4f} of nll. With few votes that of nll is still too small and the last column "
      "too large; that of brier_reader is right on average.",
      counted(parts.rows_with_two_votes, "example"), nll.plug_in.value_or(0.0));
}

void candidate_row(Html& html, const CandidateReport& one) {
  html.open("tr").open("th", {{"scope", "row"}}).name(one.method).close();
  number_cells(html, {counted(one.parameters),
                      one.nll ? value_and_interval(*one.nll, one.standard_error)
                              : (one.problem.empty() ? std::string("-") : one.problem),
                      one.nll ? value_and_interval(one.behind, one.behind_error) : std::string("-"),
                      one.weight > 0.0 ? fmt::format("{:.3f}", one.weight) : std::string("-")});
  html.close();
}

void choice_fold(Html& html, const MethodRecord& method) {
  const Selection& choice = *method.selection;
  open_fold(html, "h3", fmt::format("What {} is made of", method.name),
            "choice-" + plain_id(method.name));
  html.element("p", selection_in_words(method));
  if (choice.nll) {
    html.element("p",
                 fmt::format("Its nll on held-out calibration rows is {}, {} below {}.",
                             value_and_interval(*choice.nll, choice.standard_error),
                             value_and_interval(choice.gain, choice.gain_error), choice.baseline));
  }
  if (choice.folds > 0) {
    open_table(html, fmt::format("Candidates of {}", method.name),
               {"candidate", "parameters", "held-out nll", "behind the best", "weight"});
    for (const CandidateReport& one : choice.candidates) candidate_row(html, one);
    close_table(html);
    html.element("p",
                 fmt::format("Every candidate is judged on calibration rows that its fit has not "
                             "seen, in {} folds. ± is 1.96 standard errors; \"behind\" is paired.",
                             choice.folds),
                 {{"class", "note"}});
  }
  for (const std::string& note : choice.notes) html.element("p", note);
  html.close();
}

}  // namespace

void choice_folds(Html& html, const Results& results) {
  for (const MethodRecord& method : results.first().methods) {
    if (method.selection) choice_fold(html, method);
  }
}

void loss_section(Html& html, const Results& results) {
  const std::optional<LossParts>& parts = results.first().loss_parts;
  if (!parts) return;
  html.open("section", {{"id", "loss"}, {"aria-labelledby", "loss-title"}});
  html.element("h2", "Where the loss comes from", {{"id", "loss-title"}});
  html.element("p", loss_in_words(results));
  if (!parts->problem.empty()) {
    html.close();
    return;
  }
  open_table(html, "Parts of the loss",
             {"loss", "total", "= annotators' disagreement", "+ calibration", "+ a better model"});
  for (const LossSplit& split : parts->metrics) {
    for (const MethodLoss& method : split.methods) {
      html.open("tr").open("th", {{"scope", "row"}});
      html.text(split.metric + " of ").name(method.method).close();
      number_cells(html, {part_text(method.total, "infinite"), part_text(split.disagreement, "-"),
                          part_text(method.calibration, "infinite"), part_text(split.model, "-")});
      html.close();
    }
  }
  close_table(html);
  html.element(
      "p",
      fmt::format(
          "Disagreement: what no model could avoid. Calibration: what the scores lose against the "
          "maps of auto, fitted to other test examples than those they are judged on; it can be "
          "slightly below 0. A better model: what is left. ± is 1.96 standard errors. {}",
          about_disagreement(*parts, parts->metrics.front())),
      {{"class", "note"}});
  html.close();
}

}  // namespace credence::report
