#include "credence/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <utility>

#include "core/parallel.hpp"
#include "credence/auto_fit.hpp"
#include "credence/error.hpp"
#include "credence/overlap.hpp"
#include "credence/second_order.hpp"
#include "experiment/auto/candidates.hpp"
#include "experiment/auto/fold_work.hpp"
#include "experiment/comparing.hpp"
#include "experiment/cross_validation.hpp"
#include "experiment/decisions.hpp"
#include "experiment/diagrams.hpp"
#include "experiment/loss_parts.hpp"
#include "experiment/recommend.hpp"
#include "experiment/refit.hpp"
#include "experiment/verdict.hpp"
#include "experiment/warnings.hpp"

namespace credence {
namespace {

using experiment::check_options;
using experiment::kOracle;
using experiment::kUncalibrated;

/// Counts finished pieces of work from any thread and passes the caller's wish to stop on.
class Steps {
 public:
  Steps(std::size_t total, const ProgressFunction& progress)
      : total_(static_cast<double>(total)), progress_(progress) {}
  void done(const std::string& what) {
    const double share = static_cast<double>(++count_) / total_;
    if (!progress_) return;
    const std::lock_guard lock(mutex_);
    if (!progress_(std::min(share, 1.0), what)) {
      throw Error(ErrorCode::cancelled, "stopped on request");
    }
  }

 private:
  std::atomic<std::size_t> count_{0};
  double total_;
  const ProgressFunction& progress_;
  std::mutex mutex_;
};

void check_pair(const Dataset& calibration, const Dataset& evaluation) {
  if (calibration.classes_count() != evaluation.classes_count()) {
    throw Error(ErrorCode::data,
                fmt::format("calibration data have {} classes, evaluation data {}",
                            calibration.classes_count(), evaluation.classes_count()));
  }
  for (const Dataset* part : {&calibration, &evaluation}) {
    if (part->votes.rows() == 0) {
      throw Error(
          ErrorCode::evidence, "comparing needs annotations for every example",
          "name them with ‹votes=FILE›, or with ‹labels=FILE› when only majority labels are "
          "known");
    }
  }
}

double changed(const Evaluation& method, const Evaluation& uncalibrated) {
  const auto now = examples(method).predicted, before = examples(uncalibrated).predicted;
  std::size_t changes = 0;
  for (std::size_t i = 0; i < now.size(); ++i) changes += now[i] != before[i] ? 1 : 0;
  return static_cast<double>(changes) / static_cast<double>(now.size());
}

/// After the folds are gone: what is kept of the rows is most of what a comparison holds.
void evaluate_all(const Dataset& evaluation, const MetricOptions& options, int threads,
                  SplitResult& result) {
  core::parallel_for(threads, result.methods.size(), [&](std::size_t j) {
    MethodResult& method = result.methods[j];
    method.evaluation = score(method.calibrator, evaluation, options);
  });
}

RowsAgain made_again(const Calibrator& calibrator, Scores scores) {
  RowsAgain rows{Matrix<double>(scores.rows(), scores.cols()), {}};
  calibrator.apply(scores, MutRows(rows.probabilities.data(), scores.rows(), scores.cols()), 1);
  rows.certainties = certainties_of(second_order_of(calibrator), rows.probabilities.view());
  return rows;
}

AutoFit choose_led(const MethodSpec& method, const Dataset& data, const FitOptions& options,
                   const experiment::AutoLead& from, experiment::AutoLead* to) {
  const std::size_t candidates =
      experiment::auto_candidates(method.automatic, data.classes_count()).size();
  const AutoProgress nothing;
  const auto folds =
      experiment::folds_in_memory(data, options, nothing, candidates * (kAutoFolds + 2));
  return experiment::choose_automatically(method, *folds, options, from, to);
}

/// Everything about one pair of calibration and evaluation rows.
SplitResult compare_once(const Dataset& calibration, const Dataset& evaluation, std::uint64_t seed,
                         const CompareOptions& options, Steps& steps,
                         experiment::AutoLeads* leads = nullptr) {
  const experiment::Methods chosen = experiment::methods_to_compare(options, info_of(calibration));
  const std::vector<MethodSpec>& methods = chosen.compared;
  const int threads = core::resolve_threads(options.threads);
  // Methods run side by side, one thread each; more threads than methods would idle.
  const FitOptions fit_options{.gauge = options.gauge, .seed = seed, .threads = 1};
  MetricOptions metric_options = options.metrics;
  const double kept =
      static_cast<double>(methods.size()) *
      resampling_bytes(evaluation.rows(), evaluation.classes_count(), options.bootstrap);
  const bool keep = kept <= kMaxComparisonBytes, rescored = resamples_rescored(options.bootstrap);
  metric_options.keep_examples = keep;
  metric_options.keep_rows = keep && !rescored;
  metric_options.keep_votes = keep && options.bootstrap.annotators;
  metric_options.threads = 1;

  SplitResult result;
  result.seed = seed;
  result.left_out = chosen.left_out;
  result.methods.resize(methods.size() + (options.oracle ? 1 : 0));
  // A choice among candidates is many fits, which share out the threads themselves.
  std::vector<AutoFit> automatic(methods.size());
  for (std::size_t j = 0; j < methods.size(); ++j) {
    if (methods[j].automatic == Automatic::no) continue;
    FitOptions shared = fit_options;
    shared.threads = threads;
    automatic[j] = choose_led(methods[j], calibration, shared, {},
                              leads == nullptr ? nullptr : &(*leads)[methods[j].name]);
  }
  core::parallel_for(threads, result.methods.size(), [&](std::size_t j) {
    MethodResult& method = result.methods[j];
    method.oracle = j == methods.size();
    if (method.oracle) {
      const bool distributions = evaluation.evidence() >= Evidence::distributions;
      method.calibrator = fit(parse_method(distributions ? "slts" : "ts"), evaluation, fit_options);
      method.name = method.calibrator.method = std::string(kOracle);
    } else {
      const bool chooses = methods[j].automatic != Automatic::no;
      method.calibrator =
          chooses ? automatic[j].calibrator : fit(methods[j], calibration, fit_options);
      method.name = methods[j].name;
    }
    if (options.second_order) {
      method.calibrator.second_order = fit_second_order(
          method.calibrator, method.oracle ? evaluation : calibration, fit_options);
    }
    steps.done("fitting " + method.name);
  });

  // Held-out nll is flat at a fit's optimum: a gradient of 1e-6 moves it by less than 1e-9.
  FitOptions fold_options = fit_options;
  fold_options.gradient_tolerance = 1e-6;
  std::vector<const Calibrator*> starts;
  for (std::size_t j = 0; j < methods.size(); ++j) starts.push_back(&result.methods[j].calibrator);
  const auto held_out = experiment::cross_validate(
      methods, calibration, starts, options.folds, fold_options, threads,
      [&] { steps.done("cross-validating"); }, automatic);
  for (std::size_t j = 0; j < methods.size(); ++j) {
    CrossValidation& summary = result.methods[j].cross_validation;
    summary.problem = held_out[j].problem;
    if (!summary.problem.empty()) continue;
    const auto [mean, error] = experiment::mean_held_out(held_out[j], calibration.groups);
    summary.nll = mean;
    summary.standard_error = error;
  }
  const experiment::Choice choice =
      experiment::choose(experiment::candidates(methods, starts, held_out, calibration.evidence()),
                         calibration.groups, options.keep_predictions);
  result.candidate = choice.candidate;
  result.why = choice.why;
  evaluate_all(evaluation, metric_options, threads, result);
  const experiment::Judged learned = experiment::judged(calibration),
                           tested = experiment::judged(evaluation);
  if (experiment::too_few_to_choose(learned, tested)) {
    const auto usual = std::string(experiment::default_method(learned, tested));
    result.candidate = result.find(usual) != nullptr ? usual : std::string(kUncalibrated);
  }

  const MethodResult& uncalibrated = result.method(kUncalibrated);
  for (MethodResult& method : result.methods) {
    if (!keep) break;
    method.changed_predictions = changed(method.evaluation, uncalibrated.evaluation);
  }
  const std::vector<std::size_t> references =
      experiment::reference_methods(result, parse_method(options.reference).name);
  for (const std::size_t j : references) result.references.push_back(result.methods[j].name);
  std::vector<Evaluation> evaluations;
  for (const MethodResult& method : result.methods) evaluations.push_back(method.evaluation);
  BootstrapOptions bootstrap_options = options.bootstrap;
  bootstrap_options.seed = seed;
  bootstrap_options.threads = options.threads;
  if (bootstrap_options.resamples > 0 && !keep) {
    result.no_intervals = fmt::format(
        "no intervals: keeping {} evaluation rows of {} methods would take {:.0f} GB; compare "
        "fewer "
        "methods, or evaluate on a part of the rows",
        evaluation.rows(), methods.size(), 1e-9 * kept);
  }
  // One group does not show how groups differ.
  const bool one_group =
      !evaluation.groups.empty() && std::ranges::all_of(evaluation.groups, [&](std::uint32_t g) {
        return g == evaluation.groups.front();
      });
  if (one_group && bootstrap_options.resamples > 0) {
    bootstrap_options.resamples = 0;
    result.no_intervals = "no intervals: all test rows are of one group";
  }
  if (bootstrap_options.resamples > 0 && keep) {
    const auto make = [&](std::size_t e, std::size_t first, std::size_t rows) {
      return made_again(result.methods[e].calibrator, evaluation.scores.block(first, rows));
    };
    experiment::take_intervals(
        rescored ? bootstrap_rescored(evaluations, evaluation.votes, make, evaluation.groups,
                                      references, bootstrap_options)
                 : bootstrap(evaluations, evaluation.groups, references, bootstrap_options),
        result);
  } else {
    experiment::values_alone(result, references);
  }
  steps.done("resampling");
  if (options.refits > 0) {
    experiment::refit_intervals(calibration, evaluation, methods, references, options, fit_options,
                                result, [&] { steps.done("refitting"); });
  }

  const MethodResult& model = result.method(kUncalibrated);
  result.by_chance =
      experiment::agrees_by_chance(model.evaluation, evaluation.votes, evaluation.groups);
  experiment::reach_verdict(result, choice, learned, tested, options.bootstrap.level);
  if (const MethodResult& shown = result.method(result.candidate); keep) {
    result.decisions =
        experiment::compare_decisions(model.evaluation, shown.evaluation, evaluation.votes,
                                      evaluation.groups, options.bootstrap.level);
  }

  experiment::rank_by_nll(result);
  return result;
}

std::size_t steps_per_split(const CompareOptions& options, const Dataset& data) {
  const std::size_t methods =
      experiment::methods_to_compare(options, info_of(data)).compared.size();
  return methods * (1 + options.folds) + (options.oracle ? 1 : 0) + 1 +
         static_cast<std::size_t>(std::max(options.refits, 0));
}

void finish(Comparison& comparison, const Dataset& calibration, const Dataset& evaluation) {
  comparison.calibration = summarise_annotations(calibration);
  comparison.evaluation = summarise_annotations(evaluation);
  comparison.evaluation_votes = experiment::vote_diagrams(evaluation.votes);
  std::vector<bool> seen(calibration.classes_count(), false);
  for (const std::uint32_t k : calibration.votes.entry_classes()) seen[k] = true;
  comparison.warnings =
      experiment::warnings(comparison.splits.front(), comparison.calibration, comparison.evaluation,
                           static_cast<std::size_t>(std::ranges::count(seen, false)));
}

void fit_to_all(Comparison& comparison, const Dataset& data, const experiment::AutoLeads& leads) {
  const SplitResult& first = comparison.splits.front();
  const CompareOptions& options = comparison.protocol;
  const FitOptions fit_options{
      .gauge = options.gauge, .seed = first.seed, .threads = options.threads};
  for (const std::string& name : {first.recommended, first.candidate}) {
    if (!comparison.final_calibrators.empty() && name == first.recommended) continue;
    const MethodSpec method = parse_method(name);
    const auto lead = leads.find(method.name);
    Calibrator calibrator =
        lead == leads.end()
            ? fit_any(method, data, fit_options)
            : choose_led(method, data, fit_options, lead->second, nullptr).calibrator;
    if (options.second_order) {
      calibrator.second_order = fit_second_order(calibrator, data, fit_options);
    }
    comparison.final_calibrators.push_back(std::move(calibrator));
  }
}

/// Runs one(i, options) for every seed. As many splits as go evenly on the threads run side by
/// side, a thread each, so that no thread waits where a split has work for one alone; the others,
/// and all when the data are large, share out what is inside a split.
template <class One>
std::vector<SplitResult> compare_all(const CompareOptions& options, const Dataset& data,
                                     const One& one) {
  constexpr double kMostTogether = 1e9;
  const int threads = core::resolve_threads(options.threads);
  const double bytes =
      16.0 * resampling_bytes(data.rows(), data.classes_count(), options.bootstrap);
  std::vector<SplitResult> splits(options.seeds.size());
  const auto team = static_cast<std::size_t>(threads);
  const std::size_t together = bytes * threads <= kMostTogether ? splits.size() / team * team : 0;
  CompareOptions alone = options;
  alone.threads = 1;
  core::parallel_for(threads, together, [&](std::size_t i) { splits[i] = one(i, alone); });
  for (std::size_t i = together; i < splits.size(); ++i) splits[i] = one(i, options);
  return splits;
}

}  // namespace

std::size_t MethodResult::parameters() const { return calibrator.parameter_count(); }

const MethodResult* SplitResult::find(std::string_view name) const {
  const auto found = std::ranges::find(methods, name, &MethodResult::name);
  return found == methods.end() ? nullptr : &*found;
}

const MethodResult& SplitResult::method(std::string_view name) const {
  if (const MethodResult* found = find(name)) return *found;
  throw Error(ErrorCode::usage, fmt::format("'{}' was not compared", name));
}

Comparison compare(const Dataset& calibration, const Dataset& evaluation,
                   const CompareOptions& options) {
  check_options(options);
  check_pair(calibration, evaluation);
  Comparison comparison;
  comparison.protocol = options;
  comparison.separate_data = true;
  Steps steps(options.seeds.size() * steps_per_split(options, calibration), options.progress);
  comparison.splits = compare_all(options, evaluation, [&](std::size_t i, const auto& own) {
    SplitResult result = compare_once(calibration, evaluation, options.seeds[i], own, steps);
    experiment::add_diagrams(result, evaluation, i == 0, own.threads);
    if (i == 0) result.loss_parts = experiment::loss_parts(result, evaluation, own);
    return result;
  });
  comparison.spread = experiment::spread_over(comparison.splits);
  finish(comparison, calibration, evaluation);
  // Rows that are in both flatter every method, the ones with most parameters most.
  if (const std::size_t both = rows_in_common(evaluation, calibration).value_or(0); both > 0) {
    comparison.warnings.insert(
        comparison.warnings.begin(),
        fmt::format("{} of the {} test rows have the scores of a calibration row: methods are "
                    "scored on rows that they were fitted on, and all of them look better than "
                    "they are",
                    both, evaluation.rows()));
  }
  return comparison;
}

Comparison compare(const Dataset& data, const CompareOptions& options) {
  check_options(options);
  check_pair(data, data);
  Comparison comparison;
  comparison.protocol = options;
  const bool given = !options.calibration_rows.empty();
  Steps steps(options.seeds.size() * steps_per_split(options, data), options.progress);
  Dataset first_calibration, first_evaluation;
  experiment::AutoLeads leads;
  const bool lead = options.final_fit && !given;
  comparison.splits = compare_all(options, data, [&](std::size_t i, const auto& own) {
    Split split = given ? given_split(options.calibration_rows, data.rows())
                        : make_split(data, options.calibration_share, options.seeds[i]);
    Dataset calibration = data.select(split.calibration);
    Dataset evaluation = data.select(split.evaluation);
    SplitResult result = compare_once(calibration, evaluation, options.seeds[i], own, steps,
                                      lead && i == 0 ? &leads : nullptr);
    result.calibration_rows = split.calibration.size();
    result.split = std::move(split);
    experiment::add_diagrams(result, evaluation, i == 0, own.threads);
    if (i == 0) result.loss_parts = experiment::loss_parts(result, evaluation, own);
    if (i == 0) {
      first_calibration = std::move(calibration);
      first_evaluation = std::move(evaluation);
    }
    return result;
  });
  comparison.spread = experiment::spread_over(comparison.splits);
  finish(comparison, first_calibration, first_evaluation);
  first_calibration = Dataset();
  first_evaluation = Dataset();
  if (lead) fit_to_all(comparison, data, leads);
  return comparison;
}

}  // namespace credence
