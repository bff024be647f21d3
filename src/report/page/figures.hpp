// Which figures a report has, from the numbers in the results.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "credence/figures.hpp"
#include "credence/results.hpp"

namespace credence::report {

struct FigurePlan {
  std::string name;     ///< of the file, and the id in the page
  std::string title;    ///< what it shows
  std::string caption;  ///< how to read it
  std::function<std::string(const figure::Caption&, figure::Frame)> draw;

  std::string svg(figure::Frame frame) const { return draw({title, caption, name}, frame); }
};

/// The usual ones to look at: uncalibrated, the reference, the recommendation, and the best of the
/// rest; at most `most`, none twice.
std::vector<const MethodRecord*> shown_methods(const Results& results, std::size_t most);

figure::Reliability reliability_of(const MethodRecord& method, figure::Truth truth);

/// Uncalibrated beside the recommendation; empty when that is the same.
std::vector<FigurePlan> before_and_after(const Results& results);
/// Annotators and vote side by side, a figure per method, in the order of the methods.
std::vector<FigurePlan> reliability_by_method(const Results& results);
std::vector<FigurePlan> reliability_grids(const Results& results);
std::vector<FigurePlan> entropy_figures(const Results& results);
/// One per metric.
std::vector<FigurePlan> bar_figures(const Results& results);
std::vector<FigurePlan> heatmaps(const Results& results);
std::vector<FigurePlan> confidence_maps(const Results& results);
std::vector<FigurePlan> vote_figures(const Results& results);
std::vector<FigurePlan> ablation_figures(const Results& results);
std::vector<FigurePlan> toy_figures(const Results& results);

std::vector<FigurePlan> all_figures(const Results& results);

}  // namespace credence::report
