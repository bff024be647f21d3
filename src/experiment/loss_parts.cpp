#include "experiment/loss_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "core/parallel.hpp"
#include "experiment/auto/fold_work.hpp"
#include "experiment/comparing.hpp"
#include "experiment/cross_validation.hpp"
#include "experiment/diagrams.hpp"

namespace credence::experiment {
namespace {

constexpr std::string_view kRecalibration = "auto";
/// Members that count less are left out: they take most of the time and hardly change the losses.
constexpr double kMainMember = 0.05;

/// 1/c + 1/(c+1) + ... + 1/(m-1), of whole numbers. Counts may be in the billions: beyond the first
/// terms this is a difference of the digamma function, whose series is then exact to rounding.
double reciprocals(double c, double m) {
  constexpr double kSeries = 64.0;
  double sum = 0.0;
  for (; c < m && c < kSeries; ++c) sum += 1.0 / c;
  if (!(c < m)) return sum;
  const auto rest = [](double x) {  // digamma(x) - log(x)
    const double inverse = 1.0 / (x * x);
    return -0.5 / x - inverse * (1.0 / 12.0 - inverse * (1.0 / 120.0 - inverse / 252.0));
  };
  return sum + std::log(m / c) + rest(m) - rest(c);
}

/// Both losses of every row.
struct RowLosses {
  std::vector<double> nll, brier;  ///< brier: against one random annotator
};

double votes_of(const VoteRow& row) {
  return std::accumulate(row.weights.begin(), row.weights.end(), 0.0);
}

/// 1 - |pi|^2: what brier_reader has more than brier.
double share_disagreement(const VoteRow& row) {
  const double m = votes_of(row);
  double squares = 0.0;
  for (const double c : row.weights) squares += c / m * (c / m);
  return 1.0 - squares;
}

void take_rows(const Evaluation& evaluation, const Votes& votes,
               std::span<const std::size_t> places, RowLosses& into) {
  const ExampleScores scores = examples(evaluation);
  for (std::size_t i = 0; i < places.size(); ++i) {
    into.nll[places[i]] = scores.nll[i];
    into.brier[places[i]] = scores.brier[i] + share_disagreement(votes.row(places[i]));
  }
}

/// One member as it can be fitted and started alone.
struct Refit {
  MethodSpec method;
  Calibrator fitted;
  double weight = 1.0;
};

std::vector<Refit> main_members(const Calibrator& pool) {
  std::vector<Refit> all;
  double kept = 0.0;
  for (const WeightedStages& part : pool.parts()) {
    if (part.weight < kMainMember) continue;
    kept += part.weight;
    Refit one;
    one.weight = part.weight;
    one.fitted = pool;
    one.fitted.members.clear();
    one.fitted.selection.reset();
    one.fitted.stages.assign(part.stages.begin(), part.stages.end());
    one.method.name = pool.method;
    for (const Stage& stage : part.stages) {
      one.method.stages.push_back({stage.target, stage.map});
    }
    all.push_back(std::move(one));
  }
  for (Refit& one : all) one.weight /= kept;
  return all;
}

/// What the maps of the pool lose on every row, fitted to the rows of the other folds with the
/// weights as they are; empty, with a reason, where that cannot be done.
RowLosses cross_fitted(const Calibrator& pool, const Dataset& test, const CompareOptions& options,
                       std::string& problem) {
  const FitOptions fit_options{.gauge = options.gauge, .threads = options.threads};
  const AutoProgress nothing;
  const std::vector<Refit> members = main_members(pool);
  const auto work = folds_in_memory(test, fit_options, nothing, members.size() * kAutoFolds);
  const std::uint32_t folds = work->folds();
  if (folds < 2) {
    problem = "too few test rows to hold any out";
    return {};
  }
  std::vector<FitJob> jobs;
  for (std::uint32_t f = 0; f < folds; ++f) {
    for (const Refit& one : members) {
      jobs.push_back(
          {.method = &one.method, .rows = {.without = f}, .roughly = true, .start = &one.fitted});
    }
  }
  std::vector<FitOutcome> fits = work->fit(jobs);
  for (const FitOutcome& fit : fits) {
    if (problem.empty()) problem = fit.problem;
  }
  if (!problem.empty()) return {};
  RowLosses losses{std::vector<double>(test.rows()), std::vector<double>(test.rows())};
  core::parallel_for(core::resolve_threads(options.threads), folds, [&](std::size_t f) {
    Calibrator mixed = pool;
    mixed.stages.clear();
    mixed.members.clear();
    for (std::size_t c = 0; c < members.size(); ++c) {
      Calibrator& own = fits[f * members.size() + c].calibrator;
      mixed.members.push_back({own.method, members[c].weight, std::move(own.stages)});
    }
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < test.rows(); ++i) {
      if (work->fold_of_rows()[i] == f) places.push_back(i);
    }
    MetricOptions metrics;
    metrics.draws = 0;
    metrics.keep_rows = true;
    metrics.threads = 1;
    take_rows(score(mixed, test.select(places), metrics), test.votes, places, losses);
  });
  return losses;
}

LossPart part_of(const std::vector<double>& rows, std::span<const std::uint32_t> groups) {
  const MeanOverRows found = mean_over_rows(rows, groups);
  LossPart part{found.mean, {}};
  if (std::isfinite(found.standard_error)) part.standard_error = found.standard_error;
  return part;
}

std::vector<double> minus_rows(std::vector<double> rows, const std::vector<double>& other) {
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] -= other[i];
  return rows;
}

/// What is unavoidable, for every row. Rows with one vote tell nothing: all others speak for them,
/// each of which therefore counts more, so that the mean is theirs and so is its standard error.
std::vector<double> unavoidable(const Votes& votes, std::size_t repeated,
                                double (*of_counts)(const VoteRow&)) {
  const std::size_t n = votes.rows();
  std::vector<double> rows(n, 0.0);
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    if (votes.total(i) >= 2.0) sum += rows[i] = of_counts(votes.row(i));
  }
  if (repeated == n) return rows;
  const auto known = static_cast<double>(repeated);
  const double mean = sum / known, spread = static_cast<double>(n) / known;
  for (std::size_t i = 0; i < n; ++i) {
    rows[i] = mean + (votes.total(i) >= 2.0 ? spread * (rows[i] - mean) : 0.0);
  }
  return rows;
}

bool all_finite(const std::vector<double>& rows) {
  return std::ranges::all_of(rows, [](double x) { return std::isfinite(x); });
}

std::string why_not(const SplitResult& result) {
  if (result.find(kRecalibration) == nullptr) {
    return "auto, against which calibration is measured, is not among the methods compared";
  }
  if (result.method(kUncalibrated).evaluation.kept == nullptr) {
    return "there are too many test rows to keep the losses of each";
  }
  return {};
}

}  // namespace

double counted_entropy(const VoteRow& votes) {
  const double m = votes_of(votes);
  double entropy = 0.0;
  for (const double c : votes.weights) entropy += c / m * reciprocals(c, m);
  return entropy;
}

double counted_disagreement(const VoteRow& votes) {
  const double m = votes_of(votes);
  double pairs = 0.0;
  for (const double c : votes.weights) pairs += c * (c - 1.0);
  return 1.0 - pairs / (m * (m - 1.0));
}

LossParts loss_parts(const SplitResult& result, const Dataset& test,
                     const CompareOptions& options) {
  LossParts parts;
  parts.problem = why_not(result);
  if (!parts.problem.empty()) return parts;
  const RowLosses best =
      cross_fitted(result.method(kRecalibration).calibrator, test, options, parts.problem);
  if (!parts.problem.empty()) return parts;
  if (!all_finite(best.nll)) {
    parts.problem = "the recalibration gives probability 0 to a class that somebody chose";
    return parts;
  }
  std::vector<const MethodResult*> shown;
  for (const std::string& name :
       {std::string(kUncalibrated), result.recommended, result.candidate}) {
    const MethodResult* method = result.find(name);
    if (std::ranges::find(shown, method) == shown.end()) shown.push_back(method);
  }
  const Votes& votes = test.votes;
  parts.corrected = are_counts(votes);
  std::vector<std::size_t> every(test.rows());
  std::iota(every.begin(), every.end(), std::size_t{0});
  for (std::size_t i = 0; parts.corrected && i < votes.rows(); ++i) {
    parts.rows_with_two_votes += votes.total(i) >= 2.0 ? 1 : 0;
  }
  const bool known = test.evidence() >= Evidence::distributions &&
                     (!parts.corrected || parts.rows_with_two_votes > 0);
  const std::span<const double> entropy = examples(result.method(kUncalibrated).evaluation).entropy;
  struct Kind {
    std::string_view metric;
    std::vector<double> RowLosses::*rows;
    double (*of_counts)(const VoteRow&);
    std::vector<double> of_shares;
  };
  std::array kinds{Kind{"nll", &RowLosses::nll, counted_entropy, {entropy.begin(), entropy.end()}},
                   Kind{"brier_reader", &RowLosses::brier, counted_disagreement, {}}};
  for (std::size_t i = 0; i < votes.rows(); ++i) {
    kinds[1].of_shares.push_back(share_disagreement(votes.row(i)));
  }
  for (const Kind& kind : kinds) {
    LossSplit split;
    split.metric = kind.metric;
    const std::vector<double>& reached = best.*kind.rows;
    std::vector<double> above = reached;
    if (known) {
      const std::vector<double> least =
          parts.corrected ? unavoidable(votes, parts.rows_with_two_votes, kind.of_counts)
                          : kind.of_shares;
      split.disagreement = part_of(least, test.groups);
      split.plug_in = part_of(kind.of_shares, test.groups).value;
      above = minus_rows(std::move(above), least);
    }
    split.model = part_of(above, test.groups);
    for (const MethodResult* method : shown) {
      RowLosses own{std::vector<double>(test.rows()), std::vector<double>(test.rows())};
      take_rows(method->evaluation, votes, every, own);
      MethodLoss& loss = split.methods.emplace_back();
      loss.method = method->name;
      if (!all_finite(own.*kind.rows)) continue;
      loss.total = part_of(own.*kind.rows, test.groups);
      loss.calibration = part_of(minus_rows(own.*kind.rows, reached), test.groups);
    }
    parts.metrics.push_back(std::move(split));
  }
  return parts;
}

}  // namespace credence::experiment
