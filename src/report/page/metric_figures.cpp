// Figures of whole metrics: bars over methods, the table as a heat map, curves of ablations.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "report/page/figures.hpp"
#include "report/page/html.hpp"
#include "report/page/words.hpp"

namespace credence::report {
namespace {

using figure::Frame;

constexpr const char* kBarMetrics[] = {"nll",       "ece_expected", "ece_true",
                                       "ece_voted", "brier_reader", "accuracy"};

figure::MethodValue method_value(const Results& results, const MethodRecord& method,
                                 const MetricRecord& metric) {
  figure::MethodValue row{.method = method.name,
                          .recommended = method.recommended,
                          .oracle = method.oracle,
                          .tied_with_best = among_best(results.first(), method, metric),
                          .value = {},
                          .low = {},
                          .high = {},
                          .missing = value_text(metric.name, {}),
                          .seeds = {}};
  const EstimateRecord estimate = method.metric(metric.name);
  if (results.splits.size() == 1) {
    row.value = estimate.value;
    row.low = estimate.low;
    row.high = estimate.high;
    return row;
  }
  const SpreadRecord* spread = results.over_all_splits(method.name, metric.name);
  if (spread == nullptr) return row;
  row.value = spread->mean;
  if (row.value && spread->deviation) {
    row.low = *row.value - *spread->deviation;
    row.high = *row.value + *spread->deviation;
  }
  for (const SplitRecord& split : results.splits) {
    const MethodRecord* same = split.find(method.name);
    const Maybe value = same != nullptr ? same->metric(metric.name).value : Maybe();
    if (value) row.seeds.push_back(*value);
  }
  return row;
}

void best_first(std::vector<figure::MethodValue>& methods, bool lower) {
  using Row = figure::MethodValue;
  std::ranges::stable_sort(methods, [&](const Row& a, const Row& b) {
    if (!a.value || !b.value) return a.value.has_value() && !b.value.has_value();
    return lower ? *a.value < *b.value : *a.value > *b.value;
  });
}

/// Worst 0, best 1; the root keeps apart the good ones, which one bad method would press together.
std::vector<double> goodness(const SplitRecord& split, const MetricRecord& metric) {
  double low = INFINITY, high = -INFINITY;
  for (const MethodRecord& method : split.methods) {
    if (const Maybe value = method.metric(metric.name).value) {
      low = std::min(low, *value);
      high = std::max(high, *value);
    }
  }
  std::vector<double> result;
  for (const MethodRecord& method : split.methods) {
    const Maybe value = method.metric(metric.name).value;
    double share = 0.0;
    if (value) {
      const double off = high > low ? (*value - low) / (high - low) : 0.0;
      share = 1.0 - std::sqrt(metric.better == Direction::lower ? off : 1.0 - off);
    }
    result.push_back(share);
  }
  return result;
}

/// Mean and spread of one curve's point over the seeds.
figure::CurvePoint summary(double x, const std::vector<double>& values) {
  double sum = 0.0, squares = 0.0;
  const auto n = static_cast<double>(values.size());
  for (const double v : values) sum += v;
  for (const double v : values) squares += (v - sum / n) * (v - sum / n);
  figure::CurvePoint point{.x = x, .mean = sum / n, .deviation = {}};
  if (values.size() > 1) point.deviation = std::sqrt(squares / (n - 1.0));
  return point;
}

/// Only the methods that are `wanted`; all where none is.
std::optional<figure::Curves> study_curves(const AblationRecord& ablation, std::string_view study,
                                           std::string_view metric,
                                           std::span<const std::string_view> wanted = {}) {
  figure::Curves curves;
  std::vector<std::string> methods;
  std::vector<double> settings;
  const auto place = [&](const AblationSettingRecord& result) {
    return study == "size" ? static_cast<double>(result.calibration_rows) : result.setting;
  };
  for (const AblationSettingRecord& result : ablation.results) {
    if (result.study != study) continue;
    for (const AblationMethodRecord& point : result.methods) {
      // The model as it is does not depend on any setting, and would press the others together.
      if (point.method == "uncalibrated") continue;
      if (!wanted.empty() && std::ranges::find(wanted, point.method) == wanted.end()) continue;
      if (std::ranges::find(methods, point.method) == methods.end()) {
        methods.push_back(point.method);
      }
      const double x = place(result);
      if (std::ranges::find(settings, x) == settings.end()) settings.push_back(x);
    }
  }
  std::ranges::sort(settings);
  if (settings.size() < 2) return std::nullopt;
  for (const std::string& method : methods) {
    figure::Curve curve{method, {}};
    for (const double x : settings) {
      std::vector<double> values;
      bool complete = true;  // a mean over the seeds that are finite would flatter the method
      for (const AblationSettingRecord& result : ablation.results) {
        if (result.study != study || place(result) != x) continue;
        for (const AblationMethodRecord& point : result.methods) {
          const Maybe* found = point.method == method ? point.metrics.find(metric) : nullptr;
          if (found == nullptr) continue;
          complete = complete && found->has_value();
          if (*found) values.push_back(**found);
        }
      }
      if (complete && !values.empty()) curve.points.push_back(summary(x, values));
    }
    if (!curve.points.empty()) curves.curves.push_back(std::move(curve));
  }
  curves.x_label = study == "size"    ? "calibration examples"
                   : study == "votes" ? "votes per calibration example"
                                      : "annotations drawn per example";
  curves.y_label = std::string(metric);
  curves.log_x = settings.front() > 0.0 && settings.back() / settings.front() >= 10.0;
  curves.percent = in_percent(metric);
  return curves;
}

}  // namespace

std::vector<FigurePlan> bar_figures(const Results& results) {
  std::vector<FigurePlan> plans;
  for (const char* name : kBarMetrics) {
    const MetricRecord* metric = results.metric(name);
    if (metric == nullptr) continue;
    figure::MetricBars bars{.metric = metric->name,
                            .meaning = metric->meaning,
                            .lower_is_better = metric->better != Direction::higher,
                            .percent = in_percent(name),
                            .interval = {},
                            .methods = {},
                            .floor = {},
                            .floor_label = {}};
    bars.interval =
        results.splits.size() > 1
            ? fmt::format("mean ± standard deviation over {} splits", results.splits.size())
            : fmt::format("{:.4g} % interval", 100.0 * results.protocol.level);
    for (const MethodRecord& method : results.first().methods) {
      bars.methods.push_back(method_value(results, method, *metric));
    }
    best_first(bars.methods, bars.lower_is_better);
    if (std::string_view(name) == "ece_true") {
      bars.floor = results.chosen().metric("ece_floor").value;
      bars.floor_label = "a perfect model";
    }
    plans.push_back({fmt::format("bars-{}", plain_id(name)), fmt::format("{} of all methods", name),
                     fmt::format("{} {} is better. Lines: {}. Filled: not worse than the best; the "
                                 "interval of the paired difference includes 0.",
                                 metric->meaning + ";", bars.lower_is_better ? "lower" : "higher",
                                 bars.interval),
                     [bars](const auto& about, Frame frame) {
                       return figure::metric_bars(bars, about, frame);
                     }});
  }
  return plans;
}

std::vector<FigurePlan> heatmaps(const Results& results) {
  figure::Heatmap map;
  const SplitRecord& split = results.first();
  std::vector<const MetricRecord*> metrics;
  for (const char* name : {"nll", "brier_reader", "ece_expected", "ece_true", "aece_true",
                           "cwece_true", "ece_voted", "pointwise", "reader_accuracy", "accuracy"}) {
    const MetricRecord* metric = results.metric(name);
    if (metric != nullptr && best(split, *metric) != nullptr) metrics.push_back(metric);
  }
  if (metrics.empty()) return {};
  std::vector<std::vector<double>> shades;
  for (const MetricRecord* metric : metrics) {
    map.metrics.push_back(in_percent(metric->name) ? metric->name + " %" : metric->name);
    shades.push_back(goodness(split, *metric));
  }
  for (std::size_t j = 0; j < split.methods.size(); ++j) {
    const MethodRecord& method = split.methods[j];
    map.methods.push_back(method.name);
    for (std::size_t k = 0; k < metrics.size(); ++k) {
      const Maybe value = method.metric(metrics[k]->name).value;
      map.cells.push_back({value, value_text(metrics[k]->name, value), shades[k][j],
                           among_best(split, method, *metrics[k])});
    }
  }
  return {
      {"heatmap", "All methods by all of the main metrics",
       "A stronger shade is better, column by column. Framed: not worse than the best of the "
       "column; the "
       "interval of the paired difference includes 0.",
       [map](const auto& about, Frame frame) { return figure::method_heatmap(map, about, frame); },
       false}};  // as a table, it scrolls on a phone
}

namespace {

/// `auto` beside the main methods of the paper alone: all methods together hide how they differ
/// where rows are few.
std::optional<FigurePlan> few_rows_figure(const AblationRecord& ablation,
                                          const std::string& which) {
  constexpr std::array<std::string_view, 4> kShown{"auto", "dirichlet-soft", "soft-platt", "slts"};
  const auto curves = study_curves(ablation, "size", "nll", kShown);
  if (!curves || curves->curves.empty()) return std::nullopt;
  if (std::ranges::none_of(curves->curves, [](const auto& c) { return c.method == "auto"; })) {
    return std::nullopt;
  }
  return FigurePlan{
      fmt::format("ablation{}-size-auto", which), "auto and the paper's main methods (nll)",
      "Means over the seeds on the test rows, and one standard deviation. Lower is better.",
      [curves](const auto& about, Frame frame) { return figure::curves(*curves, about, frame); }};
}

}  // namespace

std::vector<FigurePlan> ablation_figures(const Results& results) {
  struct StudyWords {
    const char *study, *title;
  };
  std::vector<FigurePlan> plans;
  for (const StudyWords& words : {StudyWords{"size", "How many calibration examples are needed"},
                                  StudyWords{"votes", "How many votes per example are needed"},
                                  StudyWords{"draws", "How many drawn annotations are needed"}}) {
    for (const char* metric : {"nll", "ece_true"}) {
      for (std::size_t i = 0; i < results.ablations.size(); ++i) {
        const auto curves = study_curves(results.ablations[i], words.study, metric);
        if (!curves) continue;
        const std::string which = results.ablations.size() > 1 ? fmt::format("-{}", i + 1) : "";
        const bool first =
            std::string_view(words.study) == "size" && std::string_view(metric) == "nll";
        if (auto few = few_rows_figure(results.ablations[i], which); few && first) {
          plans.push_back(std::move(*few));
        }
        plans.push_back({fmt::format("ablation{}-{}-{}", which, words.study, plain_id(metric)),
                         fmt::format("{} ({})", words.title, metric),
                         "Means over the seeds on the test rows, and one standard deviation.",
                         [curves](const auto& about, Frame frame) {
                           return figure::curves(*curves, about, frame);
                         }});
      }
    }
  }
  return plans;
}

}  // namespace credence::report
