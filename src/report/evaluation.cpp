#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "credence/aligned_calibrator.hpp"
#include "credence/compare.hpp"
#include "credence/evaluation_report.hpp"
#include "credence/second_order.hpp"
#include "credence/settings.hpp"
#include "credence/text.hpp"
#include "credence/verdict.hpp"
#include "experiment/diagrams.hpp"
#include "report/evaluation_subject.hpp"

namespace credence::report {
namespace {

/// True when intervals are wanted and can be had; otherwise says why not.
bool intervals_wanted(EvaluationResult& result) {
  if (result.options.bootstrap.resamples == 0) return false;
  const Dataset& data = result.loaded.data;
  const bool one_group = !data.groups.empty() && std::ranges::all_of(data.groups, [&](auto group) {
    return group == data.groups.front();
  });
  if (one_group) {
    result.no_intervals = "no intervals: one group does not show how groups differ";
  } else if (data.rows() < 2) {
    result.no_intervals = "no intervals: a single example does not show how examples differ";
  } else if (resampling_bytes(data.votes.rows(), data.votes.classes(), result.options.bootstrap) >
             kMaxEvaluationBytes) {
    result.no_intervals = fmt::format(
        "no intervals: {} examples of {} classes would need more than 1 GB to resample (‹rows› "
        "takes a part)",
        grouped_digits(data.votes.rows()), grouped_digits(data.votes.classes()));
  }
  return result.no_intervals.empty();
}

}  // namespace

io::AlignedCalibrator align(std::optional<io::LoadedCalibrator> model,
                            const std::string& model_name, std::size_t classes,
                            const std::vector<std::string>& class_names, ScoreKind kind,
                            const std::string& score_name) {
  if (!model) {
    Calibrator calibrator;
    calibrator.method = "uncalibrated";
    calibrator.classes = class_names;
    calibrator.class_count = classes;
    calibrator.stages.push_back(
        {.target = NoTarget{}, .map = Identity{}, .theta = {}, .report = {}});
    model = io::LoadedCalibrator{std::move(calibrator), {}};
  }
  return {std::move(*model), model_name, classes, class_names, kind, score_name};
}

Subject subject_of(const io::AlignedCalibrator& aligned, bool fitted, ScoreKind kind) {
  Subject subject;
  subject.method = aligned.calibrator().method;
  subject.gauge = to_string(aligned.calibrator().gauge);
  subject.score_kind = std::string(to_string(kind));
  subject.fitted_fingerprint = aligned.info().fingerprint;
  if (fitted) subject.calibrator_classes = std::string(aligned.matched());
  return subject;
}

EvaluationResult evaluate(io::LoadedDataset loaded, ScoreKind kind,
                          std::optional<io::LoadedCalibrator> model, const std::string& model_name,
                          const std::string& score_name, const EvaluationOptions& options) {
  EvaluationResult result;
  result.options = options;
  result.loaded = std::move(loaded);
  result.facts = io::facts_of(result.loaded.data);
  const bool resample = intervals_wanted(result);
  MetricOptions protocol = options.metrics;
  const SubgroupLabels& subgroups = result.loaded.subgroups;
  const bool rescored = resamples_rescored(options.bootstrap);
  protocol.keep_examples = resample || !subgroups.of_row.empty();
  protocol.keep_rows = resample && !rescored;
  protocol.keep_votes = resample && options.bootstrap.annotators;
  protocol.threads = options.threads;
  result.subject.score_kind = std::string(to_string(kind));
  const Dataset& data = result.loaded.data;
  std::optional<io::AlignedCalibrator> aligned;
  if (!model && result.loaded.probabilities.rows() != 0) {
    result.subject.method = "as given";
    result.evaluation =
        credence::evaluate(std::as_const(result.loaded.probabilities).view(), data.votes, protocol);
  } else {
    const bool fitted = model.has_value();
    aligned.emplace(
        align(std::move(model), model_name, data.classes_count(), data.classes, kind, score_name));
    result.subject = subject_of(*aligned, fitted, kind);
    result.subject.fitted_rows = rows_fitted_on(aligned->info().sketch, data);
    result.subject.overlap_unknown =
        !aligned->info().sketch.smallest.empty() && !result.subject.fitted_rows;
    result.evaluation =
        credence::score([&](Scores scores, MutRows out) { aligned->apply(scores, out, 1); }, data,
                        protocol, second_order_of(aligned->calibrator()));
  }
  if (!subgroups.of_row.empty()) {
    result.subgroups =
        score_subgroups(result.evaluation, subgroups, data.groups, options.bootstrap.level);
  }
  if (resample) {
    experiment::group_entropy_errors(result.evaluation, data.groups);
    BootstrapOptions how = options.bootstrap;
    how.threads = options.threads;
    how.progress = options.progress;
    const auto make = [&](std::size_t, std::size_t first, std::size_t rows) {
      RowsAgain again{Matrix<double>(rows, data.votes.classes()), {}};
      const MutRows out(again.probabilities.data(), rows, data.votes.classes());
      if (!aligned) {
        const Rows given = std::as_const(result.loaded.probabilities).view().block(first, rows);
        std::copy_n(given.data(), given.size(), out.data());
        return again;
      }
      aligned->apply(data.scores.block(first, rows), out, 1);
      again.certainties = certainties_of(second_order_of(aligned->calibrator()), out);
      return again;
    };
    result.intervals = rescored ? bootstrap_rescored({&result.evaluation, 1}, data.votes, make,
                                                     data.groups, {}, how)
                                : bootstrap({&result.evaluation, 1}, data.groups, {}, how);
  }
  return result;
}

TopErrors top_errors(const io::LoadedDataset& loaded, ScoreKind kind,
                     std::optional<io::LoadedCalibrator> model, const std::string& model_name,
                     const std::string& score_name, const MetricOptions& options) {
  const Dataset& data = loaded.data;
  if (!model && loaded.probabilities.rows() != 0) {
    return credence::top_errors(loaded.probabilities.view(), data.votes, options);
  }
  io::AlignedCalibrator aligned =
      align(std::move(model), model_name, data.classes_count(), data.classes, kind, score_name);
  return score_top([&](Scores scores, MutRows out) { aligned.apply(scores, out, options.threads); },
                   data, options);
}

EvaluationSums evaluation_sums(const io::LoadedDataset& loaded, ScoreKind kind,
                               std::optional<io::LoadedCalibrator> model,
                               const std::string& model_name, const std::string& score_name,
                               std::uint64_t first_row, const MetricOptions& options) {
  const Dataset& data = loaded.data;
  if (!model && loaded.probabilities.rows() != 0) {
    return accumulate(options, first_row, loaded.probabilities.view(), data.votes);
  }
  io::AlignedCalibrator aligned =
      align(std::move(model), model_name, data.classes_count(), data.classes, kind, score_name);
  Matrix<double> probabilities(data.rows(), data.classes_count());
  aligned.apply(data.scores, probabilities.view(), options.threads);
  const Rows found = std::as_const(probabilities).view();
  return accumulate(options, first_row, found, data.votes,
                    certainties_of(second_order_of(aligned.calibrator()), found).view());
}

std::string fingerprint_of(const EvaluationResult& result) {
  return result.facts.fingerprint.empty() ? result.loaded.data.fingerprint()
                                          : result.facts.fingerprint;
}

std::vector<std::string> cautions(const EvaluationResult& result) {
  std::vector<std::string> notes = result.loaded.join.notes;
  if (!result.no_intervals.empty()) notes.push_back(result.no_intervals);
  if (result.facts.evidence == Evidence::voted) {
    notes.emplace_back(
        "only majority labels are known: metrics against annotators equal those against the "
        "majority label");
  }
  if (result.evaluation.infinite_nll_rows > 0) {
    notes.push_back(
        fmt::format("{} examples have probability 0, or one too small to be told from it, for a "
                    "class that somebody chose: nll is infinite",
                    grouped_digits(result.evaluation.infinite_nll_rows)));
  }
  if (!result.subject.fitted_fingerprint.empty() &&
      result.subject.fitted_fingerprint == fingerprint_of(result)) {
    notes.emplace_back("these are the rows the calibrator was fitted on; expect worse on others");
  } else if (const std::size_t seen = result.subject.fitted_rows.value_or(0); seen > 0) {
    notes.push_back(fmt::format(
        "the calibrator was fitted on about {} of these {} rows; expect worse on others "
        "(‹skip_rows=FILE› leaves them out)",
        grouped_digits(std::min(seen, result.facts.rows)), grouped_digits(result.facts.rows)));
  }
  if (result.subject.overlap_unknown &&
      result.subject.fitted_fingerprint != fingerprint_of(result)) {
    notes.emplace_back(
        "many examples share the same scores, so it cannot be told whether the calibrator was "
        "fitted "
        "on some of these rows; make sure that it was not");
  }
  if (result.facts.groups > 0 && result.intervals && result.intervals->units < kFewGroups) {
    notes.push_back(
        fmt::format("the intervals are over {} groups; with fewer than {} they are "
                    "too narrow",
                    result.intervals->units, kFewGroups));
  }
  return notes;
}

const Estimate* estimate_of(const EvaluationResult& result, std::size_t metric) {
  if (!result.intervals) return nullptr;
  const Estimate& estimate = result.intervals->estimates.front()[metric];
  return estimate.low && estimate.high ? &estimate : nullptr;
}

}  // namespace credence::report
