// Which figures a report has, from the numbers in the results.
#pragma once

#include <functional>
#include <span>
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
  bool for_phones = true;  ///< has a layout of its own for phones

  std::string svg(figure::Frame frame) const {
    return draw({title, caption, frame == figure::Frame::phone ? name + "-phone" : name}, frame);
  }
};

/// The usual ones to look at: uncalibrated, the reference, the recommendation, and the best of the
/// rest; at most `most`, none twice.
std::vector<const MethodRecord*> shown_methods(const Results& results, std::size_t most);

figure::Reliability reliability_of(const Results& results, const MethodRecord& method,
                                   figure::Truth truth);

/// Where the page shows the figures of a kind.
enum class Room {
  answer,        ///< beside the answer
  alone,         ///< one below the other
  side_by_side,  ///< in two columns where there is room
  by_method,     ///< behind a choice of methods, with the numbers
  by_metric,     ///< behind a choice of metrics
  by_truth,      ///< against annotators, and folded away against the majority label
  data,          ///< in the section about the data
};

/// Figures alike; none when the results do not have what they show.
struct FigureKind {
  Room room;
  const char* folded;  ///< what they are called where they are folded away; nullptr: they are not
  std::vector<FigurePlan> (*plans)(const Results& results);
};

/// In the order of the page. To add a figure, draw it in src/figure/ (declared in
/// credence/figures.hpp), and add a row here with the function that fills it from the results.
std::span<const FigureKind> figure_kinds();

std::vector<FigurePlan> all_figures(const Results& results);

}  // namespace credence::report
