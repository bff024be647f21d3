// Figures are the same bytes on every machine. After a wanted change: look at the pictures, then
// CREDENCE_UPDATE_GOLDEN=1 writes them anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "figure/palette.hpp"
#include "samples.hpp"

namespace credence::figure {
namespace {

/// The style sheet is in its own file, so that a change of colour is one line of difference.
std::string without_style(const std::string& svg) {
  const std::size_t from = svg.find("<style>"), to = svg.find("</style>");
  if (from == std::string::npos) return svg;
  return svg.substr(0, from) + svg.substr(to + 9);
}

void expect_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path path =
      std::filesystem::path(CREDENCE_SOURCE_DIR) / "tests/unit/figure/golden" / name;
  if (std::getenv("CREDENCE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
  }
  std::ifstream in(path, std::ios::binary);
  ASSERT_TRUE(in) << path << " is missing; CREDENCE_UPDATE_GOLDEN=1 writes it";
  const std::string wanted{std::istreambuf_iterator<char>(in), {}};
  EXPECT_TRUE(text == wanted) << name << " has changed; look at it, then CREDENCE_UPDATE_GOLDEN=1";
}

void expect_figure(const std::string& name, const std::string& svg) {
  expect_golden(name + ".svg", without_style(svg));
  // For looking at: the whole file, with its style.
  if (const char* folder = std::getenv("CREDENCE_FIGURES")) {
    std::ofstream(std::filesystem::path(folder) / (name + ".svg"), std::ios::binary) << svg;
  }
}

TEST(GoldenFigures, StyleOfAFile) { expect_golden("file.css", file_style()); }
TEST(GoldenFigures, StyleOfAPage) { expect_golden("page.css", page_style()); }

TEST(GoldenFigures, Reliability) {
  expect_figure("reliability", reliability(samples::diagram("uncalibrated", 0.11),
                                           samples::caption("reliability"), Frame::file));
}

TEST(GoldenFigures, ReliabilityPair) {
  expect_figure("reliability_pair", reliability_pair(samples::diagram("uncalibrated", 0.11),
                                                     samples::diagram("dirichlet-soft", -0.02),
                                                     samples::caption("pair"), Frame::page));
}

TEST(GoldenFigures, ReliabilityPairOnAPhone) {
  expect_figure("reliability_pair_phone",
                reliability_pair(samples::diagram("uncalibrated", 0.11),
                                 samples::diagram("dirichlet-soft", -0.02),
                                 samples::caption("pair-phone"), Frame::phone));
}

TEST(GoldenFigures, ReliabilityGrid) {
  expect_figure("reliability_grid",
                reliability_grid(samples::grid(4), samples::caption("grid"), Frame::file));
}

TEST(GoldenFigures, ErrorByEntropy) {
  expect_figure("error_by_entropy",
                error_by_entropy(samples::entropy_curves(), samples::perfect_curve(),
                                 samples::caption("entropy"), Frame::file));
}

TEST(GoldenFigures, Curves) {
  expect_figure("curves",
                curves(samples::set_size_curves(), samples::caption("curves"), Frame::file));
}

TEST(GoldenFigures, MetricBars) {
  expect_figure("metric_bars", metric_bars(samples::bars(), samples::caption("bars"), Frame::file));
}

TEST(GoldenFigures, MethodHeatmap) {
  expect_figure("method_heatmap",
                method_heatmap(samples::heatmap(), samples::caption("heatmap"), Frame::file));
}

TEST(GoldenFigures, AnnotatorConfusion) {
  expect_figure(
      "annotator_confusion",
      annotator_confusion(samples::confusion(), samples::caption("confusion"), Frame::file));
}

TEST(GoldenFigures, VoteDistribution) {
  expect_figure("vote_distribution",
                vote_distribution(samples::votes(), samples::caption("votes"), Frame::file));
}

TEST(GoldenFigures, ConfidenceMap) {
  expect_figure("confidence_map",
                confidence_map(samples::maps(2), samples::caption("map"), Frame::file));
}

TEST(GoldenFigures, ToyPanels) {
  expect_figure("toy_panels", toy_panels(samples::toy(), samples::caption("toy"), Frame::file));
}

}  // namespace
}  // namespace credence::figure
