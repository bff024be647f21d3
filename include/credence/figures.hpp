// Figures as SVG text, one function per kind. They draw what they are given and compute nothing
// that is not about drawing: every number comes from results.json or from a per-example file.
//
// The same input gives the same bytes on every machine: fixed decimals, no clock, no fonts
// measured. Colour never carries a meaning alone, so that figures read in grey and with any colour
// vision.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace credence::figure {

/// A file of its own brings its style along, light and dark; inside a page the page has it. For a
/// phone a figure is laid out anew, so that nothing is cut and letters keep their size.
enum class Frame { file, page, phone };

/// What every figure carries besides its marks. Texts are the user's and are escaped when written.
struct Caption {
  std::string title;
  std::string description;  ///< read to those who cannot see the figure
  std::string id;           ///< prefix of ids within a page; only letters, digits and '-'
};

/// Which agreement a reliability diagram shows: that of all annotators, or that of the majority
/// label.
enum class Truth { annotators, vote };

/// Bins with fewer examples are drawn faint: their height is mostly chance.
inline constexpr std::size_t kFewExamples = 20;

struct DrawnBin {
  double from = 0.0, to = 0.0;
  std::size_t count = 0;
  double confidence = 0.0, agreement = 0.0;  ///< means over the bin
  std::optional<double> low, high;           ///< interval of the agreement
  /// Standard deviation of the agreement if every confidence were exactly right.
  std::optional<double> noise;
};
struct Reliability {
  std::string method;
  std::string heading;  ///< above the diagram, where it is not the method's name
  Truth truth = Truth::annotators;
  std::vector<DrawnBin> bins;
  /// A line each below the heading: "ece_expected 1.2 points [0.9, 2.2]". Already formatted.
  std::vector<std::string> notes;
  /// What the strip of counts has room for, so that figures beside each other share a scale;
  /// 0: the fullest bin of the figure.
  std::size_t most_examples = 0;
};
std::string reliability(const Reliability& diagram, const Caption& caption, Frame frame);
/// Diagrams side by side in one frame: against annotators and against the majority label, or before
/// and after.
std::string reliability_pair(const Reliability& left, const Reliability& right,
                             const Caption& caption, Frame frame);
/// Small multiples of all methods.
std::string reliability_grid(const std::vector<Reliability>& diagrams, const Caption& caption,
                             Frame frame);

struct EntropyPoint {
  double entropy = 0.0, error = 0.0;  ///< entropy over log K, mean pointwise error
  std::optional<double> low, high;    ///< interval of the mean
  std::size_t count = 0;
};
struct EntropyCurve {
  std::string method;
  std::vector<EntropyPoint> points;
};
/// `perfect`: what the same votes would show if every probability were exactly right.
std::string error_by_entropy(const std::vector<EntropyCurve>& curves,
                             const std::optional<EntropyCurve>& perfect, const Caption& caption,
                             Frame frame);

/// How often two annotators disagree, against how often that was predicted; curves as above, with
/// the predicted probability for the entropy and the observed share for the error.
std::string disagreement(const std::vector<EntropyCurve>& curves, const Caption& caption,
                         Frame frame);

/// Horizontal bars or dots of one metric, one line per method, best first.
struct MethodValue {
  std::string method;
  bool recommended = false, oracle = false, tied_with_best = false;
  std::optional<double> value, low, high;  ///< the interval is over seeds or over resamples
  std::string missing = "no value";        ///< written where there is none
  std::vector<double> seeds;               ///< values of single splits, drawn as small marks
};
struct MetricBars {
  std::string metric, meaning;
  bool lower_is_better = true, percent = false;
  std::string interval;  ///< what low and high are: "95 % interval", "mean ± sd over 5 splits"
  std::vector<MethodValue> methods;
  std::optional<double> floor;  ///< drawn as a line: what a perfect model would show
  std::string floor_label;
};
std::string metric_bars(const MetricBars& bars, const Caption& caption, Frame frame);

/// A metric along a setting: calibration-set size, votes per example, draws.
struct CurvePoint {
  double x = 0.0, mean = 0.0;
  std::optional<double> deviation;
};
struct Curve {
  std::string method;
  std::vector<CurvePoint> points;
};
struct Curves {
  std::string x_label, y_label;
  bool log_x = false, percent = false;
  std::vector<Curve> curves;
};
std::string curves(const Curves& data, const Caption& caption, Frame frame);

/// Method x metric; cells that are not worse than the best within noise are marked.
struct HeatCell {
  std::optional<double> value;
  std::string text;       ///< as printed in the tables
  double goodness = 0.0;  ///< 0 worst to 1 best of its column, for the shade
  bool tied_with_best = false;
};
struct Heatmap {
  std::vector<std::string> methods, metrics;
  std::vector<HeatCell> cells;  ///< row-major, a row per method
};
std::string method_heatmap(const Heatmap& map, const Caption& caption, Frame frame);

/// Rows: the majority label; columns: what single annotators said. Rows sum to 1 where there are
/// votes.
struct Confusion {
  std::vector<std::string> classes;
  std::vector<double> shares;         ///< row-major K x K
  std::vector<std::size_t> examples;  ///< behind each row
};
std::string annotator_confusion(const Confusion& confusion, const Caption& caption, Frame frame);

/// How annotations are spread: entropy of the examples, votes per example, share of classes.
struct VoteDistribution {
  std::vector<double> entropy_counts;  ///< equal bins over [0, 1]
  std::vector<std::pair<double, std::size_t>> votes_per_example;
  std::vector<std::string> classes;
  std::vector<double> annotator_shares, voted_shares;
};
std::string vote_distribution(const VoteDistribution& votes, const Caption& caption, Frame frame);

/// Confidence before against confidence after.
struct MapPoint {
  double before = 0.0, after = 0.0, low = 0.0, high = 0.0;  ///< low, high: 10 and 90 % of the bin
};
struct ConfidenceMap {
  std::string method;
  std::vector<MapPoint> points;
};
std::string confidence_map(const std::vector<ConfidenceMap>& maps, const Caption& caption,
                           Frame frame);

/// The motivating toy: its points with what annotators say, and before and after diagrams.
struct ToyPoint {
  double x = 0.0, y = 0.0;
  std::size_t cluster = 0;
  bool ambiguous = false;
};
struct ToyPanels {
  std::vector<ToyPoint> points;
  std::vector<std::string> clusters;
  Reliability by_vote, by_annotators;  ///< fitted to the majority label, and to all annotators
};
std::string toy_panels(const ToyPanels& toy, const Caption& caption, Frame frame);

/// The style sheet that Frame::page expects, without <style> tags. Colours are custom properties
/// (--f-ink, --f-paper, ...) on :root; dark when the reader prefers it, unless :root says
/// data-theme="light", and always with data-theme="dark"; light in print.
std::string page_style();

/// How far confidence is off in parts of the data; largest first.
struct SubgroupGap {
  std::string name;
  std::size_t examples = 0;
  double gap = 0.0;  ///< mean confidence minus agreement
  std::optional<double> low, high;
  bool few = false;  ///< too few examples to rely on
};
struct SubgroupGaps {
  std::vector<SubgroupGap> rows;
};
std::string subgroup_gaps(const SubgroupGaps& gaps, const Caption& caption, Frame frame);

}  // namespace credence::figure
