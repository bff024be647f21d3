// Comparing on rows that somebody else has: all fits of a stage in lockstep, several per pass.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <list>
#include <utility>

#include "core/parallel.hpp"
#include "credence/compare.hpp"
#include "credence/error.hpp"
#include "credence/split.hpp"
#include "experiment/auto/candidates.hpp"
#include "experiment/auto/fold_work.hpp"
#include "experiment/comparing.hpp"
#include "experiment/cross_validation.hpp"
#include "experiment/decisions.hpp"
#include "experiment/rows/fits_in_passes.hpp"
#include "experiment/verdict.hpp"
#include "experiment/warnings.hpp"

namespace credence {
namespace {

using experiment::HeldOut;
using experiment::RowFit;

constexpr std::uint8_t kTestTag = 0;
constexpr double kNoLimit = std::numeric_limits<double>::infinity();
/// More folds than these times those of a choice among candidates have no tags of their own.
constexpr std::uint32_t kMostFoldsTwice = (kTags - 1) / kAutoFolds;

/// What each tag of a split stands for. Rows that calibrate are of two kinds of folds at once where
/// a method chooses among candidates: of those of the comparison, and of those that it holds out
/// itself. The rows of both are a cell, which has a tag.
struct Parts {
  struct Cell {
    TagSet rows;
    std::size_t held_out_by_choice = 0;  ///< which fold
  };
  TagSet test = with_tags({kTestTag}), calibration;
  std::vector<TagSet> folds, chosen_folds;  ///< those that have rows
  std::vector<std::vector<Cell>> cells;     ///< of each fold

  Parts(std::span<const std::uint8_t> tags, std::uint32_t count, std::uint32_t chosen) {
    std::vector<std::size_t> rows(kTags, 0);
    for (const std::uint8_t tag : tags) ++rows[tag];
    chosen_folds.resize(chosen);
    for (std::uint32_t f = 0; f < count; ++f) {
      TagSet fold;
      std::vector<Cell> own;
      for (std::uint32_t g = 0; g < chosen; ++g) {
        const std::uint32_t tag = 1 + f * chosen + g;
        if (rows[tag] == 0) continue;
        own.push_back({with_tags({static_cast<std::uint8_t>(tag)}), g});
        fold |= own.back().rows;
        chosen_folds[g] |= own.back().rows;
      }
      if (own.empty()) continue;
      calibration |= fold;
      folds.push_back(fold);
      cells.push_back(std::move(own));
    }
    std::erase_if(chosen_folds, [](const TagSet& fold) { return fold.none(); });
  }
  /// What is left to learn from when a fold is held out.
  TagSet without(const TagSet& fold) const { return calibration & ~fold; }
};

/// Gives every row that calibrates the tag of its cell instead of that of its fold.
void deal_again(const RowLabels& labels, std::size_t classes, std::vector<std::uint8_t>& tags) {
  RowLabels calibrating(classes);
  for (std::size_t i = 0; i < tags.size(); ++i) {
    if (tags[i] != kTestTag) calibrating.push_back(labels[i]);
  }
  const std::vector<std::uint32_t> fold = label_folds(calibrating, kAutoFolds, kAutoSeed);
  std::size_t next = 0;
  for (std::uint8_t& tag : tags) {
    if (tag == kTestTag) continue;
    tag = static_cast<std::uint8_t>(1 + (tag - 1) * kAutoFolds + fold[next++]);
  }
}

bool chooses(const MethodSpec& method) { return method.automatic != Automatic::no; }

class RowComparison {
 public:
  RowComparison(RowWorker& rows, const CompareOptions& options, const RowsElsewhere& elsewhere)
      : rows_(rows), options_(options), elsewhere_(elsewhere) {}

  Comparison run();

 private:
  SplitResult on_split(std::size_t number, Comparison& comparison);
  /// What is compared, without methods that list more of the rows than there is memory for.
  experiment::Methods methods(const RowsInfo& calibration, Comparison& comparison) const;
  /// Runs the fits to their end; `from` and `to` are how far the comparison is then.
  void finish(const std::vector<RowFit*>& fits, bool strict, double from, double to,
              const std::string& what) {
    experiment::finish(fits, strict, rows_, limits(fits.size(), from, to, what));
  }
  experiment::PassLimits limits(std::size_t fits, double from, double to, const std::string& what) {
    const auto after = [this, fits, from, to, what](std::size_t done, int passes) {
      const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(fits));
      tell(from + (to - from) * share, fmt::format("{}, pass {}", what, passes));
    };
    return {elsewhere_.sums_bytes, after};
  }
  /// What a method chooses from the calibration rows.
  AutoFit choose(const MethodSpec& method, const RowsInfo& info, const Parts& parts,
                 const FitOptions& options, experiment::AutoLead* lead);
  /// The same from all rows, led by what the first split chose.
  Calibrator choose_led(const MethodSpec& method, const FitOptions& options);
  /// Fills the evaluations; `sums` get what they were made of.
  void score(SplitResult& result, const Parts& parts, std::size_t test_rows,
             std::vector<EvaluationSums>& sums);
  /// Estimates and differences, with intervals where there are resamples.
  void estimate(SplitResult& result, const std::vector<std::size_t>& references,
                const std::vector<EvaluationSums>& sums);
  std::vector<HeldOut> cross_validate(const std::vector<MethodSpec>& methods,
                                      const SplitResult& result, const Parts& parts,
                                      std::span<const AutoFit> chosen, const FitOptions& options);
  void tell(double share, const std::string& what) {
    if (options_.progress && !options_.progress(share, what)) {
      throw Error(ErrorCode::cancelled, "stopped on request");
    }
  }
  std::vector<RowAnswer> work(const std::vector<RowTask>& tasks) { return rows_.work(tasks); }

  RowWorker& rows_;
  const CompareOptions& options_;
  const RowsElsewhere& elsewhere_;
  experiment::AutoLeads leads_;
};

AutoFit RowComparison::choose(const MethodSpec& method, const RowsInfo& info, const Parts& parts,
                              const FitOptions& options, experiment::AutoLead* lead) {
  const std::size_t fits = experiment::auto_candidates(method.automatic, info.classes).size();
  const auto folds = experiment::folds_elsewhere(
      rows_, {info, parts.calibration, parts.chosen_folds, {}}, options,
      limits(fits * (1 + parts.chosen_folds.size()), 0.05, 0.3, "fitting " + method.name));
  return experiment::choose_automatically(method, *folds, options, {}, lead);
}

Calibrator RowComparison::choose_led(const MethodSpec& method, const FitOptions& options) {
  const auto folds = experiment::folds_elsewhere(rows_, experiment::deal_rows(rows_), options,
                                                 {elsewhere_.sums_bytes, {}});
  return experiment::choose_automatically(method, *folds, options, leads_[method.name]).calibrator;
}

std::vector<HeldOut> RowComparison::cross_validate(const std::vector<MethodSpec>& methods,
                                                   const SplitResult& result, const Parts& parts,
                                                   std::span<const AutoFit> chosen,
                                                   const FitOptions& options) {
  std::vector<HeldOut> held_out(methods.size());
  if (parts.folds.size() < 2) {
    for (HeldOut& one : held_out) one.problem = "too few rows to hold any out";
    return held_out;
  }
  std::vector<TagSet> learn;
  for (const TagSet& fold : parts.folds) learn.push_back(parts.without(fold));
  const std::vector<RowsInfo> infos = infos_of(rows_, learn);
  std::list<RowFit> fits;
  std::vector<RowFit*> of_fold(methods.size() * parts.folds.size(), nullptr), asking;
  for (std::size_t j = 0; j < methods.size(); ++j) {
    if (chooses(methods[j])) {
      if (chosen[j].without.empty()) held_out[j].problem = "too few rows to hold any out";
      continue;
    }
    FitOptions near = options;
    near.start = &result.methods[j].calibrator;
    for (std::size_t f = 0; f < parts.folds.size(); ++f) {
      try {
        fits.emplace_back(methods[j], infos[f], learn[f], near);
        asking.push_back(of_fold[j * parts.folds.size() + f] = &fits.back());
      } catch (const Error& error) {
        // A fold may lack the evidence that all rows together have.
        if (held_out[j].problem.empty()) held_out[j].problem = error.what();
      }
    }
  }
  finish(asking, false, 0.3, 0.8, "cross-validating");
  for (std::size_t piece = 0; piece < of_fold.size(); ++piece) {
    std::string& problem = held_out[piece / parts.folds.size()].problem;
    if (problem.empty() && of_fold[piece] != nullptr) problem = of_fold[piece]->problem;
  }
  const auto fitted = [&](std::size_t j, std::size_t f, const Parts::Cell& cell) {
    // Something has to stand in for a method that has a problem: nobody reads its sums.
    if (!held_out[j].problem.empty()) return result.methods.front().calibrator;
    if (chooses(methods[j])) return chosen[j].without[cell.held_out_by_choice];
    return of_fold[j * parts.folds.size() + f]->solver->result();
  };
  std::vector<RowTask> tasks;
  for (std::size_t f = 0; f < parts.folds.size(); ++f) {
    for (const Parts::Cell& cell : parts.cells[f]) {
      LossesTask losses;
      for (std::size_t j = 0; j < methods.size(); ++j) {
        losses.calibrators.push_back(fitted(j, f, cell));
      }
      tasks.push_back({cell.rows, std::move(losses)});
    }
  }
  PairedLosses paired;
  for (const RowAnswer& cell : work(tasks)) {
    paired.add(PairedLosses(std::get<State>(cell).sums.total(), methods.size()));
  }
  experiment::share_losses(std::move(paired), held_out);
  experiment::note_infinite(held_out);
  return held_out;
}

void RowComparison::score(SplitResult& result, const Parts& parts, std::size_t test_rows,
                          std::vector<EvaluationSums>& sums) {
  MetricOptions metrics = options_.metrics;
  metrics.keep_rows = metrics.keep_votes = false;
  BootstrapOptions bootstrap = options_.bootstrap;
  bootstrap.seed = result.seed;
  metrics.resampling = resampling_of(bootstrap, test_rows, result.no_intervals);
  // Confidence, agreement and entropy of every row; once more while they are merged and sorted.
  const double listed = 9.0 * sizeof(double) * static_cast<double>(test_rows);
  const double room = static_cast<double>(elsewhere_.listed_bytes);
  metrics.list_rows = listed <= room;
  const double listed_together = metrics.list_rows ? room / std::max(listed, 1.0) : kNoLimit;
  // Resampled sums are held once, and once more by every thread and by what it hands over.
  const double copies = 2.0 + 2.0 * core::resolve_threads(options_.threads);
  const double resampled =
      copies * static_cast<double>(resampled_bytes(metrics, rows_.info().classes));
  const double resampled_together =
      resampled > 0.0 ? static_cast<double>(elsewhere_.sums_bytes) / resampled : kNoLimit;
  const auto together =
      static_cast<std::size_t>(std::clamp(std::min(listed_together, resampled_together), 1.0,
                                          static_cast<double>(result.methods.size())));
  for (std::size_t first = 0; first < result.methods.size(); first += together) {
    const std::size_t count = std::min(together, result.methods.size() - first);
    std::vector<RowTask> tasks;
    for (std::size_t j = first; j < first + count; ++j) {
      tasks.push_back({parts.test, MetricsTask{result.methods[j].calibrator, metrics}});
    }
    std::vector<RowAnswer> answers = work(tasks);
    for (std::size_t j = 0; j < count; ++j) {
      sums.push_back(std::get<EvaluationSums>(std::move(answers[j])));
      result.methods[first + j].evaluation = evaluation_of(sums.back());
      drop_listed_rows(sums.back());
    }
    tell(0.8 +
             0.15 * static_cast<double>(first + count) / static_cast<double>(result.methods.size()),
         "scoring");
  }
}

void RowComparison::estimate(SplitResult& result, const std::vector<std::size_t>& references,
                             const std::vector<EvaluationSums>& sums) {
  if (options_.bootstrap.resamples == 0 || !result.no_intervals.empty()) {
    return experiment::values_alone(result, references);
  }
  std::vector<Evaluation> evaluations;
  for (const MethodResult& method : result.methods) evaluations.push_back(method.evaluation);
  BootstrapOptions how = options_.bootstrap;
  how.seed = result.seed;
  how.threads = options_.threads;
  experiment::take_intervals(bootstrap_of_sums(evaluations, sums, references, how), result);
}

experiment::Methods RowComparison::methods(const RowsInfo& calibration,
                                           Comparison& comparison) const {
  experiment::Methods chosen = experiment::methods_to_compare(options_, calibration);
  std::vector<std::string> listing;
  std::erase_if(chosen.compared, [&](const MethodSpec& method) {
    const bool too_much =
        experiment::listed_bytes(method, calibration.rows) > elsewhere_.sums_bytes;
    if (too_much) listing.push_back(method.name);
    return too_much;
  });
  if (!listing.empty() && comparison.splits.empty()) {
    comparison.warnings.push_back(
        fmt::format("left out: {}; isotonic steps are fitted to 2 numbers for each of the {} "
                    "calibration rows, more than the memory allowed",
                    fmt::join(listing, ", "), calibration.rows));
  }
  return chosen;
}

SplitResult RowComparison::on_split(std::size_t number, Comparison& comparison) {
  const std::uint64_t seed = options_.seeds[number];
  const RowsInfo whole = rows_.info();
  const RowLabels labels = rows_.labels();
  tell(0.02, "splitting the rows");
  std::vector<std::uint8_t> tags =
      split_and_fold(labels, options_.calibration_share, options_.folds, seed);
  const bool twice =
      std::ranges::any_of(experiment::methods_to_compare(options_, whole).compared, &chooses);
  if (twice && options_.folds > kMostFoldsTwice) {
    throw Error(ErrorCode::usage,
                fmt::format("{} folds; with a method that chooses, rows that are read in passes "
                            "allow {}",
                            options_.folds, kMostFoldsTwice),
                "ask for fewer ‹folds›, or leave such methods out of ‹methods›");
  }
  if (twice) deal_again(labels, whole.classes, tags);
  const Parts parts(tags, options_.folds, twice ? kAutoFolds : 1);
  SplitResult result;
  result.seed = seed;
  result.calibration_rows = tags.size() - static_cast<std::size_t>(std::ranges::count(tags, 0));
  if (elsewhere_.split_made) elsewhere_.split_made(number, tags);
  rows_.tag(std::move(tags));

  const std::vector<RowAnswer> votes =
      work({{parts.calibration, VotesTask{}}, {parts.test, VotesTask{}}});
  const AnnotationSums learned(std::get<State>(votes[0]), whole.classes);
  const AnnotationSums tested(std::get<State>(votes[1]), whole.classes);
  const auto info = [&](const AnnotationSums& sums) {
    RowsInfo of_part = whole;
    of_part.rows = static_cast<std::size_t>(sums.rows);
    if (whole.evidence >= Evidence::annotations) of_part.evidence = sums.evidence();
    return of_part;
  };
  const RowsInfo learn = info(learned), test = info(tested);
  const experiment::Judged calibration{learn.rows, {}, learn.evidence};
  const experiment::Judged evaluation{test.rows, {}, test.evidence};

  const experiment::Methods chosen = this->methods(learn, comparison);
  const std::vector<MethodSpec>& methods = chosen.compared;
  result.left_out = chosen.left_out;
  const FitOptions fit_options{.gauge = options_.gauge, .seed = seed, .threads = 1};
  std::list<RowFit> fits;
  std::vector<RowFit*> asking;
  std::vector<AutoFit> automatic(methods.size());
  for (std::size_t j = 0; j < methods.size(); ++j) {
    if (chooses(methods[j])) {
      const bool leads = number == 0 && options_.final_fit;
      automatic[j] =
          choose(methods[j], learn, parts, fit_options, leads ? &leads_[methods[j].name] : nullptr);
      continue;
    }
    fits.emplace_back(methods[j], learn, parts.calibration, fit_options);
    asking.push_back(&fits.back());
  }
  if (options_.oracle) {
    const bool distributions = test.evidence >= Evidence::distributions;
    fits.emplace_back(parse_method(distributions ? "slts" : "ts"), test, parts.test, fit_options);
    asking.push_back(&fits.back());
  }
  finish(asking, true, 0.05, 0.3, "fitting");
  result.methods.resize(methods.size() + (options_.oracle ? 1 : 0));
  auto fitted = fits.begin();
  for (std::size_t j = 0; j < result.methods.size(); ++j) {
    MethodResult& method = result.methods[j];
    method.oracle = j == methods.size();
    const bool choice = !method.oracle && chooses(methods[j]);
    method.calibrator = choice ? automatic[j].calibrator : (fitted++)->solver->result();
    if (method.oracle) method.calibrator.method = std::string(experiment::kOracle);
    method.name = method.oracle ? std::string(experiment::kOracle) : methods[j].name;
  }
  fits.clear();

  // Held-out nll is flat at a fit's optimum: a gradient of 1e-6 moves it by less than 1e-9.
  FitOptions fold_options = fit_options;
  fold_options.gradient_tolerance = 1e-6;
  const std::vector<HeldOut> held_out =
      cross_validate(methods, result, parts, automatic, fold_options);
  std::vector<const Calibrator*> calibrators;
  for (std::size_t j = 0; j < methods.size(); ++j) {
    calibrators.push_back(&result.methods[j].calibrator);
    CrossValidation& summary = result.methods[j].cross_validation;
    summary.problem = held_out[j].problem;
    if (!summary.problem.empty()) continue;
    const auto [mean, error] = experiment::mean_held_out(held_out[j], {});
    summary.nll = mean;
    summary.standard_error = error;
  }
  const experiment::Choice choice =
      experiment::choose(experiment::candidates(methods, calibrators, held_out, learn.evidence), {},
                         options_.keep_predictions);
  result.candidate = choice.candidate;
  result.why = choice.why;
  if (experiment::too_few_to_choose(calibration, evaluation)) {
    const auto usual = std::string(experiment::default_method(calibration, evaluation));
    result.candidate =
        result.find(usual) != nullptr ? usual : std::string(experiment::kUncalibrated);
  }

  LossesTask losses;
  losses.decisions = true;
  for (const MethodResult& method : result.methods) losses.calibrators.push_back(method.calibrator);
  const std::vector<RowAnswer> found = work({{parts.test, std::move(losses)}});
  const PairedDecisions decisions(std::get<State>(found[0]).sums.total(), result.methods.size(),
                                  whole.classes);
  std::vector<EvaluationSums> sums;
  score(result, parts, test.rows, sums);
  for (std::size_t j = 0; j < result.methods.size(); ++j) {
    result.methods[j].changed_predictions = decisions.changed[j] / static_cast<double>(test.rows);
    if (result.methods[j].name == result.candidate) {
      result.decisions = experiment::decisions_of(decisions, j, options_.bootstrap.level);
    }
  }
  const std::vector<std::size_t> references =
      experiment::reference_methods(result, parse_method(options_.reference).name);
  for (const std::size_t j : references) result.references.push_back(result.methods[j].name);
  estimate(result, references, sums);
  result.by_chance = experiment::agrees_by_chance(decisions, tested.chosen);
  experiment::reach_verdict(result, choice, calibration, evaluation, options_.bootstrap.level);
  experiment::rank_by_nll(result);
  if (number == 0) {
    result.loss_parts.emplace().problem = "they need all rows at once, and these are elsewhere";
    comparison.calibration = summary_of(learned, learn);
    comparison.evaluation = summary_of(tested, test);
    const auto unseen = std::ranges::count(learned.chosen, 0.0);
    for (std::string& warning :
         experiment::warnings(result, comparison.calibration, comparison.evaluation,
                              static_cast<std::size_t>(unseen))) {
      comparison.warnings.push_back(std::move(warning));
    }
  }
  return result;
}

Comparison RowComparison::run() {
  Comparison comparison;
  comparison.protocol = options_;
  for (std::size_t i = 0; i < options_.seeds.size(); ++i) {
    comparison.splits.push_back(on_split(i, comparison));
  }
  comparison.spread = experiment::spread_over(comparison.splits);
  if (!options_.final_fit) return comparison;
  const SplitResult& first = comparison.splits.front();
  const FitOptions fit_options{.gauge = options_.gauge, .seed = first.seed, .threads = 1};
  std::vector<MethodSpec> methods{parse_method(first.recommended)};
  if (first.candidate != first.recommended) methods.push_back(parse_method(first.candidate));
  std::list<RowFit> fits;
  std::vector<RowFit*> asking;
  for (const MethodSpec& method : methods) {
    if (chooses(method)) continue;
    fits.emplace_back(method, rows_.info(), all_tags(), fit_options);
    asking.push_back(&fits.back());
  }
  finish(asking, true, 0.95, 1.0, "fitting to all rows");
  auto fitted = fits.begin();
  for (const MethodSpec& method : methods) {
    comparison.final_calibrators.push_back(chooses(method) ? choose_led(method, fit_options)
                                                           : (fitted++)->solver->result());
  }
  return comparison;
}

}  // namespace

Comparison compare(RowWorker& rows, const CompareOptions& options, const RowsElsewhere& elsewhere) {
  experiment::check_options(options);
  if (rows.info().evidence == Evidence::none) {
    throw Error(ErrorCode::evidence, "comparing needs annotations for every example",
                "name them with ‹votes=FILE›, or with ‹labels=FILE› when only majority labels are "
                "known");
  }
  if (options.second_order) {
    throw Error(ErrorCode::usage,
                "‹second_order› of a comparison needs all rows at once, and these are elsewhere",
                "leave it out here, and give it to ‹fit()› of the method that is recommended");
  }
  const bool asks_for_rows = !options.calibration_rows.empty() || options.refits > 0;
  if (asks_for_rows) {
    throw Error(ErrorCode::usage,
                "given calibration rows and refits need all rows at once, and these are elsewhere",
                "leave out ‹calibration_rows› and ‹refits›, or compare on fewer rows in memory");
  }
  return RowComparison(rows, options, elsewhere).run();
}

}  // namespace credence
