// Comparing on rows that somebody else has: all fits of a stage in lockstep, several per pass.
#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <memory>
#include <utility>

#include "credence/compare.hpp"
#include "credence/error.hpp"
#include "experiment/comparing.hpp"
#include "experiment/cross_validation.hpp"
#include "experiment/decisions.hpp"
#include "experiment/verdict.hpp"
#include "experiment/warnings.hpp"
#include "map/about.hpp"

namespace credence {
namespace {

using experiment::HeldOut;

constexpr std::uint8_t kTestTag = 0;

/// What each tag of a split stands for.
struct Parts {
  TagSet test = with_tags({kTestTag}), calibration;
  std::vector<TagSet> folds;  ///< those that have rows

  Parts(std::span<const std::uint8_t> tags, std::uint32_t count) {
    std::vector<std::size_t> rows(kTags, 0);
    for (const std::uint8_t tag : tags) ++rows[tag];
    for (std::uint32_t f = 1; f <= count; ++f) {
      if (rows[f] == 0) continue;
      folds.push_back(with_tags({static_cast<std::uint8_t>(f)}));
      calibration |= folds.back();
    }
  }
  /// What is left to learn from when a fold is held out.
  TagSet without(const TagSet& fold) const { return calibration & ~fold; }
};

/// What a fit lists of the rows: two numbers each for isotonic steps, once more while they are
/// sorted.
std::size_t listed_bytes(const MethodSpec& method, std::size_t rows) {
  const bool lists = std::ranges::any_of(method.stages, [](const MethodSpec::StageSpec& stage) {
    return std::holds_alternative<TopLabelIsotonic>(stage.map);
  });
  return lists ? 4 * sizeof(double) * rows : 0;
}

/// A fit under way, or why there is none.
struct Fitting {
  std::unique_ptr<Solver> solver;
  TagSet rows;
  std::string problem;
  std::size_t bytes = 0;  ///< of its sums

  Fitting(const MethodSpec& method, const RowsInfo& info, const TagSet& part,
          const FitOptions& options)
      : rows(part) {
    std::size_t parameters = 0;
    for (const MethodSpec::StageSpec& stage : method.stages) {
      for (const map::Block& block : map::blocks(stage.map, info.classes)) {
        parameters += block.size();
      }
    }
    // A square of parameters for each of the nodes of the tree that are held.
    const std::size_t square = 1 + std::min<std::size_t>(parameters, 1000);
    bytes = 64 * square * square * sizeof(double) / 2 + listed_bytes(method, info.rows);
    solver = std::make_unique<Solver>(method, info, options);
  }
};

class RowComparison {
 public:
  RowComparison(RowWorker& rows, const CompareOptions& options, const RowsElsewhere& elsewhere)
      : rows_(rows), options_(options), elsewhere_(elsewhere) {}

  Comparison run();

 private:
  SplitResult on_split(std::size_t number, Comparison& comparison);
  /// What is compared, without methods that list more of the rows than there is memory for.
  experiment::Methods methods(const RowsInfo& calibration, Comparison& comparison) const;
  /// Runs the fits to their end, as many in a pass as there is memory for. What goes wrong in one
  /// is its problem, unless `strict`.
  void finish(std::vector<Fitting*> fits, bool strict, double from, double to,
              const std::string& what);
  void score(SplitResult& result, const Parts& parts, std::size_t test_rows);
  std::vector<HeldOut> cross_validate(const std::vector<MethodSpec>& methods,
                                      const SplitResult& result, const Parts& parts,
                                      const FitOptions& options);
  void tell(double share, const std::string& what) {
    if (options_.progress && !options_.progress(share, what)) {
      throw Error(ErrorCode::cancelled, "stopped on request");
    }
  }
  std::vector<RowAnswer> work(const std::vector<RowTask>& tasks) { return rows_.work(tasks); }

  RowWorker& rows_;
  const CompareOptions& options_;
  const RowsElsewhere& elsewhere_;
};

void RowComparison::finish(std::vector<Fitting*> fits, bool strict, double from, double to,
                           const std::string& what) {
  std::size_t next = 0, done = 0;
  const std::size_t all = fits.size();
  std::list<Fitting*> running;
  for (int passes = 1;; ++passes) {
    std::size_t bytes = 0;
    for (const Fitting* one : running) bytes += one->bytes;
    while (next < all && (running.empty() || bytes + fits[next]->bytes <= elsewhere_.sums_bytes)) {
      bytes += fits[next]->bytes;
      running.push_back(fits[next++]);
    }
    running.remove_if([](const Fitting* one) { return one->solver->next() == nullptr; });
    if (running.empty() && next == all) return;
    if (running.empty()) continue;
    std::vector<RowTask> tasks;
    for (const Fitting* one : running) tasks.push_back({one->rows, *one->solver->next()});
    std::vector<RowAnswer> answers = work(tasks);
    std::size_t j = 0;
    for (auto one = running.begin(); one != running.end(); ++j) {
      try {
        (*one)->solver->tell(std::get<State>(std::move(answers[j])));
        ++one;
      } catch (const Error& error) {
        if (strict || error.code() == ErrorCode::cancelled) throw;
        (*one)->problem = error.what();
        one = running.erase(one);
      }
    }
    done = next - running.size();
    tell(from + (to - from) * static_cast<double>(done) / static_cast<double>(all),
         fmt::format("{}, pass {}", what, passes));
  }
}

std::vector<HeldOut> RowComparison::cross_validate(const std::vector<MethodSpec>& methods,
                                                   const SplitResult& result, const Parts& parts,
                                                   const FitOptions& options) {
  std::vector<HeldOut> held_out(methods.size());
  if (parts.folds.size() < 2) {
    for (HeldOut& one : held_out) one.problem = "too few rows to hold any out";
    return held_out;
  }
  std::vector<TagSet> learn;
  for (const TagSet& fold : parts.folds) learn.push_back(parts.without(fold));
  const std::vector<RowsInfo> infos = infos_of(rows_, learn);
  std::list<Fitting> fits;
  std::vector<Fitting*> of_fold(methods.size() * parts.folds.size(), nullptr), asking;
  for (std::size_t j = 0; j < methods.size(); ++j) {
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
  // One task for each fold, with a stand-in for methods that have a problem: nobody reads its sums.
  std::vector<RowTask> tasks;
  for (std::size_t f = 0; f < parts.folds.size(); ++f) {
    LossesTask losses;
    for (std::size_t j = 0; j < methods.size(); ++j) {
      losses.calibrators.push_back(held_out[j].problem.empty()
                                       ? of_fold[j * parts.folds.size() + f]->solver->result()
                                       : result.methods.front().calibrator);
    }
    tasks.push_back({parts.folds[f], std::move(losses)});
  }
  PairedLosses paired;
  for (const RowAnswer& fold : work(tasks)) {
    paired.add(PairedLosses(std::get<State>(fold).sums.total(), methods.size()));
  }
  experiment::share_losses(std::move(paired), held_out);
  experiment::note_infinite(held_out);
  return held_out;
}

void RowComparison::score(SplitResult& result, const Parts& parts, std::size_t test_rows) {
  MetricOptions metrics = options_.metrics;
  metrics.keep_rows = metrics.keep_votes = false;
  // Confidence, agreement and entropy of every row; once more while they are merged and sorted.
  const double listed = 9.0 * sizeof(double) * static_cast<double>(test_rows);
  const double room = static_cast<double>(elsewhere_.listed_bytes);
  metrics.list_rows = listed <= room;
  const std::size_t together = metrics.list_rows
                                   ? static_cast<std::size_t>(room / std::max(listed, 1.0))
                                   : result.methods.size();
  for (std::size_t first = 0; first < result.methods.size(); first += together) {
    const std::size_t count = std::min(together, result.methods.size() - first);
    std::vector<RowTask> tasks;
    for (std::size_t j = first; j < first + count; ++j) {
      tasks.push_back({parts.test, MetricsTask{result.methods[j].calibrator, metrics}});
    }
    const std::vector<RowAnswer> answers = work(tasks);
    for (std::size_t j = 0; j < count; ++j) {
      result.methods[first + j].evaluation = evaluation_of(std::get<EvaluationSums>(answers[j]));
    }
    tell(0.8 +
             0.15 * static_cast<double>(first + count) / static_cast<double>(result.methods.size()),
         "scoring");
  }
}

experiment::Methods RowComparison::methods(const RowsInfo& calibration,
                                           Comparison& comparison) const {
  experiment::Methods chosen = experiment::methods_to_compare(options_, calibration);
  std::erase_if(chosen.compared, [&](const MethodSpec& method) {
    if (method.automatic == Automatic::no) return false;
    const bool named = std::ranges::find(options_.methods, method.name) != options_.methods.end();
    if (named) {
      throw Error(
          ErrorCode::usage,
          fmt::format("'{}' can only be compared with all rows in memory", method.name),
          "leave it out of ‹methods›, or use ‹fit()› and ‹evaluate()›, which read in passes");
    }
    // One warning for all splits.
    if (comparison.splits.empty()) {
      comparison.warnings.push_back(
          fmt::format("left out: {}; it is compared only with all rows in memory", method.name));
    }
    return true;
  });
  std::vector<std::string> listing;
  std::erase_if(chosen.compared, [&](const MethodSpec& method) {
    const bool too_much = listed_bytes(method, calibration.rows) > elsewhere_.sums_bytes;
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
  std::vector<std::uint8_t> tags =
      split_and_fold(rows_.labels(), options_.calibration_share, options_.folds, seed);
  const Parts parts(tags, options_.folds);
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
  std::list<Fitting> fits;
  std::vector<Fitting*> asking;
  for (const MethodSpec& method : methods) {
    fits.emplace_back(method, learn, parts.calibration, fit_options);
    asking.push_back(&fits.back());
  }
  if (options_.oracle) {
    const bool distributions = test.evidence >= Evidence::distributions;
    fits.emplace_back(parse_method(distributions ? "slts" : "ts"), test, parts.test, fit_options);
    asking.push_back(&fits.back());
  }
  finish(asking, true, 0.05, 0.3, "fitting");
  result.methods.resize(fits.size());
  auto fitted = fits.begin();
  for (std::size_t j = 0; j < result.methods.size(); ++j, ++fitted) {
    MethodResult& method = result.methods[j];
    method.oracle = j == methods.size();
    method.calibrator = fitted->solver->result();
    if (method.oracle) method.calibrator.method = std::string(experiment::kOracle);
    method.name = method.oracle ? std::string(experiment::kOracle) : methods[j].name;
  }
  fits.clear();

  // Held-out nll is flat at a fit's optimum: a gradient of 1e-6 moves it by less than 1e-9.
  FitOptions fold_options = fit_options;
  fold_options.gradient_tolerance = 1e-6;
  const std::vector<HeldOut> held_out = cross_validate(methods, result, parts, fold_options);
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
  score(result, parts, test.rows);
  for (std::size_t j = 0; j < result.methods.size(); ++j) {
    result.methods[j].changed_predictions = decisions.changed[j] / static_cast<double>(test.rows);
    if (result.methods[j].name == result.candidate) {
      result.decisions = experiment::decisions_of(decisions, j, options_.bootstrap.level);
    }
  }
  const std::vector<std::size_t> references =
      experiment::reference_methods(result, parse_method(options_.reference).name);
  for (const std::size_t j : references) result.references.push_back(result.methods[j].name);
  if (options_.bootstrap.resamples > 0) {
    result.no_intervals = "no intervals: they need all rows at once, and these are elsewhere";
  }
  experiment::values_alone(result, references);
  result.by_chance = experiment::agrees_by_chance(decisions, tested.chosen);
  experiment::reach_verdict(result, choice, calibration, evaluation, options_.bootstrap.level);
  experiment::rank_by_nll(result);
  if (number == 0) {
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
  std::list<Fitting> fits;
  std::vector<Fitting*> asking;
  for (const std::string& name : {first.recommended, first.candidate}) {
    if (!fits.empty() && name == first.recommended) continue;
    fits.emplace_back(parse_method(name), rows_.info(), all_tags(), fit_options);
    asking.push_back(&fits.back());
  }
  finish(asking, true, 0.95, 1.0, "fitting to all rows");
  for (const Fitting& one : fits) comparison.final_calibrators.push_back(one.solver->result());
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
