// What a calibrator changes besides the confidence: decisions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/page/sections.hpp"
#include "report/page/words.hpp"

namespace credence::report {
namespace {

constexpr std::size_t kMostRecallRows = 20;  // the file has all of them

std::string share_with_interval(const ShareEstimate& share) {
  return fmt::format("{:.1f} [{:.1f}, {:.1f}]", 100.0 * share.value, 100.0 * share.low,
                     100.0 * share.high);
}

double recall_change(const RecallChange& recall) {
  return recall.after.value - recall.before.value;
}

/// The best method that keeps every prediction; older files do not name it.
const MethodRecord* keeper_of(const Results& results) {
  return results.keeper.empty() ? nullptr : results.first().find(results.keeper);
}

void recall_table(Html& html, const Results& results) {
  std::vector<RecallChange> recalls = results.decisions->recalls;
  std::ranges::stable_sort(recalls, std::ranges::greater{}, [](const RecallChange& recall) {
    return std::abs(recall_change(recall));
  });
  const std::size_t shown = std::min(recalls.size(), kMostRecallRows);
  html.open("div", {{"class", "scroll"},
                    {"tabindex", "0"},
                    {"role", "region"},
                    {"aria-label", "Recall of each class"}});
  html.open("table");
  html.element("caption", fmt::format("Recall in per cent: of the test examples with a majority "
                                      "label, those predicted so, with {:.4g} % intervals",
                                      100.0 * results.protocol.level));
  html.open("thead").open("tr");
  html.element("th", "class", {{"scope", "col"}});
  for (const char* title : {"examples", "your model", "calibrated", "change, points"}) {
    html.element("th", title, {{"scope", "col"}, {"class", "number"}});
  }
  html.close().close().open("tbody");
  for (std::size_t i = 0; i < shown; ++i) {
    const RecallChange& recall = recalls[i];
    html.open("tr").open("th", {{"scope", "row"}});
    html.name(results.class_name(recall.label)).close();
    for (const std::string& cell : {counted(recall.examples), share_with_interval(recall.before),
                                    share_with_interval(recall.after),
                                    fmt::format("{:+.1f}", 100.0 * recall_change(recall))}) {
      html.element("td", cell, {{"class", "number"}});
    }
    html.close();
  }
  html.close().close().close();
  if (shown < recalls.size()) {
    html.element("p", fmt::format("The {} classes that change most, of {}.", shown,
                                  counted(recalls.size())));
  }
}

}  // namespace

void changes_section(Html& html, const Results& results) {
  const MethodRecord& chosen = results.chosen();
  if (!results.decisions || chosen.name == "uncalibrated") return;
  const Decisions& decisions = *results.decisions;
  html.open("section", {{"id", "changes"}, {"aria-labelledby", "changes-title"}});
  html.element("h2", "Changed predictions", {{"id", "changes-title"}});
  html.open("p").name(chosen.name);
  if (decisions.changed == 0) {
    html.text(" changes no prediction on the test rows: only the confidence changes.").close();
    html.close();
    return;
  }
  html.text(fmt::format(
      " changes the predicted class of {} of {} ({}).", counted(decisions.changed),
      counted(decisions.rows, "test example"),
      percent_text(static_cast<double>(decisions.changed) / static_cast<double>(decisions.rows))));
  const MethodRecord* keeping = keeper_of(results);
  if (keeping != nullptr && keeping->name != "uncalibrated") {
    html.text(" The best method that keeps every prediction is ").name(keeping->name);
    html.text(fmt::format(" (nll {}, against {}).", value_text("nll", keeping->metric("nll").value),
                          value_text("nll", chosen.metric("nll").value)));
  } else if (keeping != nullptr) {
    html.text(" No method that keeps every prediction clearly beats your model.");
  }
  html.close();
  recall_table(html, results);
  html.close();
}

}  // namespace credence::report
