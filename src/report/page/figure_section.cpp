// The figures, with the numbers behind them as tables.
#include <fmt/format.h>

#include "report/page/figures.hpp"
#include "report/page/sections.hpp"
#include "report/page/words.hpp"

namespace credence::report {

void figure_element(Html& html, const FigurePlan& plan, std::string_view level) {
  html.open("figure", {{"data-figure", plan.name}});
  html.open("figcaption");
  html.element(level, plan.title).element("p", plan.caption);
  html.close();
  html.open("div", {{"class", plan.for_phones ? "frame wide" : "frame"}});
  html.raw(plan.svg(figure::Frame::page)).close();
  if (plan.for_phones) {
    html.open("div", {{"class", "frame narrow"}}).raw(plan.svg(figure::Frame::phone)).close();
  }
  html.close();
}

void open_fold(Html& html, std::string_view level, std::string_view title, const std::string& id) {
  if (id.empty()) {
    html.open("details", {{"class", "fold"}}).open("summary").element(level, title).close();
  } else {
    html.open("details", {{"class", "fold"}}).open("summary");
    html.element(level, title, {{"id", id}}).close();
  }
}

namespace {

void each(Html& html, const std::vector<FigurePlan>& plans) {
  for (const FigurePlan& plan : plans) figure_element(html, plan);
}

/// Two columns where there is room.
void side_by_side(Html& html, const std::vector<FigurePlan>& plans) {
  html.open("div", {{"class", "pairs"}});
  each(html, plans);
  html.close();
}

std::string maybe_percent(Maybe share) { return share ? percent_text(*share, 2) : "-"; }

void bin_table(Html& html, const MethodRecord& method) {
  html.open("details", {{"class", "numbers"}, {"data-explore", method.name}});
  html.open("summary").text("The numbers of ").name(method.name).close();
  html.open("div", {{"class", "scroll"},
                    {"tabindex", "0"},
                    {"role", "region"},
                    {"aria-label", fmt::format("Bins of {}", method.name)}});
  html.open("table").open("thead").open("tr");
  for (const char* name :
       {"confidence bin", "examples", "mean confidence", "annotators who agree", "± standard error",
        "noise of a perfect model", "majority label agrees"}) {
    html.element("th", name, {{"scope", "col"}});
  }
  html.close().close().open("tbody");
  for (const BinRecord& bin : method.reliability) {
    html.open("tr");
    html.element("th", fmt::format("{:.3f}–{:.3f}", bin.from, bin.to), {{"scope", "row"}});
    html.element("td", counted(bin.count));
    const BinSpread spread = bin.spread.value_or(BinSpread{});
    for (const Maybe value : {bin.confidence, bin.agreement, spread.agreement_error,
                              spread.agreement_noise, bin.accuracy}) {
      html.element("td", maybe_percent(value));
    }
    html.close();
  }
  html.close().close().close().close();
}

void explorer_controls(Html& html, const Results& results) {
  html.open("div", {{"class", "controls needs-script"}, {"id", "explorer-controls"}});
  html.open("label").text("Method ").open("select", {{"id", "explore-method"}});
  for (const MethodRecord& method : results.first().methods) {
    if (method.recommended) {
      html.element("option", method.name, {{"value", method.name}, {"selected", ""}});
    } else {
      html.element("option", method.name, {{"value", method.name}});
    }
  }
  html.close().close();
  html.open("fieldset", {{"class", "inline"}}).element("legend", "Compared with");
  for (const auto& [value, words] :
       {std::pair{"both", "both"}, {"annotators", "annotators"}, {"vote", "majority label"}}) {
    html.open("label");
    if (std::string_view(value) == "both") {
      html.single("input",
                  {{"type", "radio"}, {"name", "truth"}, {"value", value}, {"checked", ""}});
    } else {
      html.single("input", {{"type", "radio"}, {"name", "truth"}, {"value", value}});
    }
    html.text(std::string(" ") + words).close();
  }
  html.close();
  html.open("label", {{"class", "switch"}});
  html.single("input", {{"type", "checkbox"}, {"checked", ""}, {"id", "show-noise"}});
  html.text(" Noise band").close();
  const std::string bins = std::to_string(results.protocol.bins);
  if (results.examples) {
    html.open("label").text("Bins ");
    html.single("input", {{"type", "number"},
                          {"id", "bin-count"},
                          {"min", "1"},
                          {"max", "100"},
                          {"value", bins},
                          {"data-usual", bins}});
    html.close();
  }
  html.close();
  if (results.examples) {
    html.element(
        "p",
        fmt::format("Another number of bins is computed here from the {} of {} examples "
                    "that this page holds.",
                    counted(results.examples->names.size()), counted(results.examples->available)),
        {{"class", "needs-script note"}, {"id", "bins-note"}});
  }
}

void explorer(Html& html, const Results& results, const std::vector<FigurePlan>& plans) {
  html.open("div", {{"id", "explorer"}, {"class", "explorer"}});
  explorer_controls(html, results);
  html.open("div", {{"id", "bin-info"}, {"class", "bin-info needs-script"}, {"role", "status"}});
  html.text("Point at a bin, or move there with the arrow keys, to see what it holds.").close();
  // The diagram of one method; the script draws those of the others into it. Without script, all
  // are among the small ones.
  html.open("div", {{"class", "method-figure"}});
  for (std::size_t j = 0; j < plans.size(); ++j) {
    if (results.first().methods[j].name == results.chosen().name) {
      figure_element(html, plans[j], "h4");
    }
  }
  html.close();
  for (const MethodRecord& method : results.first().methods) bin_table(html, method);
  html.close();
}

void bars(Html& html, const std::vector<FigurePlan>& plans) {
  html.open("div", {{"id", "bars"}});
  html.open("p", {{"class", "controls needs-script"}}).open("label").text("Metric ");
  html.open("select", {{"id", "explore-metric"}});
  for (const FigurePlan& plan : plans) html.element("option", plan.title, {{"value", plan.name}});
  html.close().close().close();
  for (const FigurePlan& plan : plans) figure_element(html, plan, "h4");
  html.close();
}

void grids(Html& html, const std::vector<FigurePlan>& plans) {
  html.open("div", {{"id", "grids"}});
  figure_element(html, plans[0]);
  html.open("details").element("summary", "The same against the majority label");
  figure_element(html, plans[1]);
  html.close().close();
}

void show(Html& html, const Results& results, Room room, const std::vector<FigurePlan>& plans) {
  switch (room) {
    case Room::side_by_side:
      return side_by_side(html, plans);
    case Room::by_method:
      return explorer(html, results, plans);
    case Room::by_metric:
      return bars(html, plans);
    case Room::by_truth:
      return grids(html, plans);
    case Room::alone:
      return each(html, plans);
    case Room::answer:
    case Room::data:
      return;  // in other sections
  }
}

}  // namespace

void figure_section(Html& html, const Results& results) {
  html.open("section", {{"id", "figures"}, {"aria-labelledby", "figures-title"}});
  html.element("h2", "Where the confidence is off", {{"id", "figures-title"}});
  for (const FigureKind& kind : figure_kinds()) {
    if (kind.room == Room::answer || kind.room == Room::data) continue;
    const std::vector<FigurePlan> plans = kind.plans(results);
    if (plans.empty()) continue;
    if (kind.folded != nullptr) open_fold(html, "h3", kind.folded);
    show(html, results, kind.room, plans);
    if (kind.folded != nullptr) html.close();
  }
  html.close();
}

}  // namespace credence::report
