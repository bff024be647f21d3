// What the data are like.
#include <fmt/format.h>

#include "report/page/figures.hpp"
#include "report/page/sections.hpp"
#include "report/page/words.hpp"

namespace credence::report {
namespace {

std::string votes_text(const AnnotationRecord& a) {
  if (a.shares) return "unknown: shares only";
  if (a.fewest_votes == a.most_votes) return fmt::format("{:.4g}", a.votes_per_example);
  return fmt::format("{:.4g} (from {:g} to {:g})", a.votes_per_example, a.fewest_votes,
                     a.most_votes);
}

std::string maybe_text(Maybe value, bool percent) {
  if (!value) return "-";
  return percent ? percent_text(*value) : fmt::format("{:.3f}", *value);
}

void summary(Html& html, const Results& results) {
  const AnnotationRecord &c = results.calibration, &e = results.evaluation;
  html.open("div", {{"class", "scroll"},
                    {"tabindex", "0"},
                    {"role", "region"},
                    {"aria-label", "The two parts of the data"}});
  html.open("table").open("thead").open("tr");
  for (const char* name : {"", "calibration rows", "test rows"}) {
    if (*name == '\0') {
      html.element("td", "");
    } else {
      html.element("th", name, {{"scope", "col"}, {"class", "number"}});
    }
  }
  html.close().close().open("tbody");
  const auto line = [&](const char* name, const std::string& left, const std::string& right) {
    html.open("tr").element("th", name, {{"scope", "row"}});
    html.element("td", left, {{"class", "number"}}).element("td", right, {{"class", "number"}});
    html.close();
  };
  line("examples", counted(c.rows), counted(e.rows));
  line("classes", counted(c.classes), counted(e.classes));
  if (c.groups || e.groups) {
    line("groups", c.groups ? counted(*c.groups) : "-", e.groups ? counted(*e.groups) : "-");
  }
  line("evidence", c.evidence, e.evidence);
  line("votes per example", votes_text(c), votes_text(e));
  line("examples with two votes or more", counted(c.repeated_rows), counted(e.repeated_rows));
  line("examples with a tie for most votes", counted(c.ties), counted(e.ties));
  line("mean entropy of the annotations (0 to 1)", fmt::format("{:.3f}", c.entropy),
       fmt::format("{:.3f}", e.entropy));
  line("two annotators agree", maybe_text(c.pairwise, true), maybe_text(e.pairwise, true));
  line("Krippendorff's alpha", maybe_text(c.alpha, false), maybe_text(e.alpha, false));
  html.close().close().close();
}

}  // namespace

void data_section(Html& html, const Results& results) {
  html.open("section", {{"id", "data"}, {"aria-labelledby", "data-title"}});
  open_fold(html, "h2", "The data", "data-title");
  if (!results.provenance.notes.empty()) {
    html.element("h3", "Notes from reading the files");
    html.open("ul");
    for (const std::string& note : results.provenance.notes) {
      html.element("li", without_folders(note));
    }
    html.close();
  }
  summary(html, results);
  html.open("div", {{"class", "pairs"}});
  for (const FigureKind& kind : figure_kinds()) {
    if (kind.room != Room::data) continue;
    for (const FigurePlan& plan : kind.plans(results)) figure_element(html, plan);
  }
  html.close().close().close();
}

}  // namespace credence::report
