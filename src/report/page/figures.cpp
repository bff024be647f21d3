#include "report/page/figures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/page/html.hpp"
#include "report/page/words.hpp"

namespace credence::report {
namespace {

constexpr double kNormal95 = 1.96;

using figure::Frame;
using figure::Truth;

/// How to read the diagrams, in the words of their legend.
std::string read_reliability(Truth truth) {
  return fmt::format(
      "Each bar is a bin of similar confidence; its height is the share {}. Hatched orange: the "
      "model is more confident than that; dotted green: less. Grey: where 95 % of the bars of a "
      "perfect model would end, given how many {} a bin holds.",
      truth == Truth::annotators ? "of annotators who chose the predicted class"
                                 : "of examples whose majority label is the predicted class",
      truth == Truth::annotators ? "votes" : "examples");
}

/// Examples in the fullest bin of any method: all diagrams count on one scale.
std::size_t fullest_bin(const Results& results) {
  std::size_t most = 0;
  for (const MethodRecord& method : results.first().methods) {
    for (const BinRecord& bin : method.reliability) most = std::max(most, bin.count);
  }
  return most;
}

}  // namespace

std::vector<const MethodRecord*> shown_methods(const Results& results, std::size_t most) {
  const SplitRecord& split = results.first();
  std::vector<const MethodRecord*> shown;
  const auto add = [&](const MethodRecord* method) {
    if (method == nullptr || shown.size() >= most) return;
    if (std::ranges::find(shown, method) == shown.end()) shown.push_back(method);
  };
  add(&results.chosen());
  add(split.find("uncalibrated"));
  if (!split.references.empty()) add(split.find(split.references.front()));
  add(split.find("slts"));
  for (const MethodRecord& method : split.methods) {
    if (!method.oracle) add(&method);
  }
  return shown;
}

figure::Reliability reliability_of(const Results& results, const MethodRecord& method,
                                   Truth truth) {
  figure::Reliability diagram{.method = method.name,
                              .heading = {},
                              .truth = truth,
                              .bins = {},
                              .notes = {},
                              .most_examples = fullest_bin(results)};
  const bool annotators = truth == Truth::annotators;
  for (const BinRecord& bin : method.reliability) {
    figure::DrawnBin drawn;
    drawn.from = bin.from;
    drawn.to = bin.to;
    drawn.count = bin.count;
    const Maybe mean = annotators ? bin.agreement : bin.accuracy;
    const BinSpread spread = bin.spread.value_or(BinSpread{});
    const Maybe error = annotators ? spread.agreement_error : spread.accuracy_error;
    if (bin.count > 0 && bin.confidence && mean) {
      drawn.confidence = *bin.confidence;
      drawn.agreement = *mean;
      if (error) {
        drawn.low = std::max(*mean - kNormal95 * *error, 0.0);
        drawn.high = std::min(*mean + kNormal95 * *error, 1.0);
      }
      drawn.noise = annotators ? spread.agreement_noise : spread.accuracy_noise;
    } else {
      drawn.count = 0;
    }
    diagram.bins.push_back(drawn);
  }
  const char* metric = annotators ? "ece_expected" : "ece_voted";
  diagram.notes = {note_text(metric, method.metric(metric))};
  return diagram;
}

namespace {

/// The model beside the recommendation, or alone where that is the same.
std::vector<FigurePlan> before_and_after(const Results& results) {
  const MethodRecord& after = results.chosen();
  const MethodRecord* before = results.first().find("uncalibrated");
  figure::Reliability right = reliability_of(results, after, Truth::annotators);
  if (before == nullptr || before == &after) {
    return {{"before-after", fmt::format("Reliability of {}", after.name),
             read_reliability(Truth::annotators), [right](const auto& caption, Frame frame) {
               return figure::reliability(right, caption, frame);
             }}};
  }
  figure::Reliability left = reliability_of(results, *before, Truth::annotators);
  left.heading = "your model";
  right.heading = fmt::format("after {}", after.name);
  return {{"before-after", fmt::format("Before, and after {}", after.name),
           read_reliability(Truth::annotators), [left, right](const auto& caption, Frame frame) {
             return figure::reliability_pair(left, right, caption, frame);
           }}};
}

/// Annotators and majority label side by side, a figure per method, in the order of the methods.
std::vector<FigurePlan> reliability_by_method(const Results& results) {
  std::vector<FigurePlan> plans;
  const auto& methods = results.first().methods;
  for (std::size_t j = 0; j < methods.size(); ++j) {
    figure::Reliability left = reliability_of(results, methods[j], Truth::annotators),
                        right = reliability_of(results, methods[j], Truth::vote);
    left.heading = "against all annotators";
    right.heading = "against the majority label";
    // The number keeps names apart that differ only in what a file name cannot hold.
    plans.push_back(
        {fmt::format("reliability-{:02}-{}", j + 1, plain_id(methods[j].name)),
         fmt::format("Reliability of {}", methods[j].name),
         read_reliability(Truth::annotators) + " The majority label hides disagreement.",
         [left, right](const auto& caption, Frame frame) {
           return figure::reliability_pair(left, right, caption, frame);
         },
         // The page shows one panel at a time there.
         false});
  }
  return plans;
}

std::vector<FigurePlan> reliability_grids(const Results& results) {
  std::vector<FigurePlan> plans;
  for (const Truth truth : {Truth::annotators, Truth::vote}) {
    std::vector<figure::Reliability> diagrams;
    const bool annotators = truth == Truth::annotators;
    const char* metric = annotators ? "ece_expected" : "ece_voted";
    for (const MethodRecord& method : results.first().methods) {
      diagrams.push_back(reliability_of(results, method, truth));
      // Short enough for a small panel; the caption says what it is.
      const EstimateRecord estimate = method.metric(metric);
      diagrams.back().notes = {value_text(metric, estimate.value) + " " +
                               interval_text(metric, estimate)};
    }
    plans.push_back({annotators ? "reliability-grid-annotators" : "reliability-grid-vote",
                     fmt::format("Reliability of all methods against {}, best nll first",
                                 annotators ? "annotators" : "the majority label"),
                     read_reliability(truth) +
                         fmt::format(" Below each name: {} in points, with its interval.", metric),
                     [diagrams](const auto& caption, Frame frame) {
                       return figure::reliability_grid(diagrams, caption, frame);
                     },
                     annotators});
  }
  return plans;
}

std::vector<FigurePlan> entropy_figures(const Results& results) {
  std::vector<figure::EntropyCurve> curves;
  for (const MethodRecord* method : shown_methods(results, 4)) {
    figure::EntropyCurve curve{method->name, {}};
    for (const EntropyBinRecord& bin : method->by_entropy) {
      figure::EntropyPoint point;
      point.entropy = bin.entropy;
      point.error = bin.error;
      point.count = bin.count;
      if (bin.standard_error) {
        point.low = std::max(bin.error - kNormal95 * *bin.standard_error, 0.0);
        point.high = std::min(bin.error + kNormal95 * *bin.standard_error, 1.0);
      }
      curve.points.push_back(point);
    }
    if (!curve.points.empty()) curves.push_back(std::move(curve));
  }
  if (curves.empty()) return {};
  std::optional<figure::EntropyCurve> perfect;
  for (const EntropyBinRecord& bin : results.chosen().by_entropy) {
    if (!bin.perfect) continue;
    if (!perfect) perfect = figure::EntropyCurve{"a perfect model", {}};
    figure::EntropyPoint point;
    point.entropy = bin.entropy;
    point.error = *bin.perfect;
    point.count = bin.count;
    perfect->points.push_back(point);
  }
  return {{"error-by-entropy", "Error of the confidence where annotators disagree",
           "How far the confidence of single examples is from the share of annotators who agree, "
           "against how much annotators disagree: 0 where all say the same, 1 where they are "
           "spread evenly over all classes. A line that rises belongs to a model that is most "
           "wrong about its confidence where examples are hardest. The dashed line is what chance "
           "alone "
           "would show, with as many votes, if the probabilities were exactly right.",
           [curves, perfect](const auto& about, Frame frame) {
             return figure::error_by_entropy(curves, perfect, about, frame);
           }}};
}

std::vector<FigurePlan> disagreement_figures(const Results& results) {
  std::vector<figure::EntropyCurve> curves;
  for (const MethodRecord* method : shown_methods(results, 3)) {
    figure::EntropyCurve curve{method->name, {}};
    for (const DisagreementBinRecord& bin : method->disagreement) {
      figure::EntropyPoint point;
      point.entropy = bin.predicted;
      point.error = bin.observed;
      point.count = bin.count;
      if (bin.standard_error) {
        point.low = std::max(bin.observed - kNormal95 * *bin.standard_error, 0.0);
        point.high = std::min(bin.observed + kNormal95 * *bin.standard_error, 1.0);
      }
      curve.points.push_back(point);
    }
    if (!curve.points.empty()) curves.push_back(std::move(curve));
  }
  if (curves.empty()) return {};
  return {{"disagreement", "How often two annotators disagree",
           "Share of the pairs of annotators of an example that chose different classes, against "
           "the probability that was predicted for it, in groups of equally many test examples. On "
           "the dashed line annotators disagree as often as predicted.",
           [curves](const auto& about, Frame frame) {
             return figure::disagreement(curves, about, frame);
           }}};
}

std::vector<FigurePlan> confidence_maps(const Results& results) {
  std::vector<figure::ConfidenceMap> maps;
  for (const MethodRecord* method : shown_methods(results, 3)) {
    if (method->name == "uncalibrated" || method->confidence_map.empty()) continue;
    figure::ConfidenceMap map{method->name, {}};
    for (const ConfidenceMapBin& bin : method->confidence_map) {
      map.points.push_back({bin.before, bin.after, bin.low, bin.high});
    }
    maps.push_back(std::move(map));
  }
  if (maps.empty()) return {};
  return {{"confidence-map", "What calibration does to a confidence",
           "Mean confidence after against mean confidence before, in 20 groups of equally many "
           "examples; the shade holds the middle 80 % of each group. On the diagonal nothing "
           "changes.",
           [maps](const auto& about, Frame frame) {
             return figure::confidence_map(maps, about, frame);
           }}};
}

std::vector<FigurePlan> vote_figures(const Results& results) {
  const VoteDiagrams a = results.evaluation.votes.value_or(VoteDiagrams{});
  std::vector<FigurePlan> plans;
  if (!a.entropy_histogram.empty()) {
    const figure::VoteDistribution votes{{a.entropy_histogram.begin(), a.entropy_histogram.end()},
                                         a.votes_histogram,
                                         results.class_names(),
                                         a.annotator_shares,
                                         a.voted_shares};
    plans.push_back(
        {"vote-distribution", "How annotations are spread",
         "Annotation entropy of the test examples, votes per example, and how often each "
         "class is chosen by annotators and is the majority label.",
         [votes](const auto& about, Frame frame) {
           return figure::vote_distribution(votes, about, frame);
         }});
  }
  if (!a.confusion.empty()) {
    const figure::Confusion confusion{results.class_names(), a.confusion, a.confusion_rows};
    plans.push_back({"annotator-confusion", "What annotators say, by majority label",
                     "Rows: the majority label; columns: the share of single annotations, in per "
                     "cent.",
                     [confusion](const auto& about, Frame frame) {
                       return figure::annotator_confusion(confusion, about, frame);
                     },
                     false});  // as a table, it scrolls on a phone
  }
  return plans;
}

std::vector<FigurePlan> toy_figures(const Results& results) {
  const MethodRecord *by_vote = results.first().find("ts"), *by_all = results.first().find("slts");
  if (results.toy.empty() || by_vote == nullptr || by_all == nullptr) return {};
  figure::ToyPanels toy;
  for (const ToyPointRecord& point : results.toy) {
    auto cluster = std::ranges::find(toy.clusters, point.cluster);
    if (cluster == toy.clusters.end()) {
      toy.clusters.push_back(point.cluster);
      cluster = toy.clusters.end() - 1;
    }
    toy.points.push_back({point.x, point.y,
                          static_cast<std::size_t>(cluster - toy.clusters.begin()),
                          point.ambiguous});
  }
  toy.by_vote = reliability_of(results, *by_vote, Truth::annotators);
  toy.by_annotators = reliability_of(results, *by_all, Truth::annotators);
  toy.by_vote.heading = by_vote->name + ", fitted to majority labels";
  toy.by_annotators.heading = by_all->name + ", fitted to annotators";
  return {
      {"toy", "When the majority label is the wrong target",
       "The points of the test part; then how confidence compares with what annotators think, "
       "after a temperature fitted to majority labels and after one fitted to all annotators.",
       [toy](const auto& about, Frame frame) { return figure::toy_panels(toy, about, frame); }}};
}

}  // namespace

// metric_figures.cpp
std::vector<FigurePlan> bar_figures(const Results& results);
std::vector<FigurePlan> heatmaps(const Results& results);
std::vector<FigurePlan> ablation_figures(const Results& results);

std::span<const FigureKind> figure_kinds() {
  static constexpr FigureKind kKinds[] = {
      {Room::answer, nullptr, before_and_after},
      {Room::alone, nullptr, entropy_figures},
      {Room::by_method, "Reliability, method by method", reliability_by_method},
      {Room::by_truth, "Reliability of all methods", reliability_grids},
      {Room::by_metric, "One metric at a time", bar_figures},
      {Room::alone, "All methods by the main metrics", heatmaps},
      {Room::alone, "What calibration does to a confidence", confidence_maps},
      {Room::alone, "How often two annotators disagree", disagreement_figures},
      {Room::side_by_side, "With fewer examples, votes or draws", ablation_figures},
      {Room::alone, "When the majority label is the wrong target", toy_figures},
      {Room::data, nullptr, vote_figures},
  };
  return kKinds;
}

std::vector<FigurePlan> all_figures(const Results& results) {
  std::vector<FigurePlan> all;
  for (const FigureKind& kind : figure_kinds()) {
    for (FigurePlan& plan : kind.plans(results)) all.push_back(std::move(plan));
  }
  return all;
}

}  // namespace credence::report
