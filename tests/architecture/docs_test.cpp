// Pages that list what the library's tables hold are generated from them and must not drift.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <regex>

#include "architecture/layers.hpp"
#include "credence/methods.hpp"
#include "credence/metrics.hpp"

namespace credence::architecture {
namespace {

const std::filesystem::path kTree = CREDENCE_SOURCE_DIR;

std::string evidence_in_words(Evidence evidence) {
  switch (evidence) {
    case Evidence::none:
      return "nothing";
    case Evidence::voted:
      return "majority labels";
    case Evidence::annotations:
      return "one annotation per example";
    case Evidence::distributions:
      return "several annotations";
  }
  return {};
}

std::string method_table() {
  std::string table = "| method | target | map | needs | in a few words |\n|---|---|---|---|---|\n";
  for (const Method& method : kMethods) {
    const bool learns = !std::holds_alternative<NoTarget>(method.target);
    table += "| `" + std::string(method.id) + "` | ";
    table += learns ? std::string(target_name(method.target)) : "-";
    table += " | " + std::string(map_name(method.map)) + " | ";
    table += evidence_in_words(needs(method.target)) + " | " + std::string(method.summary) + " |\n";
  }
  return table;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string metrics_table() {
  std::string table =
      "| name | definition | better | needs | interval | in a few words "
      "|\n|---|---|---|---|---|---|\n";
  for (const Metric& metric : metric_table()) {
    table += "| `" + std::string(metric.name) + "` | `" + escaped(metric.definition) + "` | ";
    table += metric.better == Direction::lower    ? "lower"
             : metric.better == Direction::higher ? "higher"
                                                  : "-";
    table += " | " + evidence_in_words(metric.needs) + " | ";
    table += metric.interval ? "yes" : "no: " + std::string(metric.why_no_interval);
    table += " | " + std::string(metric.meaning) + " |\n";
  }
  return table;
}

/// Compares the text between two markers of a page with what the tables give; with
/// CREDENCE_UPDATE_DOCS set (by `make docs`), rewrites it instead.
void expect_generated(const std::filesystem::path& page, const std::string& name,
                      const std::string& wanted) {
  const std::string begin = "<!-- " + name + ": begin, written by 'make docs' -->\n";
  const std::string end = "<!-- " + name + ": end -->";
  const std::string text = read_file(page);
  const std::size_t first = text.find(begin);
  ASSERT_NE(first, std::string::npos) << page << ": no line " << begin;
  const std::size_t start = first + begin.size(), stop = text.find(end, start);
  ASSERT_NE(stop, std::string::npos) << page << ": no line " << end;
  if (std::getenv("CREDENCE_UPDATE_DOCS") != nullptr) {
    std::ofstream(page, std::ios::binary) << text.substr(0, start) << wanted << text.substr(stop);
    return;
  }
  EXPECT_EQ(text.substr(start, stop - start), wanted) << page << ": 'make docs' rewrites the list";
}

TEST(Docs, ReadmeShowsTheMethodTable) {
  expect_generated(kTree / "README.md", "methods", method_table());
}

TEST(Docs, MetricsPageShowsTheMetricTable) {
  expect_generated(kTree / "docs" / "metrics.md", "metrics", metrics_table());
}

TEST(Docs, RelativeLinksLeadToFiles) {
  static const std::regex link(R"(\]\(([^)#:]+)(#[^)]*)?\))");
  std::vector<std::filesystem::path> pages;
  for (const auto& folder : {kTree, kTree / "docs"}) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".md") pages.push_back(entry.path());
    }
  }
  for (const auto& page : pages) {
    const std::string text = read_file(page);
    for (std::sregex_iterator it(text.begin(), text.end(), link), none; it != none; ++it) {
      const auto target = page.parent_path() / (*it)[1].str();
      EXPECT_TRUE(std::filesystem::exists(target)) << page << " links to " << (*it)[1];
    }
  }
}

}  // namespace
}  // namespace credence::architecture
