// The numbers that went in stand in the figure, and marks stand where the numbers say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "geometry.hpp"
#include "samples.hpp"

namespace credence::figure {
namespace {

std::vector<Element> of_class(const std::vector<Element>& elements, const std::string& name) {
  std::vector<Element> found;
  for (const Element& e : elements) {
    if (e.of_class(name)) found.push_back(e);
  }
  return found;
}

TEST(ReliabilityFigure, BinsReadBackExactly) {
  const Reliability diagram = samples::diagram("uncalibrated", 0.11);
  const auto bins =
      of_class(read_svg(reliability(diagram, samples::caption("r"), Frame::page)), "bin");
  ASSERT_EQ(bins.size(), diagram.bins.size());
  for (std::size_t b = 0; b < bins.size(); ++b) {
    EXPECT_EQ(bins[b].number("data-bin"), static_cast<double>(b));
    EXPECT_EQ(bins[b].number("data-count"), static_cast<double>(diagram.bins[b].count));
    EXPECT_EQ(bins[b].has("data-confidence"), diagram.bins[b].count > 0);
    if (diagram.bins[b].count == 0) continue;
    EXPECT_EQ(bins[b].number("data-confidence"), diagram.bins[b].confidence);
    EXPECT_EQ(bins[b].number("data-agreement"), diagram.bins[b].agreement);
  }
}

TEST(ReliabilityFigure, BarsStandOnTheAxisAndEndAtTheAgreement) {
  const Reliability diagram = samples::diagram("uncalibrated", 0.11);
  const auto elements = read_svg(reliability(diagram, samples::caption("r"), Frame::page));
  const Element panel = of_class(elements, "panel").at(0);
  const double x0 = panel.number("data-x0"), x1 = panel.number("data-x1");
  const double y0 = panel.number("data-y0"), y1 = panel.number("data-y1");
  auto bars = of_class(elements, "f-bar");
  std::erase_if(bars, [&](const Element& bar) { return bar.number("y") > y0; });  // the legend's
  std::size_t at = 0;
  for (const DrawnBin& bin : diagram.bins) {
    if (bin.count == 0) continue;
    const Element& bar = bars.at(at++);
    // Coordinates are rounded to hundredths, twice.
    EXPECT_NEAR(bar.number("y"), y0 + bin.agreement * (y1 - y0), 0.011);
    EXPECT_NEAR(bar.number("y") + bar.number("height"), y0, 0.011);
    EXPECT_GE(bar.number("x"), x0 + bin.from * (x1 - x0) - 0.011);
    EXPECT_LE(bar.number("x") + bar.number("width"), x0 + bin.to * (x1 - x0) + 0.011);
  }
  EXPECT_EQ(at, bars.size());
}

TEST(ReliabilityFigure, OverAndUnderConfidenceDifferByPattern) {
  const auto patterns_of = [](double excess) {
    Reliability diagram = samples::diagram("m", excess);
    std::set<std::string> used;
    const auto elements = read_svg(reliability(diagram, samples::caption("r"), Frame::page));
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (elements[i].of_class("f-legend")) break;
      if (elements[i].has("fill")) used.insert(elements[i].attributes.at("fill"));
    }
    return used;
  };
  EXPECT_EQ(patterns_of(0.2).count("url(#r-over)"), 1U);
  EXPECT_EQ(patterns_of(0.2).count("url(#r-under)"), 0U);
  EXPECT_EQ(patterns_of(-0.2).count("url(#r-under)"), 1U);
}

TEST(ReliabilityFigure, TooltipsSayWhatABinHolds) {
  const auto elements =
      read_svg(reliability(samples::diagram("m", 0.11), samples::caption("r"), Frame::page));
  std::size_t described = 0;
  for (const Element& e : elements) {
    if (e.name != "title") continue;
    described +=
        e.text == "0.93–1.00: 1,301 examples, confidence 99.0 %, agreement 98.6 % [98.2, 99.0]";
    described += e.text == "0.00–0.07: no examples";
  }
  EXPECT_EQ(described, 2U);
}

TEST(ReliabilityFigure, WithoutNoiseThereIsNoBand) {
  Reliability diagram = samples::diagram("m", 0.1);
  for (DrawnBin& bin : diagram.bins) bin.noise.reset();
  const auto elements = read_svg(reliability(diagram, samples::caption("r"), Frame::page));
  EXPECT_TRUE(of_class(elements, "noise-band").empty());
}

TEST(ReliabilityFigure, BinsOfFewerThanTwentyExamplesAreFaintAndTheLegendSaysSo) {
  Reliability diagram = samples::diagram("m", 0.1);
  diagram.bins[5].count = 20;
  const std::string svg = reliability(diagram, samples::caption("r"), Frame::page);
  for (const Element& bin : of_class(read_svg(svg), "bin")) {
    const double count = bin.number("data-count");
    EXPECT_EQ(bin.of_class("f-few"), count > 0 && count < 20) << count;
  }
  EXPECT_NE(svg.find("faint: fewer than 20 examples"), std::string::npos);
  for (DrawnBin& bin : diagram.bins) bin.count *= 20;
  const std::string full = reliability(diagram, samples::caption("r"), Frame::page);
  EXPECT_EQ(full.find("f-few"), std::string::npos);
}

TEST(ReliabilityFigure, CountsHaveTheScaleThatWasAskedFor) {
  Reliability diagram = samples::diagram("m", 0.1);
  diagram.most_examples = 5000;
  for (const std::string& svg : {reliability(diagram, samples::caption("r"), Frame::page),
                                 reliability_grid({diagram, samples::diagram("n", 0.1)},
                                                  samples::caption("g"), Frame::page)}) {
    for (const Element& panel : of_class(read_svg(svg), "panel")) {
      EXPECT_EQ(panel.number("data-most"), 5000);
    }
  }
}

TEST(ReliabilityFigure, ASmallPanelHasTheBarsOfAFullOne) {
  const Reliability diagram = samples::diagram("m", 0.1);
  const auto elements = read_svg(reliability_grid({diagram}, samples::caption("g"), Frame::page));
  const Element panel = of_class(elements, "panel").at(0);
  const double y0 = panel.number("data-y0"), y1 = panel.number("data-y1");
  std::vector<double> wanted, drawn;
  for (const DrawnBin& bin : diagram.bins) {
    if (bin.count > 0) wanted.push_back(y0 + bin.agreement * (y1 - y0));
  }
  for (const Element& bars : of_class(elements, "f-bar")) {
    if (bars.name != "path") continue;  // the legend's
    const auto points = corners(bars);
    for (std::size_t i = 0; i < points.size(); i += 4) drawn.push_back(points[i].y);
  }
  // Faint bars are drawn after the others.
  std::sort(drawn.begin(), drawn.end());
  std::sort(wanted.begin(), wanted.end());
  ASSERT_EQ(drawn.size(), wanted.size());
  // Coordinates are rounded to tenths there.
  for (std::size_t i = 0; i < drawn.size(); ++i) EXPECT_NEAR(drawn[i], wanted[i], 0.051);
}

TEST(EntropyFigure, PointsReadBackExactly) {
  const auto curves = samples::entropy_curves(3);
  const auto elements =
      read_svg(error_by_entropy(curves, std::nullopt, samples::caption("e"), Frame::page));
  const auto points = of_class(elements, "point");
  std::size_t at = 0;
  // The first curve is drawn last, on top of the others.
  for (std::size_t m = curves.size(); m-- > 0;) {
    for (const EntropyPoint& p : curves[m].points) {
      EXPECT_EQ(points.at(at).number("data-entropy"), p.entropy);
      EXPECT_EQ(points.at(at++).number("data-error"), p.error);
    }
  }
  EXPECT_EQ(at, points.size());
}

TEST(EntropyFigure, NoMarkerStandsLeftOfItsValue) {
  auto curves = samples::entropy_curves(4);
  for (EntropyCurve& curve : curves) curve.points.front().entropy = 0;
  const auto elements =
      read_svg(error_by_entropy(curves, std::nullopt, samples::caption("e"), Frame::page));
  double zero = -1;
  for (const Element& e : elements) {
    if (e.name == "text" && e.text == "0" && e.attributes.at("text-anchor") == "middle") {
      zero = e.number("x");
    }
  }
  ASSERT_GT(zero, 0);
  for (const Element& e : elements) {
    // A marker reaches to both sides of its place; the middle is what counts.
    if (e.name != "circle" && (e.name != "path" || !e.has("stroke-width"))) continue;
    const Box box = around(corners(e));
    EXPECT_GE(box.x + box.width / 2, zero - 0.01);
  }
}

TEST(EntropyFigure, APerfectModelIsADashedLineBelowTheOthers) {
  const auto curves = samples::entropy_curves(2);
  const EntropyCurve perfect = samples::perfect_curve();
  const auto elements =
      read_svg(error_by_entropy(curves, perfect, samples::caption("e"), Frame::page));
  const auto lines = of_class(elements, "series");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].attributes.at("data-method"), perfect.method) << "drawn first";
  EXPECT_FALSE(of_class(elements, "f-diagonal").empty());
  const auto without =
      read_svg(error_by_entropy(curves, std::nullopt, samples::caption("e"), Frame::page));
  EXPECT_TRUE(of_class(without, "f-diagonal").empty());
}

TEST(DisagreementFigure, PointsReadBackAndTheDiagonalIsDrawnBelowThem) {
  const auto curves = samples::entropy_curves(2);
  const auto elements = read_svg(disagreement(curves, samples::caption("d"), Frame::page));
  std::size_t seen = 0;
  for (const Element& point : of_class(elements, "point")) {
    if (!point.has("data-predicted")) continue;  // an end of the diagonal
    const EntropyCurve& curve = curves[seen < curves[1].points.size() ? 1 : 0];
    const EntropyPoint& p = curve.points[seen % curves[1].points.size()];
    EXPECT_EQ(point.number("data-predicted"), p.entropy);
    EXPECT_EQ(point.number("data-observed"), p.error);
    ++seen;
  }
  EXPECT_EQ(seen, curves[0].points.size() + curves[1].points.size());
  const auto lines = of_class(elements, "series");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].attributes.at("data-method"), "as predicted") << "drawn first";
}

TEST(MetricFigure, ValuesReadBackAndLieAlongTheAxis) {
  const MetricBars bars = samples::bars(6);
  const auto elements = read_svg(metric_bars(bars, samples::caption("b"), Frame::page));
  const auto methods = of_class(elements, "method");
  ASSERT_EQ(methods.size(), bars.methods.size());
  for (std::size_t i = 0; i < methods.size(); ++i) {
    EXPECT_EQ(methods[i].attributes.at("data-method"), bars.methods[i].method);
    EXPECT_EQ(methods[i].has("data-value"), bars.methods[i].value.has_value());
    if (bars.methods[i].value) {
      EXPECT_EQ(methods[i].number("data-value"), *bars.methods[i].value);
    }
  }
}

TEST(MetricFigure, OneThatIsFarOffDoesNotPressTheOthersTogether) {
  MetricBars bars = samples::bars(6);
  bars.floor.reset();
  const auto spread = [&] {
    double left = 1e9, right = -1e9;
    for (const Element& e :
         of_class(read_svg(metric_bars(bars, samples::caption("b"), Frame::page)), "f-range")) {
      left = std::min(left, e.number("x1"));
      right = std::max(right, e.number("x2"));
    }
    return right - left;
  };
  const double before = spread();
  bars.methods[4].value = bars.methods[4].low = bars.methods[4].high = 10.0;
  bars.methods[4].seeds.clear();
  EXPECT_GT(spread(), 0.7 * before);
  const std::string svg = metric_bars(bars, samples::caption("b"), Frame::page);
  EXPECT_NE(svg.find("beyond the axis"), std::string::npos);
  EXPECT_NE(svg.find("1000.00"), std::string::npos) << "the number is still written";
}

TEST(HeatmapFigure, CellsReadBackByMethodAndMetric) {
  const Heatmap map = samples::heatmap(5);
  const auto cells =
      of_class(read_svg(method_heatmap(map, samples::caption("h"), Frame::page)), "cell");
  ASSERT_EQ(cells.size(), map.cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    EXPECT_EQ(cells[i].attributes.at("data-method"), map.methods[i / map.metrics.size()]);
    EXPECT_EQ(cells[i].attributes.at("data-metric"), map.metrics[i % map.metrics.size()]);
    if (map.cells[i].value) {
      EXPECT_EQ(cells[i].number("data-value"), *map.cells[i].value);
    }
  }
}

TEST(ConfusionFigure, ManyClassesShowTheFortyWithMostExamples) {
  const Confusion confusion = samples::confusion(100);
  const auto cells = of_class(
      read_svg(annotator_confusion(confusion, samples::caption("c"), Frame::page)), "cell");
  ASSERT_EQ(cells.size(), 1600U);
  for (const Element& cell : cells) {
    const auto row = static_cast<std::size_t>(cell.number("data-row"));
    const auto column = static_cast<std::size_t>(cell.number("data-column"));
    EXPECT_EQ(cell.number("data-share"), confusion.shares[row * 100 + column]);
  }
}

TEST(AnyFigure, HostileNamesComeBackAsTheyWere) {
  const std::string name = "<script>alert(\"1\")</script> & 'co'";
  Reliability diagram = samples::diagram(name, 0.1);
  const auto elements = read_svg(reliability(diagram, {name, name, "r"}, Frame::file));
  EXPECT_EQ(of_class(elements, "panel").at(0).attributes.at("data-method"), name);
  EXPECT_EQ(elements.at(1).text, name);
}

TEST(AnyFigure, InAPageHasNoSizeAndNoStyleOfItsOwn) {
  const std::string svg =
      reliability(samples::diagram("m", 0.1), samples::caption("r"), Frame::page);
  const Element root = read_svg(svg).at(0);
  EXPECT_FALSE(root.has("width"));
  EXPECT_FALSE(root.has("height"));
  EXPECT_FALSE(root.has("xmlns"));
  EXPECT_EQ(svg.find("<style"), std::string::npos);
}

}  // namespace
}  // namespace credence::figure
