// How the numbers came about and how to get them again.
#include <fmt/format.h>

#include "report/page/sections.hpp"
#include "report/page/words.hpp"

namespace credence::report {
namespace {

void term(Html& html, std::string_view name, std::string_view value) {
  html.element("dt", name).element("dd", value);
}

void protocol_list(Html& html, const Results& results) {
  const ProtocolRecord& p = results.protocol;
  const Provenance& from = results.provenance;
  html.open("dl", {{"class", "terms"}});
  term(html, "Split",
       p.calibration_share ? fmt::format("{}; {} of the examples are calibration rows", p.split,
                                         percent_text(*p.calibration_share, 0))
                           : p.split);
  term(html, "Seeds", fmt::format("{}", fmt::join(p.seeds, ", ")));
  term(html, "Recommendation",
       fmt::format("by nll in {}-fold cross-validation on the calibration rows alone: {}", p.folds,
                   results.why));
  term(html, "Metrics",
       fmt::format("{} confidence bins, {} entropy bins, {} draws of one annotation per example "
                   "(seed {})",
                   p.bins, p.entropy_bins, p.draws, p.draw_seed));
  std::string intervals = "none";
  if (p.resamples > 0 && results.first().resampled_units > 0) {
    intervals = fmt::format("{:.4g} %, {}, {} resamples of {} {}{}", 100.0 * p.level, p.interval,
                            counted(p.resamples), counted(results.first().resampled_units), p.units,
                            p.annotators_resampled ? ", annotators resampled within examples" : "");
  }
  term(html, "Intervals", intervals);
  term(html, "Many comparisons", p.multiplicity);
  term(html, "Scores", fmt::format("{}; score normalisation {}", from.score_kind, p.gauge));
  term(html, "Rows joined by", from.joined_by);
  term(html, "Classes matched", from.classes_matched);
  term(html, "Fingerprint of the data", from.fingerprint);
  term(html, "Program", from.program);
  html.close();
}

void fits(Html& html, const Results& results) {
  html.open("details").element("summary", "How the fits ended");
  html.open("div",
            {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", "Fits"}});
  html.open("table").open("thead").open("tr");
  for (const char* name : {"method", "fitted to", "map", "parameters", "ended", "held-out nll",
                           "predictions changed"}) {
    html.element("th", name, {{"scope", "col"}});
  }
  html.close().close().open("tbody");
  for (const MethodRecord& method : results.first().methods) {
    std::string targets, maps, stops;
    for (const StageRecord& stage : method.stages) {
      const char* then = targets.empty() ? "" : ", then ";
      targets += then + stage.target;
      maps += then + stage.map;
      stops += then + std::string(in_words(stage.stop));
    }
    if (method.selection) {
      // The maps of a pool do not follow each other; the comparison lists them.
      targets = stops = "-";
      maps = "see what it is made of";
    }
    html.open("tr", {{"data-method", method.name}});
    html.open("th", {{"scope", "row"}}).name(method.name).close();
    html.element("td", targets).element("td", maps);
    html.element("td", counted(method.parameters), {{"class", "number"}}).element("td", stops);
    const HeldOutRecord& held_out = method.held_out;
    html.element("td", held_out.nll               ? fmt::format("{:.4f}", *held_out.nll)
                       : held_out.problem.empty() ? std::string("-")
                                                  : held_out.problem);
    html.element("td",
                 method.changed_predictions ? percent_text(*method.changed_predictions, 2)
                                            : std::string("-"),
                 {{"class", "number"}});
    html.close();
  }
  html.close().close().close().close();
}

void definitions(Html& html, const Results& results) {
  html.open("details").element("summary", "Definitions of all metrics");
  html.open("dl", {{"class", "terms"}});
  for (const MetricRecord& metric : results.metrics) {
    html.element("dt", metric.name);
    html.open("dd").text(metric.meaning + ". ").element("code", metric.definition).close();
  }
  html.close().close();
}

}  // namespace

void protocol_section(Html& html, const Results& results) {
  html.open("section", {{"id", "protocol"}, {"aria-labelledby", "protocol-title"}});
  open_fold(html, "h2", "Protocol, and how to do it again", "protocol-title");
  html.element("p",
               "In a folder with the files, this command writes the same numbers again, byte for "
               "byte:");
  html.open("pre", {{"tabindex", "0"}, {"role", "region"}, {"aria-label", "Command"}});
  html.element("code", shell_command(results.provenance.command)).close();
  for (const AblationRecord& ablation : results.ablations) {
    html.open("pre",
              {{"tabindex", "0"}, {"role", "region"}, {"aria-label", "Command of the ablation"}});
    html.element("code", shell_command(ablation.provenance.command)).close();
  }
  protocol_list(html, results);
  fits(html, results);
  definitions(html, results);
  html.close().close();
}

}  // namespace credence::report
