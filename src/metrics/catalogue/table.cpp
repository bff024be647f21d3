// The one list of metrics.
#include <array>

#include "credence/error.hpp"
#include "credence/text.hpp"
#include "metrics/catalogue/definition.hpp"

namespace credence {
namespace metrics {

// Each is defined in a file of its own beside this one.
extern const Definition kAccuracy, kReaderAccuracy;
extern const Definition kEceVoted, kEceExpected;
extern const Definition kEceTrueExact, kAeceTrueExact, kEceFloor, kCweceTrueExact;
extern const Definition kEceTrue, kAeceTrue, kCweceTrue;
extern const Definition kSmoothEce;
extern const Definition kAeceExpected, kCweceExpected;
extern const Definition kEce2Debiased;
extern const Definition kBrier, kBrierReader, kBrierUnbiased, kAnnotatorDisagreement;
extern const Definition kNll, kKl;
extern const Definition kDmNll, kPredictedDisagreement;
extern const Definition kPointwise;
extern const Definition kDistCe, kEntropyCe, kRankMatch;

namespace {

constexpr std::array kTable{
    &kAccuracy,
    &kReaderAccuracy,
    &kEceVoted,
    &kEceExpected,
    &kEceTrue,
    &kEceTrueExact,
    &kEceFloor,
    &kAeceExpected,
    &kAeceTrue,
    &kAeceTrueExact,
    &kCweceExpected,
    &kCweceTrue,
    &kCweceTrueExact,
    &kEce2Debiased,
    &kSmoothEce,
    &kBrier,
    &kBrierReader,
    &kBrierUnbiased,
    &kAnnotatorDisagreement,
    &kPredictedDisagreement,
    &kNll,
    &kKl,
    &kDmNll,
    &kPointwise,
    &kDistCe,
    &kEntropyCe,
    &kRankMatch,
};

}  // namespace

std::span<const Definition* const> definitions() { return kTable; }

std::vector<MetricValue> compute_metrics(const Totals& t) {
  std::vector<MetricValue> values;
  values.reserve(kTable.size());
  for (const Definition* definition : kTable) {
    const Point point = definition->compute(t);
    values.push_back({definition->metric.name, point.value, point.monte_carlo_error});
  }
  return values;
}

}  // namespace metrics

std::string_view to_string(Direction direction) {
  switch (direction) {
    case Direction::lower:
      return "lower";
    case Direction::higher:
      return "higher";
    case Direction::neither:
      break;
  }
  return "neither";
}

std::optional<std::size_t> best_place(Direction better,
                                      std::span<const std::optional<double>> values) {
  std::optional<std::size_t> best;
  if (better == Direction::neither) return best;
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (!values[j]) continue;
    const double value = *values[j], leading = *values[best.value_or(j)];
    if (!best || (better == Direction::lower ? value < leading : value > leading)) best = j;
  }
  return best;
}

std::span<const Metric> metric_table() {
  static const std::vector<Metric> table = [] {
    std::vector<Metric> made;
    for (const metrics::Definition* d : metrics::definitions()) made.push_back(d->metric);
    return made;
  }();
  return table;
}

std::string_view present_name(std::string_view name) {
  for (const Metric& metric : metric_table()) {
    if (!name.empty() && metric.former_name == name) return metric.name;
  }
  return name;
}

std::string_view former_name(std::string_view name) {
  for (const Metric& metric : metric_table()) {
    if (metric.name == name) return metric.former_name;
  }
  return {};
}

namespace {

const MetricValue& find(const Evaluation& evaluation, std::string_view name) {
  for (const MetricValue& metric : evaluation.metrics) {
    if (metric.name == present_name(name)) return metric;
  }
  std::vector<std::string_view> known;
  for (const Metric& metric : metric_table()) known.push_back(metric.name);
  throw Error(ErrorCode::usage,
              "unknown metric '" + std::string(name) + "'" + did_you_mean(name, known));
}

}  // namespace

std::optional<double> Evaluation::operator[](std::string_view name) const {
  return find(*this, name).value;
}

std::optional<double> Evaluation::monte_carlo_error(std::string_view name) const {
  return find(*this, name).monte_carlo_error;
}

}  // namespace credence
