// The page as a whole.
#include "credence/page.hpp"

#include <fmt/format.h>

#include "credence/figures.hpp"
#include "report/page/assets.hpp"
#include "report/page/figures.hpp"
#include "report/page/html.hpp"
#include "report/page/sections.hpp"
#include "report/page/words.hpp"

namespace credence::report {
namespace {

/// Nothing is fetched and nothing is sent; of scripts, only the page's own may run.
std::string security_policy() {
  return fmt::format(
      "default-src 'none'; style-src 'unsafe-inline'; script-src '{}'; img-src data:; base-uri "
      "'none'; form-action 'none'",
      kPageScriptHash);
}

void head(Html& html, const Results& results) {
  html.open("head").single("meta", {{"charset", "utf-8"}});
  html.single("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", security_policy()}});
  html.single("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  html.single("meta", {{"name", "color-scheme"}, {"content", "light dark"}});
  html.single("meta", {{"name", "generator"}, {"content", results.provenance.program}});
  html.element("title", fmt::format("{} - calibration report", headline(results)));
  html.open("style").raw(figure::page_style()).raw(kPageStyle).close();
  html.close();
}

void header(Html& html, const Results& results) {
  html.element("a", "Skip to the answer", {{"class", "skip"}, {"href", "#answer"}});
  html.open("header", {{"class", "top"}});
  html.open("div").element("h1", "Calibration report");
  std::string about =
      fmt::format("{}, {} classes", counted(results.evaluation.rows, "test example"),
                  counted(results.evaluation.classes));
  if (!results.evaluation.shares) {
    about += fmt::format(", {:.3g} votes per example", results.evaluation.votes_per_example);
  }
  html.element("p", about, {{"class", "about"}}).close();
  html.open("button", {{"type", "button"}, {"id", "theme"}, {"class", "needs-script"}});
  html.text("Theme: automatic").close();
  html.close();
  html.open("nav", {{"aria-label", "Sections"}});
  for (const auto& [id, words] : {std::pair{"answer", "Answer"},
                                  {"comparison", "Comparison"},
                                  {"figures", "Figures"},
                                  {"data", "Data"},
                                  {"protocol", "Protocol"}}) {
    html.element("a", words, {{"href", std::string("#") + id}}).text(" ");
  }
  html.close();
}

void footer(Html& html, const Results& results, const Page& page) {
  html.open("footer");
  std::string text = fmt::format(
      "Written by {}. This page is one file: it loads nothing and sends "
      "nothing.",
      results.provenance.program);
  if (page.embedded_examples > 0) {
    text +=
        fmt::format(" It holds {} of {} test examples ({} KB).", counted(page.embedded_examples),
                    counted(page.available_examples), counted((page.embedded_bytes + 999) / 1000));
  }
  html.element("p", text).close();
}

}  // namespace

Page page(const Results& results) {
  Page result;
  Html html;
  html.raw("<!DOCTYPE html>\n").open("html", {{"lang", "en"}});
  head(html, results);
  html.open("body");
  header(html, results);
  html.open("main", {{"id", "main"}});
  answer_section(html, results);
  table_section(html, results);
  changes_section(html, results);
  loss_section(html, results);
  figure_section(html, results);
  data_section(html, results);
  protocol_section(html, results);
  html.close();
  html.open("script", {{"type", "application/json"}, {"id", "bins"}});
  html.raw(bins_json(results)).close();
  if (results.examples) {
    const auto& votes = results.evaluation.votes;
    const bool counted_votes = votes && !votes->votes_histogram.empty();
    const std::string data =
        examples_json(*results.examples, counted_votes, results.evaluation.groups.has_value());
    result.embedded_examples = results.examples->names.size();
    result.available_examples = results.examples->available;
    result.embedded_bytes = data.size();
    html.open("script", {{"type", "application/json"}, {"id", "examples"}}).raw(data).close();
  }
  footer(html, results, result);
  html.element("div", "", {{"id", "announce"}, {"class", "hidden"}, {"role", "status"}});
  html.open("script").raw(kPageScript).close();
  html.close().close();
  result.html = html.finish();
  result.html += "\n";
  return result;
}

std::vector<Figure> figures(const Results& results) {
  std::vector<Figure> all;
  for (const FigurePlan& plan : all_figures(results)) {
    all.push_back({plan.name, plan.svg(figure::Frame::file)});
  }
  return all;
}

}  // namespace credence::report
