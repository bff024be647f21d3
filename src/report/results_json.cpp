// results.json: every number with its definition, protocol and interval.
#include "core/parallel.hpp"
#include "credence/map.hpp"
#include "credence/report.hpp"
#include "report/provenance.hpp"

namespace credence::report {
namespace {

using io::Json;

/// Nearly all of a document is estimates, so these are put together member by member: a list of
/// lists would allocate each member apart, and looking names up would compare each with all others.
Json estimate(const Estimate& e) {
  Json::object_t members;
  members.reserve(4);
  members.push_back({"value", number_json(e.value)});
  members.push_back({"standard_error", number_json(e.standard_error)});
  members.push_back({"low", number_json(e.low)});
  members.push_back({"high", number_json(e.high)});
  return members;
}

Json estimates(const std::vector<Estimate>& all) {
  Json::object_t by_name;
  by_name.reserve(all.size());
  for (const Estimate& e : all) by_name.push_back({std::string(e.name), estimate(e)});
  return by_name;
}

Json differences(const std::vector<std::string>& references,
                 const std::vector<std::vector<Estimate>>& all) {
  Json by_reference = Json::object();
  for (std::size_t r = 0; r < all.size(); ++r) by_reference[references[r]] = estimates(all[r]);
  return by_reference;
}

Json reliability(const Evaluation& evaluation, const std::vector<BinSpread>& spreads) {
  Json bins = Json::array();
  const auto count = static_cast<double>(evaluation.reliability.size());
  for (std::size_t b = 0; b < evaluation.reliability.size(); ++b) {
    const ReliabilityBin& bin = evaluation.reliability[b];
    const auto mean = [&](double value) {
      return bin.count == 0 ? Json(nullptr) : number_json(value);
    };
    bins.push_back({{"from", static_cast<double>(b) / count},
                    {"to", static_cast<double>(b + 1) / count},
                    {"count", bin.count},
                    {"confidence", mean(bin.confidence)},
                    {"agreement", mean(bin.agreement)},
                    {"accuracy", mean(bin.accuracy)}});
    if (spreads.empty()) continue;
    const BinSpread& spread = spreads[b];
    bins.back()["agreement_standard_error"] = number_json(spread.agreement_error);
    bins.back()["accuracy_standard_error"] = number_json(spread.accuracy_error);
    bins.back()["agreement_noise"] = number_json(spread.agreement_noise);
    bins.back()["accuracy_noise"] = number_json(spread.accuracy_noise);
  }
  return bins;
}

Json confidence_map(const std::vector<ConfidenceMapBin>& map) {
  Json bins = Json::array();
  for (const ConfidenceMapBin& bin : map) {
    bins.push_back({{"count", bin.count},
                    {"before", number_json(bin.before)},
                    {"after", number_json(bin.after)},
                    {"low", number_json(bin.low)},
                    {"high", number_json(bin.high)}});
  }
  return bins;
}

Json votes_json(const VoteDiagrams& votes) {
  Json histogram = Json::array();
  for (const auto& [count, rows] : votes.votes_histogram) histogram.push_back({count, rows});
  Json result{
      {"entropy_histogram", votes.entropy_histogram},
      {"votes_histogram", histogram},
      {"class_shares", {{"annotators", votes.annotator_shares}, {"voted", votes.voted_shares}}}};
  if (votes.confusion.empty()) return result;
  const std::size_t classes = votes.confusion_rows.size();
  Json shares = Json::array();
  for (std::size_t k = 0; k < classes; ++k) {
    const auto row = votes.confusion.begin() + static_cast<std::ptrdiff_t>(k * classes);
    shares.push_back(std::vector<double>(row, row + static_cast<std::ptrdiff_t>(classes)));
  }
  result["confusion"] = {{"rows", votes.confusion_rows}, {"shares", shares}};
  return result;
}

Json by_entropy(const Evaluation& evaluation) {
  Json bins = Json::array();
  for (const EntropyBin& bin : evaluation.pointwise_by_entropy) {
    bins.push_back({{"count", bin.count},
                    {"entropy", number_json(bin.entropy)},
                    {"error", number_json(bin.error)},
                    {"standard_error", number_json(bin.standard_error)}});
  }
  return bins;
}

Json stages(const Calibrator& calibrator) {
  Json all = Json::array();
  for (const Stage& stage : calibrator.stages) {
    all.push_back({{"target", target_name(stage.target)},
                   {"map", map_name(stage.map)},
                   {"parameters", stage.theta.size()},
                   {"stop", to_string(stage.report.stop)},
                   {"passes", stage.report.passes},
                   {"loss", number_json(stage.report.loss)},
                   {"gradient_norm", number_json(stage.report.gradient_norm)},
                   {"notes", stage.report.notes}});
  }
  return all;
}

Json monte_carlo_errors(const Evaluation& evaluation) {
  Json errors = Json::object();
  for (const Metric& metric : metric_table()) {
    if (!metric.monte_carlo) continue;
    errors[std::string(metric.name)] = number_json(evaluation.monte_carlo_error(metric.name));
  }
  return errors;
}

Json method(const MethodResult& m, const SplitResult& split, std::size_t rank) {
  const double temperature = m.calibrator.temperature();
  Json result{
      {"name", m.name},
      {"rank", rank},
      {"recommended", m.name == split.recommended},
      {"oracle", m.oracle},
      {"temperature", temperature > 0.0 ? Json(temperature) : Json(nullptr)},
      {"parameters", m.parameters()},
      {"stages", stages(m.calibrator)},
      {"cross_validation",
       {{"nll", number_json(m.cross_validation.nll)},
        {"standard_error",
         m.cross_validation.nll ? number_json(m.cross_validation.standard_error) : Json(nullptr)},
        {"problem",
         m.cross_validation.problem.empty() ? Json(nullptr) : Json(m.cross_validation.problem)}}},
      {"metrics", estimates(m.estimates)},
      {"monte_carlo_standard_errors", monte_carlo_errors(m.evaluation)},
      {"differences", differences(split.references, m.differences)},
      {"changed_predictions", number_json(m.changed_predictions)},
      {"ece_expected_by_chance", number_json(m.evaluation.ece_by_chance)},
      {"infinite_nll_rows", m.evaluation.infinite_nll_rows},
      {"repeated_rows", m.evaluation.repeated_rows},
      {"reliability", reliability(m.evaluation, m.diagrams.reliability)},
      {"pointwise_by_entropy", by_entropy(m.evaluation)}};
  if (!m.diagrams.confidence_map.empty()) {
    result["confidence_map"] = confidence_map(m.diagrams.confidence_map);
  }
  if (const auto& density = m.diagrams.error_density) {
    result["error_density"] = {
        {"columns", density->columns}, {"rows", density->rows}, {"counts", density->counts}};
  }
  if (!m.refit_estimates.empty()) {
    result["refit_metrics"] = estimates(m.refit_estimates);
    result["refit_differences"] = differences(split.references, m.refit_differences);
  }
  return result;
}

Json split_json(const SplitResult& split) {
  Json methods = Json::array();
  for (std::size_t i = 0; i < split.methods.size(); ++i) {
    methods.push_back(method(split.methods[i], split, i + 1));
  }
  return {{"seed", split.seed},
          {"calibration_rows",
           split.split.calibration.empty() ? Json(nullptr) : Json(split.split.calibration.size())},
          {"evaluation_rows", split.methods.front().evaluation.rows},
          {"resampled_units", split.resampled_units},
          {"recommended", split.recommended},
          {"why", split.why},
          {"references", split.references},
          {"methods", std::move(methods)}};
}

Json spread(const Comparison& comparison) {
  Json all = Json::array();
  for (const MethodSpread& m : comparison.spread) {
    Json metrics = Json::object();
    for (const Spread& s : m.metrics) {
      metrics[std::string(s.metric)] = {{"mean", number_json(s.mean)},
                                        {"deviation", number_json(s.deviation)},
                                        {"splits", s.splits}};
    }
    all.push_back({{"name", m.name},
                   {"times_recommended", m.times_recommended},
                   {"metrics", std::move(metrics)}});
  }
  return all;
}

std::string how_split(const Comparison& comparison) {
  if (comparison.separate_data) return "calibration and evaluation data given apart";
  if (!comparison.protocol.calibration_rows.empty()) return "calibration rows given";
  if (comparison.calibration.groups > 0) return "whole groups";
  return "stratified by voted label";
}

Json protocol(const Comparison& comparison) {
  const CompareOptions& o = comparison.protocol;
  const bool share_used = !comparison.separate_data && o.calibration_rows.empty();
  return {
      {"split", how_split(comparison)},
      {"calibration_share", share_used ? Json(o.calibration_share) : Json(nullptr)},
      {"seeds", o.seeds},
      {"gauge", o.gauge == Gauge::raw ? "raw" : "log_probs"},
      {"selection",
       {{"by", "nll"},
        {"rule",
         "the simplest method that no other beats by one standard error (two to go beyond one "
         "temperature)"},
        {"folds", o.folds},
        {"rows", "calibration rows only"}}},
      {"metrics",
       {{"bins", o.metrics.bins},
        {"entropy_bins", o.metrics.entropy_bins},
        {"draws", o.metrics.draws},
        {"draw_seed", o.metrics.seed}}},
      {"bootstrap",
       {{"resamples", o.bootstrap.resamples},
        {"level", o.bootstrap.level},
        {"interval", o.bootstrap.kind == IntervalKind::studentised ? "studentised" : "percentile"},
        {"units", comparison.evaluation.groups > 0 ? "groups" : "examples"},
        {"annotators_resampled", o.bootstrap.annotators},
        {"refits", o.refits},
        {"multiplicity",
         "intervals are for one comparison each, not adjusted for the number of methods and "
         "metrics"}}}};
}

}  // namespace

std::string results_json(const Comparison& comparison, const Provenance& provenance) {
  const SplitResult& first = comparison.splits.front();
  const int threads = comparison.protocol.threads;
  std::vector<Json> splits(comparison.splits.size());
  core::parallel_for(core::resolve_threads(threads), splits.size(),
                     [&](std::size_t i) { splits[i] = split_json(comparison.splits[i]); });
  Json how = protocol(comparison);
  add_origin(how, provenance);
  Json document = document_head("credence-results", provenance);
  document["answer"] = {
      {"recommended", first.recommended}, {"why", first.why}, {"words", answer(comparison)}};
  document["warnings"] = comparison.warnings;
  document["data"] = {{"calibration", annotations_json(comparison.calibration)},
                      {"evaluation", annotations_json(comparison.evaluation)}};
  document["data"]["evaluation"].update(votes_json(comparison.evaluation_votes));
  document["protocol"] = std::move(how);
  document["metrics"] = metric_definitions();
  document["splits"] = std::move(splits);
  document["over_splits"] = spread(comparison);
  return io::to_json_text(document, threads);
}

}  // namespace credence::report
