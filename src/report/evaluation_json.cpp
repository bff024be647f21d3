// What `evaluate` found, for programs.
#include <cmath>

#include "credence/aligned_calibrator.hpp"
#include "credence/evaluation_report.hpp"
#include "credence/options.hpp"
#include "report/record_fields.hpp"
#include "report/shared_records.hpp"

namespace credence::report {
namespace {

using io::Json;
using io::optional_json;

Json protocol_json(const EvaluationResult& result) {
  const io::DataFacts& facts = result.facts;
  const io::JoinReport& join = result.loaded.join;
  const auto or_null = [](const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
  };
  return {{"bins", result.options.metrics.bins},
          {"entropy_bins", result.options.metrics.entropy_bins},
          {"draws", result.options.metrics.draws},
          {"draw_seed", result.options.metrics.seed},
          {"seed", result.options.bootstrap.seed},
          {"rows", result.evaluation.rows},
          {"classes", result.evaluation.classes},
          {"class_names", facts.class_names},
          {"evidence", to_string(facts.evidence)},
          {"votes_per_example", facts.votes_per_example},
          {"ties", facts.ties},
          {"score_kind", result.subject.score_kind},
          {"clipped", facts.clipped},
          {"gauge", or_null(result.subject.gauge)},
          {"fingerprint", fingerprint_of(result)},
          {"fitted_fingerprint", or_null(result.subject.fitted_fingerprint)},
          {"fitted_rows", result.subject.fitted_rows ? Json(*result.subject.fitted_rows) : Json()},
          {"joined_by", join.joined_by},
          {"classes_matched", join.classes_matched},
          {"calibrator_classes_matched", or_null(result.subject.calibrator_classes)},
          {"notes", render(join.notes, Speech::command_line)}};
}

/// null without intervals; a metric that carries none is left out.
Json intervals_json(const EvaluationResult& result) {
  if (!result.intervals) return nullptr;
  const BootstrapOptions& how = result.intervals->protocol;
  Json metrics = Json::object();
  for (std::size_t i = 0; i < result.evaluation.metrics.size(); ++i) {
    if (const Estimate* estimate = estimate_of(result, i)) {
      metrics[std::string(estimate->name)] = {
          {"standard_error", optional_json(estimate->standard_error)},
          {"low", *estimate->low},
          {"high", *estimate->high}};
    }
  }
  return {{"kind", how.kind == IntervalKind::percentile ? "percentile" : "studentised"},
          {"level", how.level},
          {"resamples", how.resamples},
          {"seed", how.seed},
          {"unit", result.facts.groups == 0 ? "example" : "group"},
          {"units", result.intervals->units},
          {"annotators_resampled", how.annotators},
          {"metrics", metrics}};
}

Json mean_json(const MeanEstimate& mean) {
  return {{"value", std::isfinite(mean.value) ? Json(mean.value) : Json(nullptr)},
          {"low", optional_json(mean.low)},
          {"high", optional_json(mean.high)}};
}

/// null where the data name no subgroups.
Json subgroups_json(const EvaluationResult& result) {
  if (!result.subgroups) return nullptr;
  Json scores = Json::array();
  for (const SubgroupScore& score : result.subgroups->scores) {
    scores.push_back({{"name", score.name},
                      {"examples", score.examples},
                      {"gap", mean_json(score.gap)},
                      {"nll", mean_json(score.nll)},
                      {"accuracy", score.accuracy},
                      {"ece_expected", score.ece_expected}});
  }
  const auto worst = result.subgroups->worst;
  return {{"level", result.subgroups->level},
          {"single_level", result.subgroups->single_level},
          {"worst", worst ? Json(result.subgroups->scores[*worst].name) : Json(nullptr)},
          {"words", subgroups_in_words(*result.subgroups)},
          {"scores", scores}};
}

}  // namespace

std::string evaluation_json(const EvaluationResult& result) {
  const Evaluation& evaluation = result.evaluation;
  Json metrics = Json::object(), monte_carlo = Json::object();
  for (const MetricValue& metric : evaluation.metrics) {
    // JSON has no infinity; a loss that is infinite is told by infinite_nll_rows.
    const bool finite = metric.value && std::isfinite(*metric.value);
    metrics[std::string(metric.name)] = finite ? Json(*metric.value) : Json(nullptr);
    if (const std::string_view former = former_name(metric.name); !former.empty()) {
      metrics[std::string(former)] = metrics[std::string(metric.name)];
    }
    if (metric.monte_carlo_error) {
      monte_carlo[std::string(metric.name)] = *metric.monte_carlo_error;
    }
  }
  const Json document{{"method", result.subject.method},
                      {"metrics", metrics},
                      {"monte_carlo_errors", monte_carlo},
                      {"intervals", intervals_json(result)},
                      {"ece_expected_by_chance", evaluation.ece_by_chance},
                      {"infinite_nll_rows", evaluation.infinite_nll_rows},
                      {"repeated_rows", evaluation.repeated_rows},
                      {"reliability", RecordWriter::list(bin_records(evaluation))},
                      {"pointwise_by_entropy", RecordWriter::list(entropy_bin_records(evaluation))},
                      {"disagreement", RecordWriter::list(disagreement_bin_records(evaluation))},
                      {"subgroups", subgroups_json(result)},
                      {"protocol", protocol_json(result)}};
  // Text that is not UTF-8 is replaced rather than refused.
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace credence::report
