// The choice among candidates: fit, judge on held-out rows, weigh, and judge the result as well.
#include "credence/auto_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "credence/error.hpp"
#include "experiment/auto/candidates.hpp"
#include "experiment/auto/fold_work.hpp"
#include "experiment/auto/rule.hpp"

namespace credence::experiment {
namespace {

/// Probability that a normal number with this mean and standard error is above 0. Rounded to six
/// digits, which hides how the mathematical library at hand rounds.
double probability_above_zero(double mean, double error) {
  if (!(error > 0.0)) return mean > 0.0 ? 1.0 : 0.0;
  const double p = 0.5 * std::erfc(-mean / (error * std::numbers::sqrt2));
  return std::round(p * 1e6) / 1e6;
}

/// From so many rows on a fold alone tells which candidates cannot matter, for a fifth of the time.
constexpr std::size_t kTrialRows = 262'144;
/// From so many on, what a choice found is worth telling another from more rows.
constexpr std::size_t kLeadRows = 16'384;

/// Empty where there are none.
std::string infinite_losses(double rows) {
  if (rows == 0.0) return {};
  return fmt::format("probability 0 for a class that somebody chose, on {} held-out row{}", rows,
                     rows == 1.0 ? "" : "s");
}

class Choosing {
 public:
  Choosing(const MethodSpec& method, FoldWork& work, const FitOptions& options, AutoLead from)
      : method_(method),
        work_(work),
        options_(options),
        info_(work.info()),
        candidates_(auto_candidates(method.automatic, info_.classes)),
        lead_(std::move(from)),
        ruled_out_(candidates_.size()) {
    lead_.fits.resize(candidates_.size());
    selection_.baseline = candidates_[kAsIs].name;
    selection_.notes = work.notes();
    for (const MethodSpec& one : candidates_) {
      CandidateReport report;
      report.method = one.name;
      selection_.candidates.push_back(std::move(report));
    }
  }

  AutoFit run(AutoLead* to) {
    AutoFit result;
    if (work_.folds() < 2) {
      // Whatever is learned cannot be judged.
      selection_.notes.push_back(
          fmt::format("{} row{}: none can be held out, so the scores stay as they are", info_.rows,
                      info_.rows == 1 ? "" : "s"));
      fit_candidate_as_is();
      result.calibrator = mixture(whole_, only(kAsIs));
      result.calibrator.selection = selection_;
      return result;
    }
    selection_.folds = work_.folds();
    if (lead_.rows > 0) {
      follow(info_.rows);
    } else if (info_.rows >= kTrialRows && !work_.has_groups()) {
      try_on_a_fold();
    }
    fit_all();
    judge_candidates();
    std::vector<double> weights = weights_without(kNoFold);
    result.fold = work_.fold_of_rows();
    result.without = judge_result(weights);
    for (std::size_t c = 0; c < weights.size(); ++c) {
      selection_.candidates[c].weight = weights[c];
    }
    if (to != nullptr && info_.rows >= kLeadRows) leave_lead(*to);
    finish_fits(weights);
    result.calibrator = mixture(whole_, weights);
    result.calibrator.selection = selection_;
    return result;
  }

 private:
  using Place = std::pair<std::size_t, FoldRows>;  ///< a candidate, and what it is fitted to

  std::vector<double> only(std::size_t candidate) const {
    std::vector<double> weights(candidates_.size(), 0.0);
    weights[candidate] = 1.0;
    return weights;
  }

  void fit_candidate_as_is() {
    whole_.resize(candidates_.size());
    whole_[kAsIs] = std::move(work_.fit({{&candidates_[kAsIs]}}).front());
    selection_.candidates[kAsIs].weight = 1.0;
  }

  /// The candidate that is the first stage of this one and nothing else; this one where none is.
  std::size_t front_of(std::size_t candidate) const {
    const std::vector<MethodSpec::StageSpec>& stages = candidates_[candidate].stages;
    for (std::size_t c = 0; stages.size() > 1 && c < candidates_.size(); ++c) {
      const std::vector<MethodSpec::StageSpec>& other = candidates_[c].stages;
      if (other.size() == 1 && other[0].target == stages[0].target &&
          other[0].map == stages[0].map) {
        return c;
      }
    }
    return candidate;
  }

  /// Candidates that share a first stage fit it once: those that are nothing else come first.
  std::vector<FitOutcome> fit_sharing_fronts(const std::vector<Place>& places) {
    std::vector<FitOutcome> found(places.size());
    std::map<Place, std::size_t> done;
    for (const bool behind_a_front : {false, true}) {
      std::vector<FitJob> jobs;
      std::vector<std::size_t> wave;
      for (std::size_t i = 0; i < places.size(); ++i) {
        const auto& [c, rows] = places[i];
        if ((front_of(c) != c) != behind_a_front) continue;
        FitJob job{&candidates_[c], rows, true};
        // Fewer rows have their optimum near that of all. Where a loss is not convex, rows that are
        // held out thus have a say in which local optimum is found, and in nothing else.
        if (rows.without != kNoFold) {
          begin_at(whole_[c], job);
        } else if (!lead_.fits[c].calibrator.stages.empty()) {
          // Not with the curvature there: where first stages moved, it can be that of another loss.
          job.start = &lead_.fits[c].calibrator;
        }
        if (const auto front = done.find({front_of(c), rows}); front != done.end()) {
          if (!found[front->second].problem.empty()) {
            found[i].problem = found[front->second].problem;
            continue;
          }
          job.front = &found[front->second].calibrator;
        }
        done[places[i]] = i;
        jobs.push_back(job);
        wave.push_back(i);
      }
      std::vector<FitOutcome> fits = work_.fit(jobs);
      for (std::size_t j = 0; j < wave.size(); ++j) found[wave[j]] = std::move(fits[j]);
    }
    return found;
  }

  static void begin_at(const FitOutcome& other, FitJob& job) {
    job.start = &other.calibrator;
    job.curvature = other.curvature;
  }

  /// Not ruled out, or the first stage of one that is not.
  bool is_wanted(std::size_t candidate) const {
    for (std::size_t c = candidate; c < candidates_.size(); ++c) {
      const bool concerns = c == candidate || front_of(c) == candidate;
      if (concerns && ruled_out_[c].empty()) return true;
    }
    return false;
  }

  std::vector<Place> every_candidate(const FoldRows& rows) const {
    std::vector<Place> places;
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      if (is_wanted(c)) places.emplace_back(c, rows);
    }
    return places;
  }

  /// Fits every candidate to one fold, to begin there, and rules out those of which another fold
  /// shows that they cannot matter.
  void try_on_a_fold() {
    AutoLead found;
    found.fits = fit_sharing_fronts(every_candidate({.only = 0}));
    const auto losses = [&](std::uint32_t fold) {
      std::vector<std::vector<Calibrator>> judged(work_.folds());
      for (const FitOutcome& one : found.fits) {
        judged[fold].push_back((one.problem.empty() ? one : found.fits[kAsIs]).calibrator);
      }
      work_.lose(judged);
      return work_.table(kNoFold);
    };
    found.fitted = losses(0);
    found.held_out = losses(1);
    found.rows = static_cast<std::size_t>(found.fitted.rows);
    for (std::size_t c = 0; c < found.fits.size(); ++c) {
      found.problems.push_back(found.fits[c].problem.empty()
                                   ? infinite_losses(found.held_out.infinite[c])
                                   : found.fits[c].problem);
    }
    lead_ = std::move(found);
    follow(info_.rows - lead_.rows);
  }

  /// The two simplest always stay: the rule compares with them.
  void follow(std::size_t rows) {
    for (std::size_t c = kTemperature + 1; c < candidates_.size(); ++c) {
      ruled_out_[c] = lead_.ruled_out(c, rows);
    }
  }

  /// After judge_candidates().
  void leave_lead(AutoLead& to) {
    std::vector<Calibrator> judged;
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      judged.push_back(whole_[usable_[c] ? c : kAsIs].calibrator);
    }
    work_.lose({work_.folds(), judged});
    to = {info_.rows, whole_, {}, all_, work_.table(kNoFold)};
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      to.problems.push_back(selection_.candidates[c].problem);
      if (!ruled_out_[c].empty()) to.fits[c] = lead_.fits[c];
    }
  }

  void fit_all() {
    std::vector<Place> places = every_candidate({});
    std::vector<FitOutcome> fits = fit_sharing_fronts(places);
    whole_.assign(candidates_.size(), {});
    for (std::size_t j = 0; j < places.size(); ++j) whole_[places[j].first] = std::move(fits[j]);
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      CandidateReport& report = selection_.candidates[c];
      const bool out = !ruled_out_[c].empty();
      report.problem = out ? ruled_out_[c] : whole_[c].problem;
      report.parameters = (out ? lead_.fits[c] : whole_[c]).calibrator.parameter_count();
    }
    places.clear();
    for (std::uint32_t f = 0; f < work_.folds(); ++f) {
      for (std::size_t c = 0; c < candidates_.size(); ++c) {
        if (is_wanted(c) && whole_[c].problem.empty())
          places.emplace_back(c, FoldRows{.without = f});
      }
    }
    std::vector<FitOutcome> found = fit_sharing_fronts(places);
    by_fold_.assign(work_.folds(), std::vector<FitOutcome>(candidates_.size()));
    for (std::size_t j = 0; j < found.size(); ++j) {
      const std::size_t c = places[j].first;
      const std::uint32_t f = places[j].second.without;
      std::string& problem = selection_.candidates[c].problem;
      if (problem.empty() && !found[j].problem.empty()) {
        problem = "without some of the rows: " + found[j].problem;
      }
      by_fold_[f][c] = std::move(found[j]);
    }
  }

  /// Those that count are fitted to all rows as precisely as any method is.
  void finish_fits(const std::vector<double>& weights) {
    const std::vector<FitOutcome> rough = whole_;
    std::vector<std::size_t> places;
    std::vector<FitJob> jobs;
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      if (weights[c] == 0.0) continue;
      places.push_back(c);
      begin_at(rough[c], jobs.emplace_back(FitJob{&candidates_[c]}));
    }
    std::vector<FitOutcome> found = work_.fit(jobs);
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      if (found[j].problem.empty()) whole_[places[j]] = std::move(found[j]);
    }
  }

  void judge_candidates() {
    std::vector<std::vector<Calibrator>> judged(work_.folds());
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      usable_.push_back(selection_.candidates[c].problem.empty());
      // Something has to stand in the place of a fit that failed; it gets no weight.
      for (std::uint32_t f = 0; f < work_.folds(); ++f) {
        judged[f].push_back(by_fold_[f][usable_[c] ? c : kAsIs].calibrator);
      }
    }
    work_.lose(judged);
    all_ = work_.table(kNoFold);
    without_.clear();
    for (std::uint32_t f = 0; f < work_.folds(); ++f) without_.push_back(work_.table(f));
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      CandidateReport& report = selection_.candidates[c];
      if (all_.infinite[c] > 0.0 && report.problem.empty()) {
        report.problem = infinite_losses(all_.infinite[c]);
        usable_[c] = false;
      }
    }
    // The scores as they are remain where nothing else does.
    if (std::ranges::find(usable_, true) == usable_.end()) usable_[kAsIs] = true;
    const std::size_t best = best_of(all_, usable_);
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      CandidateReport& report = selection_.candidates[c];
      if (!report.problem.empty()) continue;
      report.nll = all_.mean[c];
      report.standard_error = all_.error[c];
      report.behind = all_.mean[c] - all_.mean[best];
      report.behind_error = all_.error_between(c, best);
    }
  }

  std::vector<double> weights_without(std::uint32_t fold) const {
    std::vector<std::size_t> parameters;
    for (const CandidateReport& one : selection_.candidates) parameters.push_back(one.parameters);
    return weigh(fold == kNoFold ? all_ : without_[fold], usable_, parameters, method_.automatic);
  }

  /// What this way of choosing gives without each fold.
  std::vector<Calibrator> chosen_without_folds(double share_of_simplest) const {
    std::vector<Calibrator> chosen;
    for (std::uint32_t f = 0; f < work_.folds(); ++f) {
      const std::vector<double> simplest = weigh_simplest(without_[f], usable_);
      chosen.push_back(
          mixture(by_fold_[f], blend(weights_without(f), simplest, share_of_simplest)));
    }
    return chosen;
  }

  /// Of what was chosen without each fold, the scores as they are, and the two simplest.
  LossTable judge(const std::vector<Calibrator>& chosen) {
    std::vector<std::vector<Calibrator>> judged;
    for (std::uint32_t f = 0; f < work_.folds(); ++f) {
      judged.push_back({chosen[f], by_fold_[f][kAsIs].calibrator,
                        mixture(by_fold_[f], weigh_simplest(without_[f], usable_))});
    }
    work_.lose(judged);
    return work_.table(kNoFold);
  }

  /// Judges what this way of choosing gives without each fold, on that fold, and draws back to the
  /// two simplest candidates as far as it does worse than these.
  std::vector<Calibrator> judge_result(std::vector<double>& weights) {
    std::vector<Calibrator> chosen = chosen_without_folds(0.0);
    LossTable table = judge(chosen);
    const double share =
        method_.automatic == Automatic::single ? 0.0 : share_of_simplest(table, 0, 2);
    if (share > 0.0) {
      weights = blend(weights, weigh_simplest(all_, usable_), share);
      chosen = chosen_without_folds(share);
      table = judge(chosen);
      selection_.notes.push_back(fmt::format(
          "on held-out rows all candidates together do worse than the two simplest, so {:.0f} % of "
          "the weight goes to these",
          100.0 * share));
    }
    if (table.infinite[0] == 0.0) {
      selection_.nll = table.mean[0];
      selection_.standard_error = table.error[0];
    }
    if (table.infinite[1] == 0.0) {
      selection_.gain = table.mean[1] - table.mean[0];
      selection_.gain_error = table.error_between(1, 0);
      selection_.harm = probability_above_zero(-selection_.gain, selection_.gain_error);
    } else {
      selection_.notes.push_back(fmt::format(
          "the scores as they are give probability 0 to a class that somebody chose, on {} row{}",
          table.infinite[1], table.infinite[1] == 1.0 ? "" : "s"));
    }
    return chosen;
  }

  Calibrator mixture(const std::vector<FitOutcome>& fits,
                     const std::vector<double>& weights) const {
    Calibrator pool;
    pool.method = method_.name;
    pool.gauge = options_.gauge;
    pool.classes = info_.class_names;
    pool.class_count = info_.classes;
    for (std::size_t c = 0; c < weights.size(); ++c) {
      if (weights[c] == 0.0) continue;
      pool.members.push_back({candidates_[c].name, weights[c], fits[c].calibrator.stages});
    }
    if (pool.members.size() == 1) {
      pool.stages = std::move(pool.members.front().stages);
      pool.members.clear();
    }
    return pool;
  }

  const MethodSpec& method_;
  FoldWork& work_;
  const FitOptions& options_;
  const RowsInfo info_;
  const std::vector<MethodSpec> candidates_;
  AutoLead lead_;
  std::vector<std::string> ruled_out_;  ///< by the lead
  Selection selection_;
  std::vector<bool> usable_;
  std::vector<FitOutcome> whole_;
  std::vector<std::vector<FitOutcome>> by_fold_;  ///< without each fold
  LossTable all_;
  std::vector<LossTable> without_;
};

}  // namespace

std::string AutoLead::ruled_out(std::size_t candidate, std::size_t rows_now) const {
  if (!problems[candidate].empty()) return problems[candidate];
  std::vector<bool> usable;
  for (const std::string& problem : problems) usable.push_back(problem.empty());
  const std::size_t best = best_of(held_out, usable);
  if (candidate == best) return {};
  const double times = static_cast<double>(rows_now) / static_cast<double>(rows);
  const double behind = behind_with_more_rows(held_out, fitted, candidate, best, times);
  const double error = held_out.error_between(candidate, best);
  if (!(behind > AutoRule{}.ruled_out * error)) return {};
  return fmt::format(
      "ruled out by {} of the rows, after which it would be {:.6f} behind with all of them; "
      "standard error {:.6f}",
      rows, behind, error);
}

LossTable table_without(std::span<const PairedLosses> by_fold, std::uint32_t without) {
  PairedLosses all;
  for (std::uint32_t f = 0; f < by_fold.size(); ++f) {
    if (f != without && by_fold[f].rows > 0.0) all.add(by_fold[f]);
  }
  return table_of(all);
}

AutoFit choose_automatically(const MethodSpec& method, FoldWork& work, const FitOptions& options,
                             const AutoLead& from, AutoLead* to) {
  return Choosing(method, work, options, from).run(to);
}

}  // namespace credence::experiment

namespace credence {

namespace {

/// To all rows twice, roughly and precisely, and without each fold.
std::size_t fit_count(const MethodSpec& method, std::size_t classes) {
  return experiment::auto_candidates(method.automatic, classes).size() * (kAutoFolds + 2);
}

}  // namespace

AutoFit fit_auto(const MethodSpec& method, const Dataset& data, const FitOptions& options,
                 const AutoProgress& progress) {
  const std::size_t fits = fit_count(method, data.classes_count());
  const auto work = experiment::folds_in_memory(data, options, progress, fits);
  return experiment::choose_automatically(method, *work, options);
}

AutoFit fit_auto(const MethodSpec& method, RowWorker& rows, const FitOptions& options,
                 const AutoProgress& progress, std::size_t sums_bytes) {
  experiment::PassLimits limits;
  limits.sums_bytes = sums_bytes;
  if (progress) {
    const auto all = static_cast<double>(fit_count(method, rows.info().classes));
    limits.after_pass = [&progress, all](std::size_t done, int) {
      if (progress(std::min(1.0, static_cast<double>(done) / all))) return;
      throw Error(ErrorCode::cancelled, "stopped on request");
    };
  }
  const auto work =
      experiment::folds_elsewhere(rows, experiment::deal_rows(rows), options, std::move(limits));
  return experiment::choose_automatically(method, *work, options);
}

Calibrator fit_any(const MethodSpec& method, const Dataset& data, const FitOptions& options) {
  return method.automatic == Automatic::no ? fit(method, data, options)
                                           : fit_auto(method, data, options).calibrator;
}

}  // namespace credence
