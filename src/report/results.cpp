// Looking numbers up in results.
#include "credence/results.hpp"

#include <algorithm>

namespace credence::report {
namespace {

EstimateRecord found_or_none(const Estimates* estimates, std::string_view metric) {
  const EstimateRecord* found = estimates != nullptr ? estimates->find(metric) : nullptr;
  return found != nullptr ? *found : EstimateRecord{};
}

}  // namespace

EstimateRecord MethodRecord::metric(std::string_view metric_name) const {
  return found_or_none(&metrics, metric_name);
}

EstimateRecord MethodRecord::difference(std::string_view reference, std::string_view metric) const {
  return found_or_none(differences.find(reference), metric);
}

const MethodRecord* SplitRecord::find(std::string_view name) const {
  const auto found = std::ranges::find(methods, name, &MethodRecord::name);
  return found == methods.end() ? nullptr : &*found;
}

const MethodRecord& Results::chosen() const {
  return *first().find(candidate.empty() ? recommended : candidate);
}

const MetricRecord* Results::metric(std::string_view name) const {
  const auto found = std::ranges::find(metrics, name, &MetricRecord::name);
  return found == metrics.end() ? nullptr : &*found;
}

const MethodSpreadRecord* Results::spread(std::string_view method) const {
  const auto found = std::ranges::find(over_splits, method, &MethodSpreadRecord::name);
  return found == over_splits.end() ? nullptr : &*found;
}

const SpreadRecord* Results::over_all_splits(std::string_view method,
                                             std::string_view metric_name) const {
  const MethodSpreadRecord* of_method = spread(method);
  const SpreadRecord* found = of_method != nullptr ? of_method->metrics.find(metric_name) : nullptr;
  return found != nullptr && found->splits == splits.size() ? found : nullptr;
}

std::string Results::class_name(std::size_t k) const {
  return provenance.class_names.empty() ? std::to_string(k) : provenance.class_names[k];
}

std::vector<std::string> Results::class_names() const {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < evaluation.classes; ++k) names.push_back(class_name(k));
  return names;
}

const MethodRecord* best(const SplitRecord& split, const MetricRecord& metric) {
  std::vector<Maybe> values;
  for (const MethodRecord& one : split.methods) {
    values.push_back(one.oracle ? Maybe() : one.metric(metric.name).value);
  }
  const auto place = best_place(metric.better, values);
  return place ? &split.methods[*place] : nullptr;
}

bool among_best(const SplitRecord& split, const MethodRecord& one, const MetricRecord& metric) {
  const MethodRecord* winner = best(split, metric);
  const Maybe value = one.metric(metric.name).value;
  if (winner == nullptr || one.oracle || !value) return false;
  if (value == winner->metric(metric.name).value) return true;
  const EstimateRecord gap = one.difference(winner->name, metric.name);
  return gap.low && gap.high && *gap.low <= 0.0 && *gap.high >= 0.0;
}

}  // namespace credence::report
