// From what a comparison computed to what is kept of it.
#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "credence/map.hpp"
#include "credence/options.hpp"
#include "credence/report.hpp"
#include "credence/settings.hpp"
#include "report/shared_records.hpp"

namespace credence::report {
namespace {

Maybe finite(Maybe value) { return value && std::isfinite(*value) ? value : Maybe(); }
Maybe positive(double value) { return value > 0.0 ? Maybe(value) : Maybe(); }
std::size_t count(int value) { return static_cast<std::size_t>(std::max(value, 0)); }

Estimates estimates(const std::vector<Estimate>& all) {
  Estimates by_name;
  by_name.reserve(all.size());
  for (const Estimate& e : all) {
    by_name.emplace_back(
        std::string(e.name),
        EstimateRecord{finite(e.value), finite(e.standard_error), finite(e.low), finite(e.high)});
  }
  return by_name;
}

ByName<Estimates> differences(const std::vector<std::string>& references,
                              const std::vector<std::vector<Estimate>>& all) {
  ByName<Estimates> by_reference;
  for (std::size_t r = 0; r < all.size(); ++r) {
    by_reference.emplace_back(references[r], estimates(all[r]));
  }
  return by_reference;
}

std::vector<StageRecord> stages(const Calibrator& calibrator) {
  std::vector<StageRecord> all;
  for (const Stage* each : calibrator.all_stages()) {
    const Stage& stage = *each;
    all.push_back({.target = std::string(target_name(stage.target)),
                   .map = std::string(map_name(stage.map)),
                   .stop = stage.report.stop,
                   .parameters = stage.theta.size(),
                   .passes = count(stage.report.passes),
                   .loss = finite(stage.report.loss),
                   .gradient_norm = finite(stage.report.gradient_norm),
                   .notes = stage.report.notes});
  }
  return all;
}

HeldOutRecord held_out(const CrossValidation& cross_validation) {
  HeldOutRecord record{finite(cross_validation.nll), {}, cross_validation.problem};
  if (cross_validation.nll) record.standard_error = finite(cross_validation.standard_error);
  return record;
}

ByName<Maybe> monte_carlo_errors(const Evaluation& evaluation) {
  ByName<Maybe> errors;
  for (const Metric& metric : metric_table()) {
    if (!metric.monte_carlo) continue;
    errors.emplace_back(metric.name, finite(evaluation.monte_carlo_error(metric.name)));
  }
  return errors;
}

MethodRecord method(const MethodResult& m, const SplitResult& split, std::size_t rank) {
  return {.name = m.name,
          .rank = rank,
          .recommended = m.name == split.recommended,
          .oracle = m.oracle,
          .temperature = positive(m.calibrator.temperature()),
          .parameters = m.parameters(),
          .stages = stages(m.calibrator),
          .held_out = held_out(m.cross_validation),
          .selection = m.calibrator.selection,
          .metrics = estimates(m.estimates),
          .monte_carlo_errors = monte_carlo_errors(m.evaluation),
          .differences = differences(split.references, m.differences),
          .changed_predictions = finite(m.changed_predictions),
          .ece_by_chance = finite(m.evaluation.ece_by_chance),
          .infinite_nll_rows = m.evaluation.infinite_nll_rows,
          .repeated_rows = m.evaluation.repeated_rows,
          .reliability = bin_records(m.evaluation, m.diagrams.reliability),
          .by_entropy = entropy_bin_records(m.evaluation),
          .disagreement = disagreement_bin_records(m.evaluation),
          .confidence_map = m.diagrams.confidence_map,
          .error_density = m.diagrams.error_density,
          .refit_metrics = estimates(m.refit_estimates),
          .refit_differences = differences(split.references, m.refit_differences)};
}

SplitRecord split_record(const SplitResult& split) {
  SplitRecord record{.seed = split.seed,
                     .calibration_rows = {},
                     .evaluation_rows = split.methods.front().evaluation.rows,
                     .resampled_units = split.resampled_units,
                     .verdict = split.verdict,
                     .recommended = split.recommended,
                     .candidate = split.candidate,
                     .why = split.why,
                     .references = split.references,
                     .methods = {},
                     .loss_parts = split.loss_parts};
  if (split.calibration_rows > 0) record.calibration_rows = split.calibration_rows;
  for (const MethodResult& one : split.methods) {
    record.methods.push_back(method(one, split, record.methods.size() + 1));
  }
  return record;
}

std::vector<MethodSpreadRecord> over_splits(const Comparison& comparison) {
  std::vector<MethodSpreadRecord> all;
  for (const MethodSpread& m : comparison.spread) {
    MethodSpreadRecord record{m.name, m.times_recommended, {}};
    for (const Spread& s : m.metrics) {
      record.metrics.emplace_back(std::string(s.metric),
                                  SpreadRecord{finite(s.mean), finite(s.deviation), s.splits});
    }
    all.push_back(std::move(record));
  }
  return all;
}

std::string how_split(const Comparison& comparison) {
  if (comparison.separate_data) return "calibration and evaluation data given apart";
  if (!comparison.protocol.calibration_rows.empty()) return "calibration rows given";
  return how_rows_split(comparison.calibration);
}

ProtocolRecord protocol(const Comparison& comparison) {
  const CompareOptions& o = comparison.protocol;
  const bool share_used = !comparison.separate_data && o.calibration_rows.empty();
  return {.split = how_split(comparison),
          .gauge = std::string(to_string(o.gauge)),
          .calibration_share = share_used ? Maybe(o.calibration_share) : Maybe(),
          .seeds = o.seeds,
          .selected_by = "nll",
          .selection_rule =
              "the simplest method that no other beats by one standard error (two to go beyond one "
              "temperature)",
          .selection_rows = "calibration rows only",
          .folds = o.folds,
          .bins = count(o.metrics.bins),
          .entropy_bins = count(o.metrics.entropy_bins),
          .draws = count(o.metrics.draws),
          .draw_seed = o.metrics.seed,
          .resamples = count(o.bootstrap.resamples),
          .refits = count(o.refits),
          .level = o.bootstrap.level,
          .interval = o.bootstrap.kind == IntervalKind::studentised ? "studentised" : "percentile",
          .units = comparison.evaluation.groups > 0 ? "groups" : "examples",
          .multiplicity =
              "intervals are for one comparison each, not adjusted for the number of methods and "
              "metrics",
          .annotators_resampled = o.bootstrap.annotators};
}

}  // namespace

std::vector<BinRecord> bin_records(const Evaluation& evaluation,
                                   const std::vector<BinSpread>& spreads) {
  std::vector<BinRecord> bins;
  const auto width = static_cast<double>(evaluation.reliability.size());
  for (std::size_t b = 0; b < evaluation.reliability.size(); ++b) {
    const ReliabilityBin& from = evaluation.reliability[b];
    BinRecord bin{.from = static_cast<double>(b) / width,
                  .to = static_cast<double>(b + 1) / width,
                  .count = from.count,
                  .confidence = {},
                  .agreement = {},
                  .accuracy = {},
                  .spread = {}};
    if (from.count > 0) {
      bin.confidence = finite(from.confidence);
      bin.agreement = finite(from.agreement);
      bin.accuracy = finite(from.accuracy);
    }
    if (!spreads.empty()) {
      const BinSpread& spread = spreads[b];
      bin.spread = {finite(spread.agreement_error), finite(spread.accuracy_error),
                    finite(spread.agreement_noise), finite(spread.accuracy_noise)};
    }
    bins.push_back(bin);
  }
  return bins;
}

std::vector<EntropyBinRecord> entropy_bin_records(const Evaluation& evaluation) {
  std::vector<EntropyBinRecord> bins;
  for (const EntropyBin& bin : evaluation.pointwise_by_entropy) {
    bins.push_back({bin.count, bin.entropy, bin.error, finite(bin.standard_error), bin.perfect});
  }
  return bins;
}

std::vector<DisagreementBinRecord> disagreement_bin_records(const Evaluation& evaluation) {
  std::vector<DisagreementBinRecord> bins;
  for (const DisagreementBin& bin : evaluation.disagreement_bins) {
    bins.push_back({bin.count, bin.predicted, bin.observed, finite(bin.standard_error)});
  }
  return bins;
}

std::vector<MetricRecord> metric_records() {
  std::vector<MetricRecord> all;
  for (const Metric& metric : metric_table()) {
    all.push_back({.name = std::string(metric.name),
                   .needs = std::string(to_string(metric.needs)),
                   .meaning = std::string(metric.meaning),
                   .definition = std::string(metric.definition),
                   .why_no_interval = std::string(metric.interval ? "" : metric.why_no_interval),
                   .better = metric.better});
  }
  return all;
}

AnnotationRecord annotation_record(const AnnotationSummary& a) {
  return {.rows = a.rows,
          .classes = a.classes,
          .ties = a.ties,
          .repeated_rows = a.repeated_rows,
          .groups = a.groups == 0 ? std::nullopt : std::optional(a.groups),
          .evidence = std::string(to_string(a.evidence)),
          .shares = a.shares,
          .votes_per_example = a.votes_per_example,
          .fewest_votes = a.fewest_votes,
          .most_votes = a.most_votes,
          .entropy = a.mean_entropy,
          .pairwise = finite(a.agreement.pairwise),
          .alpha = finite(a.agreement.krippendorff_alpha),
          .votes = {}};
}

std::string how_rows_split(const AnnotationSummary& data) {
  return data.groups > 0 ? "whole groups" : "stratified by majority label";
}

Results results_of(const Comparison& comparison, const Provenance& provenance) {
  Results results;
  results.provenance = provenance;
  const SplitResult& first = comparison.splits.front();
  results.verdict = first.verdict;
  results.recommended = first.recommended;
  results.candidate = first.candidate;
  results.why = first.why;
  results.keeper = first.keeper;
  if (first.decisions.rows > 0) results.decisions = first.decisions;
  results.examples_needed = first.examples_needed;
  results.warnings = render(comparison.warnings, Speech::command_line);
  results.calibration = annotation_record(comparison.calibration);
  results.evaluation = annotation_record(comparison.evaluation);
  results.evaluation.votes = comparison.evaluation_votes;
  results.protocol = protocol(comparison);
  results.metrics = metric_records();
  results.splits.resize(comparison.splits.size());
  core::parallel_for(
      core::resolve_threads(comparison.protocol.threads), results.splits.size(),
      [&](std::size_t i) { results.splits[i] = split_record(comparison.splits[i]); });
  results.over_splits = over_splits(comparison);
  results.words = answer(results);
  return results;
}

}  // namespace credence::report
