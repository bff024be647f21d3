#include "experiment/comparing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "credence/error.hpp"
#include "map/about.hpp"

namespace credence::experiment {
namespace {

/// How many numbers a method fits; steps, whose number the rows decide, count as none.
std::size_t parameter_count(const MethodSpec& method, std::size_t classes) {
  std::size_t count = 0;
  for (const MethodSpec::StageSpec& stage : method.stages) {
    if (!map::open_block(stage.map).empty()) continue;
    for (const map::Block& block : map::blocks(stage.map, classes)) count += block.size();
  }
  return count;
}

bool has(const std::vector<MethodSpec>& methods, const std::string& name) {
  return std::ranges::any_of(methods, [&](const MethodSpec& one) { return one.name == name; });
}

}  // namespace

void check_options(const CompareOptions& options) {
  if (options.folds < 2) {
    throw Error(ErrorCode::usage, "cross-validation needs 2 folds or more");
  }
  if (options.seeds.empty()) throw Error(ErrorCode::usage, "no seeds given");
}

Methods methods_to_compare(const CompareOptions& options, const RowsInfo& calibration) {
  const Evidence evidence = calibration.evidence;
  Methods methods;
  // The two that every comparison is against are there, asked for or not.
  std::vector<std::string> names{std::string(kUncalibrated), options.reference};
  names.insert(names.end(), options.methods.begin(), options.methods.end());
  for (const std::string& name : names) {
    MethodSpec method = parse_method(name);
    if (has(methods.compared, method.name)) continue;
    if (method.needs() > evidence) {
      throw Error(ErrorCode::evidence,
                  fmt::format("method '{}' needs {}; the calibration rows hold {}", method.name,
                              to_string(method.needs()), to_string(evidence)),
                  "leave it out of ‹methods›; ‹methods()› lists what each method needs");
    }
    methods.compared.push_back(std::move(method));
  }
  if (!options.methods.empty()) return methods;
  std::vector<std::string_view> usual = methods_compared_with(evidence);
  if (evidence > Evidence::none) usual.push_back(kAutomaticMethods.front().id);
  for (const std::string_view id : usual) {
    MethodSpec method = parse_method(std::string(id));
    if (has(methods.compared, method.name)) continue;
    const bool fits = parameter_count(method, calibration.classes) <= calibration.rows;
    if (!fits) methods.left_out.push_back(method.name);
    if (fits) methods.compared.push_back(std::move(method));
  }
  return methods;
}

std::vector<std::size_t> reference_methods(const SplitResult& result, std::string_view chosen) {
  std::vector<std::size_t> references;
  const auto add = [&](std::size_t j) {
    if (std::ranges::find(references, j) == references.end()) references.push_back(j);
  };
  const auto add_name = [&](std::string_view name) {
    for (std::size_t j = 0; j < result.methods.size(); ++j) {
      if (result.methods[j].name == name) add(j);
    }
  };
  add_name(chosen);
  add_name(kUncalibrated);
  add_name(result.candidate);
  for (const Metric& metric : metric_table()) {
    std::vector<std::optional<double>> values;
    for (const MethodResult& method : result.methods) {
      values.push_back(method.oracle ? std::nullopt : method.evaluation[metric.name]);
    }
    if (const auto best = best_place(metric.better, values)) add(*best);
  }
  return references;
}

void take_intervals(BootstrapResult intervals, SplitResult& result) {
  result.resampled_units = intervals.units;
  for (std::size_t j = 0; j < result.methods.size(); ++j) {
    result.methods[j].estimates = std::move(intervals.estimates[j]);
    for (auto& against : intervals.differences) {
      result.methods[j].differences.push_back(std::move(against[j]));
    }
  }
}

void values_alone(SplitResult& result, const std::vector<std::size_t>& references) {
  for (MethodResult& method : result.methods) {
    method.differences.resize(references.size());
    for (const Metric& metric : metric_table()) {
      const auto value = method.evaluation[metric.name];
      method.estimates.push_back({metric.name, value, {}, {}, {}});
      for (std::size_t r = 0; r < references.size(); ++r) {
        const auto other = result.methods[references[r]].evaluation[metric.name];
        const auto gap = value && other ? std::optional(*value - *other) : std::nullopt;
        method.differences[r].push_back({metric.name, gap, {}, {}, {}});
      }
    }
  }
}

void rank_by_nll(SplitResult& result) {
  std::ranges::stable_sort(result.methods, [](const MethodResult& a, const MethodResult& b) {
    const auto x = a.evaluation["nll"], y = b.evaluation["nll"];
    return x && y ? *x < *y : x.has_value() && !y.has_value();
  });
}

std::vector<MethodSpread> spread_over(const std::vector<SplitResult>& splits) {
  std::vector<MethodSpread> all;
  for (const MethodResult& method : splits.front().methods) {
    MethodSpread spread{.name = method.name, .times_recommended = 0, .metrics = {}};
    for (const SplitResult& split : splits) {
      spread.times_recommended += split.recommended == method.name ? 1 : 0;
    }
    for (const Metric& metric : metric_table()) {
      std::vector<double> values;
      for (const SplitResult& split : splits) {
        const MethodResult* same = split.find(method.name);
        if (same == nullptr) continue;
        if (const auto value = same->evaluation[metric.name]) values.push_back(*value);
      }
      Spread one{.metric = metric.name, .splits = values.size(), .mean = {}, .deviation = {}};
      if (!values.empty()) {
        double sum = 0.0, squares = 0.0;
        for (const double value : values) sum += value;
        const double count = static_cast<double>(values.size());
        one.mean = sum / count;
        for (const double value : values) squares += (value - *one.mean) * (value - *one.mean);
        if (values.size() > 1) one.deviation = std::sqrt(squares / (count - 1.0));
      }
      spread.metrics.push_back(one);
    }
    all.push_back(std::move(spread));
  }
  return all;
}

}  // namespace credence::experiment
