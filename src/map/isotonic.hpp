// The largest probability becomes a rising step function of itself.
#pragma once

#include "map/about.hpp"
#include "map/top_label.hpp"
#include "map/top_label_graph.hpp"

namespace credence::map {

template <>
struct Math<TopLabelIsotonic> {
  static double value(const TopLabelIsotonic& map, Params theta, double confidence);
  static TopLabelFit fit(const TopLabelIsotonic& map, std::vector<TopLabel> examples);
};
static_assert(FittedToExamples<TopLabelIsotonic>);

template <>
struct About<TopLabelIsotonic> : TopLabelFacts {
  static constexpr std::string_view name = "isotonic";
  static constexpr std::string_view meaning = "a monotone step function of the top confidence";
  static constexpr std::string_view action =
      "replaces the largest probability by a rising step function of it";
  static constexpr std::string_view open_block = "values";

  template <class Map, class Visit>
  static void settings(Map& map, const Visit& visit) {
    visit("step_prior", map.step_prior, 0.0, core::kAnyNumber, true);
  }
  static constexpr std::size_t steps(std::size_t parameters) { return parameters / 2 + 1; }
  static std::vector<Block> blocks(const TopLabelIsotonic&, std::size_t, std::size_t steps) {
    return {{"thresholds", {steps - 1}, Numbers::thresholds}, {"values", {steps}, Numbers::levels}};
  }
  template <class Graph>
  static Lowered lower(const TopLabelIsotonic&, Params theta, std::size_t classes, Graph& graph,
                       const std::string& u) {
    const std::size_t edges = theta.size() / 2;
    return top_label_graph::replace_top(graph, u, classes, [&](const std::string& confidence) {
      return top_label_graph::look_up(graph, confidence, theta.first(edges), theta.subspan(edges),
                                      top_label_graph::Edge::belongs_above);
    });
  }
};

}  // namespace credence::map
