// The largest probability becomes the value of its bin.
#pragma once

#include <limits>

#include "map/about.hpp"
#include "map/top_label.hpp"
#include "map/top_label_graph.hpp"

namespace credence::map {

template <>
struct Math<TopLabelHistogram> {
  static double value(const TopLabelHistogram& map, Params theta, double confidence);
  static std::size_t count_sums(const TopLabelHistogram& map);
  static void add(const TopLabelHistogram& map, const TopLabel& example, double* sums);
  static TopLabelFit fit(const TopLabelHistogram& map, const std::vector<double>& sums);
};
static_assert(FittedToSums<TopLabelHistogram>);

template <>
struct About<TopLabelHistogram> : TopLabelFacts {
  static constexpr std::string_view name = "histogram";
  static constexpr std::string_view meaning =
      "one value per bin of the top confidence (‹histogram_bins›, 15)";
  static constexpr std::string_view action =
      "replaces the largest probability by the value of its bin";

  template <class Map, class Visit>
  static void settings(Map& map, const Visit& visit) {
    visit("bins", map.bins, 1.0, std::numeric_limits<int>::max());
    visit("step_prior", map.step_prior, 0.0, core::kAnyNumber, true);
  }
  static std::vector<Block> blocks(const TopLabelHistogram& map, std::size_t, std::size_t) {
    return {{"values", {static_cast<std::size_t>(map.bins)}, Numbers::bin_values}};
  }
  template <class Graph>
  static Lowered lower(const TopLabelHistogram&, Params theta, std::size_t classes, Graph& graph,
                       const std::string& u) {
    std::vector<double> edges;
    for (std::size_t b = 1; b < theta.size(); ++b) {
      edges.push_back(static_cast<double>(b) / static_cast<double>(theta.size()));
    }
    return top_label_graph::replace_top(graph, u, classes, [&](const std::string& confidence) {
      const std::string value = top_label_graph::look_up(graph, confidence, edges, theta,
                                                         top_label_graph::Edge::belongs_below);
      // A bin that was empty (-1) leaves the confidence alone.
      const std::string empty = graph.node("Less", {value, graph.scalar("zero", 0.0)});
      return graph.node("Where", {empty, confidence, value});
    });
  }
};

}  // namespace credence::map
