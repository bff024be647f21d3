// The one list of metrics: a name, which way is better, what it means, how it is computed.
#include <algorithm>
#include <array>

#include "core/nearest_name.hpp"
#include "credence/error.hpp"
#include "metrics/scored.hpp"

namespace credence {
namespace metrics {
namespace {

struct Row {
  Metric metric;
  std::optional<double> (*compute)(const Scored&);
};

double accuracy(const Scored& s) {
  return s.mean(static_cast<double>(std::count(s.hit.begin(), s.hit.end(), 1)));
}

double reader_accuracy(const Scored& s) {
  Sum agreement;
  for (const double r : s.agreement) agreement.add(r);
  return s.mean(agreement.value());
}

using enum Direction;
using S = const Scored&;
using Value = std::optional<double>;

constexpr std::array kRows{
    Row{{"accuracy", higher, "share of examples whose predicted class is the voted one"},
        [](S s) -> Value { return accuracy(s); }},
    Row{{"reader_accuracy", higher, "chance that a random annotator chose the predicted class"},
        [](S s) -> Value { return reader_accuracy(s); }},
    Row{{"ece_voted", lower, "calibration error of the top class against the voted label"},
        [](S s) -> Value { return ece_voted(s); }},
    Row{{"ece_expected", lower,
         "calibration error of the top class against the annotators' shares"},
        [](S s) -> Value { return ece_expected(s.confidence, s.agreement, s.options.bins); }},
    Row{{"ece_true_exact", lower,
         "mean calibration error against one drawn annotator each, over all draws"},
        [](S s) -> Value { return ece_true_exact(s); }},
    Row{{"ece_floor", neither, "what ece_true_exact would show for a perfectly calibrated model"},
        [](S s) -> Value { return ece_floor(s); }},
    Row{{"aece_expected", lower, "ece_expected with equally filled bins"},
        [](S s) -> Value { return aece_expected(s); }},
    Row{{"cwece_expected", lower, "calibration error of every class, averaged over the classes"},
        [](S s) -> Value { return cwece_expected(s); }},
    Row{{"ece2_debiased", lower, "squared calibration error less what chance adds; may be below 0"},
        [](S s) -> Value { return ece2_debiased(s); }},
    Row{{"brier", lower, "squared distance to the annotators' distribution"},
        [](S s) -> Value { return s.mean(s.brier.value()); }},
    Row{{"brier_reader", lower, "expected Brier score against one random annotator"},
        [](S s) -> Value { return s.mean(s.brier.value() + s.disagreement.value()); }},
    Row{{"brier_unbiased", lower,
         "squared distance to the distribution of all possible annotators, estimated without bias"},
        [](S s) { return brier_unbiased(s); }},
    Row{{"human_ceiling", neither, "the part of brier_reader that no model can remove"},
        [](S s) { return human_ceiling(s); }},
    Row{{"nll", lower, "cross-entropy to the annotators' distribution; empty when infinite"},
        [](S s) { return nll(s); }},
    Row{{"kl", lower, "nll less the entropy of the annotators' distribution"},
        [](S s) { return kl(s); }},
    Row{{"pointwise", lower, "mean distance between confidence and agreement, row by row"},
        [](S s) -> Value { return pointwise(s); }},
};

constexpr auto kMetrics = [] {
  std::array<Metric, kRows.size()> metrics{};
  for (std::size_t i = 0; i < metrics.size(); ++i) metrics[i] = kRows[i].metric;
  return metrics;
}();

}  // namespace

std::vector<MetricValue> compute_metrics(const Scored& s) {
  std::vector<MetricValue> values;
  values.reserve(kRows.size());
  for (const Row& row : kRows) values.push_back({row.metric.name, row.compute(s)});
  return values;
}

}  // namespace metrics

std::span<const Metric> metric_table() { return metrics::kMetrics; }

std::optional<double> Evaluation::operator[](std::string_view name) const {
  for (const MetricValue& metric : metrics) {
    if (metric.name == name) return metric.value;
  }
  std::vector<std::string_view> known;
  for (const Metric& metric : metric_table()) known.push_back(metric.name);
  const std::string_view nearest = core::nearest_name(name, known);
  std::string message = "unknown metric '" + std::string(name) + "'";
  if (!nearest.empty()) message += "; did you mean '" + std::string(nearest) + "'?";
  throw Error(ErrorCode::usage, message);
}

}  // namespace credence
