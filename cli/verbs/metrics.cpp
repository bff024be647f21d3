// `credence metrics`: the catalogue, straight from the table the library scores from.
#include "credence/metrics.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "options/option_helpers.hpp"
#include "text/json_output.hpp"
#include "text/metric_words.hpp"
#include "text/output.hpp"
#include "text/table.hpp"
#include "text/terminal.hpp"
#include "verbs.hpp"

namespace credence::cli {
namespace {

struct MetricsOptions {
  Format format = Format::text;
};

constexpr std::string_view kNotation =
    "p: the probabilities under test, conf = p[ctop] their largest. pi: the share of annotators "
    "who chose each class, r = pi[ctop], y*: the majority label.";
constexpr std::string_view kSelect =
    "Choose by a proper score (nll, brier), never by a calibration error: predicting the class "
    "frequencies for every example is perfectly calibrated and useless.";

TextTable short_table() {
  TextTable table({"metric", "better", "needs", "meaning"}, "llll");
  for (const Metric& metric : metric_table()) {
    table.row({std::string(metric.name), std::string(better(metric.better)),
               std::string(to_string(metric.needs)), std::string(metric.meaning)});
  }
  return table;
}

std::string interval_words(const Metric& metric) {
  return metric.interval ? "yes" : std::string(metric.why_no_interval);
}

/// `code` puts names and formulas between backticks.
TextTable full_table(bool code) {
  TextTable table({"metric", "better", "needs", "drawn", "interval", "definition", "meaning"},
                  "lllllll");
  for (const Metric& metric : metric_table()) {
    const std::string name(metric.name), definition(metric.definition);
    table.row({code ? "`" + name + "`" : name, std::string(better(metric.better)),
               std::string(to_string(metric.needs)), metric.monte_carlo ? "yes" : "no",
               interval_words(metric), code ? "`" + definition + "`" : definition,
               std::string(metric.meaning)});
  }
  return table;
}

std::string as_text() {
  const Paint paint(stdout);
  return fmt::format("{}\n{}\n{}\n'credence metrics --format markdown' adds the definitions.\n",
                     paint.bold("Metrics: how far confidence is from what annotators say"),
                     short_table().text("  "), kSelect);
}

std::string as_json() {
  Json json{{"metrics", Json::array()}, {"notation", kNotation}, {"select", kSelect}};
  for (const Metric& metric : metric_table()) {
    json["metrics"].push_back(
        {{"name", metric.name},
         {"better",
          metric.better == Direction::neither ? Json(nullptr) : Json(better(metric.better))},
         {"needs", to_string(metric.needs)},
         {"monte_carlo", metric.monte_carlo},
         {"interval", metric.interval},
         {"why_no_interval", metric.interval ? Json(nullptr) : Json(metric.why_no_interval)},
         {"definition", metric.definition},
         {"meaning", metric.meaning}});
  }
  return to_text(json);
}

void run_metrics(const MetricsOptions& options) {
  switch (options.format) {
    case Format::text:
      return print(as_text());
    case Format::markdown:
      return print(fmt::format("{}\n{}\n\n{}\n", full_table(true).markdown(), kNotation, kSelect));
    case Format::csv:
      return print(full_table(false).csv());
    case Format::json:
      return print(as_json());
  }
}

}  // namespace

Action declare_metrics(CLI::App& verb) {
  verb.description("List the metrics, what they mean and what each needs");
  verb.footer(
      "Examples:\n"
      "  credence metrics\n"
      "  credence metrics --format markdown     with their definitions");
  const auto options = std::make_shared<MetricsOptions>();
  format_option(verb, options->format, {"text", "json", "csv", "markdown"});
  return [options] { run_metrics(*options); };
}

}  // namespace credence::cli
