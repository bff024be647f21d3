// The comparison: one row per method, one column per metric.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/page/sections.hpp"
#include "report/page/words.hpp"

namespace credence::report {
namespace {

/// Shown first; the others wait behind the choice of metrics.
constexpr std::array<std::string_view, 7> kUsual{
    "nll", "ece_expected", "ece_true", "ece_floor", "ece_voted", "brier_reader", "accuracy"};

/// Rows before the others wait behind "show all"; the recommendation and the model as it is are
/// always among them.
constexpr std::size_t kFirstMethods = 5;

bool usual(std::string_view metric) { return std::ranges::find(kUsual, metric) != kUsual.end(); }

/// The usual ones in their order, then the others in the file's.
std::vector<const MetricRecord*> columns(const Results& results) {
  std::vector<const MetricRecord*> all;
  for (const std::string_view name : kUsual) {
    if (const MetricRecord* metric = results.metric(name)) all.push_back(metric);
  }
  for (const MetricRecord& metric : results.metrics) {
    if (!usual(metric.name)) all.push_back(&metric);
  }
  return all;
}

std::string_view arrow(Direction better) {
  return better == Direction::lower ? "↓" : better == Direction::higher ? "↑" : "";
}

std::string_view better_in_words(Direction better) {
  return better == Direction::lower    ? "Lower is better."
         : better == Direction::higher ? "Higher is better."
                                       : "Neither high nor low is good by itself.";
}

void tooltip(Html& html, const std::string& id, const std::string& name, const std::string& meaning,
             const std::string& definition, const std::string& more) {
  html.open("button", {{"type", "button"},
                       {"class", "info"},
                       {"aria-label", fmt::format("What {} means", name)},
                       {"aria-describedby", id}});
  html.text("?").close();
  html.open("span", {{"role", "tooltip"}, {"id", id}, {"class", "tip"}});
  html.element("strong", name).text(": " + meaning + ". ");
  if (!definition.empty()) html.element("code", definition).text(" ");
  html.text(more).close();
}

void heading(Html& html, const MetricRecord& metric) {
  html.open("th", {{"scope", "col"},
                   {"data-metric", metric.name},
                   {"data-better", std::string(to_string(metric.better))},
                   {"aria-sort", "none"},
                   {"class", usual(metric.name) ? "number" : "number extra"}});
  html.open("span", {{"class", "heading"}});
  html.open("button", {{"type", "button"}, {"class", "sort"}});
  html.text(metric.name + (in_percent(metric.name) ? " %" : ""));
  if (metric.better != Direction::neither) {
    html.text(" ").element("span", arrow(metric.better), {{"aria-hidden", "true"}});
  }
  html.close();
  std::string more(better_in_words(metric.better));
  if (!metric.why_no_interval.empty()) more += " No interval: " + metric.why_no_interval + ".";
  tooltip(html, "tip-" + plain_id(metric.name), metric.name, metric.meaning, metric.definition,
          more);
  html.close().close();
}

/// For sorting; eight digits tell apart what can be told apart, and the file has them all.
std::string sort_key(Maybe value) { return value ? fmt::format("{:.8g}", *value) : "none"; }

void cell(Html& html, const Results& results, const MethodRecord& method,
          const MetricRecord& metric) {
  const EstimateRecord estimate = method.metric(metric.name);
  const bool tied = among_best(results.first(), method, metric);
  std::string kind = usual(metric.name) ? "" : "extra";
  if (tied) kind += kind.empty() ? "tied" : " tied";
  const std::string number = sort_key(estimate.value);
  if (kind.empty()) {
    html.open("td", {{"data-metric", metric.name}, {"data-value", number}});
  } else {
    html.open("td", {{"data-metric", metric.name}, {"data-value", number}, {"class", kind}});
  }
  const std::string value = value_text(metric.name, estimate.value);
  if (tied) {
    html.open("strong").text(value).close();
    html.element("span", " best within noise", {{"class", "hidden"}});
  } else {
    html.text(value);
  }
  const std::string interval = interval_text(metric.name, estimate);
  if (!interval.empty()) {
    html.text(" ").element("small", interval);
  }
  html.close();
}

bool always_shown(const MethodRecord& method) {
  return method.recommended || method.name == "uncalibrated";
}

void row(Html& html, const Results& results, const MethodRecord& method, bool first) {
  std::string kind = method.recommended ? "recommended" : method.oracle ? "oracle" : "other";
  if (always_shown(method)) kind += " always";
  if (!first && !always_shown(method)) kind += " rest";
  html.open("tr", {{"data-method", method.name}, {"class", kind}});
  html.open("th", {{"scope", "row"}}).name(method.name);
  if (method.recommended) html.text(" ").element("span", "recommended", {{"class", "badge"}});
  if (method.oracle) {
    html.text(" ").element("span", "fitted on the test rows: a bound, not a candidate",
                           {{"class", "badge muted"}});
  }
  html.close();
  html.open("td", {{"class", "number"}, {"data-value", sort_key(method.temperature)}});
  html.text(method.temperature ? fmt::format("{:.3f}", *method.temperature) : "-").close();
  for (const MetricRecord* metric : columns(results)) cell(html, results, method, *metric);
  html.close();
}

void choices(Html& html, const Results& results) {
  html.open("div", {{"class", "controls needs-script"}});
  html.open("details", {{"class", "choice"}}).element("summary", "Methods");
  html.open("fieldset").element("legend", "Methods shown in the table and the figures");
  html.open("p").element("button", "All", {{"type", "button"}, {"data-choose", "methods-all"}});
  html.text(" ").element("button", "None", {{"type", "button"}, {"data-choose", "methods-none"}});
  html.close();
  for (const MethodRecord& method : results.first().methods) {
    html.open("label").single(
        "input", {{"type", "checkbox"}, {"checked", ""}, {"data-show-method", method.name}});
    html.text(" ").name(method.name).close();
  }
  html.close().close();
  html.open("details", {{"class", "choice"}}).element("summary", "Metrics");
  html.open("fieldset").element("legend", "Metrics shown in the table");
  html.open("p").element("button", "All", {{"type", "button"}, {"data-choose", "metrics-all"}});
  html.text(" ").element("button", "The usual",
                         {{"type", "button"}, {"data-choose", "metrics-usual"}});
  html.close();
  for (const MetricRecord* metric : columns(results)) {
    html.open("label");
    if (usual(metric->name)) {
      html.single("input",
                  {{"type", "checkbox"}, {"checked", ""}, {"data-show-metric", metric->name}});
    } else {
      html.single("input", {{"type", "checkbox"}, {"data-show-metric", metric->name}});
    }
    html.text(" " + metric->name).close();
  }
  html.close().close();
  html.open("label", {{"class", "switch"}});
  html.single("input", {{"type", "checkbox"}, {"checked", ""}, {"id", "show-intervals"}});
  html.text(" Intervals").close();
  html.open("details", {{"class", "choice"}}).element("summary", "Copy");
  html.open("fieldset").element("legend", "The table as it is shown");
  html.open("p");
  for (const char* format : {"Markdown", "LaTeX", "CSV"}) {
    html.element("button", format, {{"type", "button"}, {"data-copy", format}}).text(" ");
  }
  html.close();
  html.element("textarea", "",
               {{"id", "copied"},
                {"readonly", ""},
                {"rows", "6"},
                {"hidden", ""},
                {"aria-label", "The table as text"}});
  html.close().close().close();
}

void over_splits(Html& html, const Results& results) {
  if (results.splits.size() < 2) return;
  const std::size_t splits = results.splits.size();
  open_fold(html, "h3", fmt::format("Over {} splits", splits), "splits-title");
  html.element("p",
               "Mean ± standard deviation; a split divides the rows into calibration rows and test "
               "rows. A method without a value on some split has none here.");
  html.open("div", {{"class", "scroll"},
                    {"tabindex", "0"},
                    {"role", "region"},
                    {"aria-labelledby", "splits-title"}});
  html.open("table", {{"id", "splits"}}).open("thead").open("tr");
  html.element("th", "method", {{"scope", "col"}});
  html.element("th", "recommended", {{"scope", "col"}, {"class", "number"}});
  std::vector<const MetricRecord*> metrics;
  for (const std::string_view name : kUsual) {
    if (const MetricRecord* metric = results.metric(name)) metrics.push_back(metric);
  }
  for (const MetricRecord* metric : metrics) {
    html.element("th", metric->name + (in_percent(metric->name) ? " %" : ""),
                 {{"scope", "col"}, {"class", "number"}});
  }
  html.close().close().open("tbody");
  for (const MethodSpreadRecord& method : results.over_splits) {
    html.open("tr", {{"data-method", method.name}});
    html.open("th", {{"scope", "row"}}).name(method.name).close();
    html.element("td", fmt::format("{} of {}", method.times_recommended, splits),
                 {{"class", "number"}});
    for (const MetricRecord* metric : metrics) {
      const SpreadRecord* found = results.over_all_splits(method.name, metric->name);
      std::string text = "-";
      if (found != nullptr && found->mean) {
        text = value_text(metric->name, found->mean);
        if (found->deviation) text += " ± " + value_text(metric->name, found->deviation);
      }
      html.element("td", text, {{"class", "number"}});
    }
    html.close();
  }
  html.close().close().close().close();
}

void show_all(Html& html, std::size_t methods) {
  if (methods <= kFirstMethods) return;
  html.open("p", {{"class", "needs-script"}});
  html.open("button", {{"type", "button"},
                       {"id", "show-all"},
                       {"aria-expanded", "false"},
                       {"aria-controls", "methods"},
                       {"data-first", std::to_string(kFirstMethods)}});
  html.text(fmt::format("Show all {} methods", methods)).close().close();
}

}  // namespace

void table_section(Html& html, const Results& results) {
  html.open("section", {{"id", "comparison"}, {"aria-labelledby", "comparison-title"}});
  html.element("h2", "The comparison", {{"id", "comparison-title"}});
  html.open("p", {{"class", "note"}});
  html.text(counted(results.evaluation.rows, "test example"));
  if (results.splits.size() > 1)
    html.text(fmt::format(" of the first of {} splits", results.splits.size()));
  html.text(fmt::format(
      ", best nll first. Bold with a dot: not worse than the best of the column; the {:.4g} % "
      "interval of the paired difference includes 0. An interval in brackets belongs to one "
      "method: two of them do not compare two methods.",
      100.0 * results.protocol.level));
  html.close();
  choices(html, results);
  html.open("div", {{"class", "scroll"},
                    {"tabindex", "0"},
                    {"role", "region"},
                    {"aria-labelledby", "comparison-title"}});
  html.open("table", {{"id", "methods"}, {"class", "sortable short"}}).open("thead").open("tr");
  html.open("th", {{"scope", "col"}, {"aria-sort", "none"}});
  html.element("button", "method", {{"type", "button"}, {"class", "sort"}}).close();
  html.open("th", {{"scope", "col"}, {"aria-sort", "none"}, {"class", "number"}});
  html.open("span", {{"class", "heading"}});
  html.element("button", "T", {{"type", "button"}, {"class", "sort"}});
  tooltip(html, "tip-T", "T",
          "the temperature that scores are divided by, where a method has a single one", "",
          "Above 1 it lowers confidence.");
  html.close().close();
  for (const MetricRecord* metric : columns(results)) heading(html, *metric);
  html.close().close().open("tbody");
  const std::vector<MethodRecord>& methods = results.first().methods;
  for (std::size_t j = 0; j < methods.size(); ++j) {
    row(html, results, methods[j], j < kFirstMethods);
  }
  html.close().close().close();
  show_all(html, methods.size());
  over_splits(html, results);
  choice_folds(html, results);
  html.close();
}

}  // namespace credence::report
