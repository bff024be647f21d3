#include "experiment/cross_validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>

#include "core/parallel.hpp"
#include "core/release.hpp"
#include "credence/error.hpp"
#include "experiment/rows/loss_sums.hpp"

namespace credence::experiment {
namespace {

/// nll of every row of `data` under the calibrator, into out[rows[i]].
void held_out_nll(const Calibrator& calibrator, const Dataset& data,
                  const std::vector<std::size_t>& rows, std::vector<double>& out) {
  std::vector<double> nll(kBlockRows);
  for (std::size_t first = 0; first < data.rows(); first += kBlockRows) {
    const std::size_t count = std::min(kBlockRows, data.rows() - first);
    row_losses(calibrator, data.scores.block(first, count), data.votes, first,
               std::span(nll).first(count), {});
    for (std::size_t i = 0; i < count; ++i) out[rows[first + i]] = nll[i];
  }
}

/// The sums of some held-out rows, in the order in which rows elsewhere add them.
PairedLosses losses_of(const std::vector<HeldOut>& results, const std::vector<std::size_t>& rows) {
  const std::size_t methods = results.size();
  BlockSums tree;
  std::vector<double> nll, sums;
  for (std::size_t first = 0; first < rows.size(); first += kBlockRows) {
    const std::size_t count = std::min(kBlockRows, rows.size() - first);
    nll.assign(methods * count, 0.0);
    for (std::size_t j = 0; j < methods; ++j) {
      if (!results[j].problem.empty()) continue;
      for (std::size_t i = 0; i < count; ++i) {
        nll[j * count + i] = results[j].nll[rows[first + i]];
      }
    }
    sums.assign(paired_width(methods), 0.0);
    add_row_losses(nll, methods, count, sums);
    tree.push(first / kBlockRows, sums);
  }
  return {tree.total(), methods};
}

/// One fold: the rows to learn from and those to judge by.
struct Part {
  std::vector<std::size_t> inside, outside;
  Dataset learn, judge;

  Part() = default;
  Part(const Dataset& data, const std::vector<std::uint32_t>& fold, std::size_t number) {
    for (std::size_t i = 0; i < data.rows(); ++i) {
      (fold[i] == number ? outside : inside).push_back(i);
    }
    if (inside.empty() || outside.empty()) return;
    learn = data.select(inside);
    judge = data.select(outside);
  }
};

/// What a choice among candidates says of the rows that it held out itself.
void add_held_out(const AutoFit& chosen, const Dataset& data, int threads, HeldOut& result) {
  if (chosen.without.empty()) result.problem = "too few rows to hold any out";
  core::parallel_for(threads, chosen.without.size(), [&](std::size_t f) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < data.rows(); ++i) {
      if (chosen.fold[i] == f) rows.push_back(i);
    }
    held_out_nll(chosen.without[f], data.select(rows), rows, result.nll);
  });
}

/// The rows of a fold, divided by the folds in which methods that choose have held them out.
std::vector<std::vector<std::size_t>> cells_of(const std::vector<std::size_t>& rows,
                                               std::span<const AutoFit> automatic) {
  const auto chosen =
      std::ranges::find_if(automatic, [](const AutoFit& one) { return !one.fold.empty(); });
  if (chosen == automatic.end()) return {rows};
  std::vector<std::vector<std::size_t>> cells(kAutoFolds);
  for (const std::size_t row : rows) cells[chosen->fold[row]].push_back(row);
  std::erase_if(cells, [](const auto& cell) { return cell.empty(); });
  return cells;
}

}  // namespace

std::vector<HeldOut> cross_validate(const std::vector<MethodSpec>& methods, const Dataset& data,
                                    std::span<const Calibrator* const> starts, std::uint32_t folds,
                                    const FitOptions& options, int threads,
                                    const std::function<void()>& step,
                                    std::span<const AutoFit> automatic) {
  const std::vector<std::uint32_t> fold = make_folds(data, folds, options.seed);
  std::vector<HeldOut> results(methods.size());
  for (HeldOut& result : results) result.nll.assign(data.rows(), 0.0);
  for (std::size_t j = 0; j < automatic.size(); ++j) {
    if (methods[j].automatic == Automatic::no) continue;
    add_held_out(automatic[j], data, threads, results[j]);
  }
  // Every fold of every method is a piece of work of its own, so that no thread waits for another;
  // of large data only a few folds are held at a time. Solvers in lockstep (pass()) would read the
  // rows once for all methods, but rows in memory cost nothing to read, and a fit alone keeps
  // targets and shifts from one pass to the next: all methods on 100,000 x 10 rows take 1.0 s one
  // by one and 1.9 s in lockstep (10,000 rows: 0.12 s and 0.13 s).
  constexpr std::size_t kMostScores = std::size_t{1} << 23;
  const std::size_t scores = std::max<std::size_t>(data.rows() * data.classes_count(), 1);
  const auto wave = static_cast<std::uint32_t>(
      std::clamp<std::size_t>(kMostScores / scores, 1, std::max(folds, 1U)));
  std::vector<std::vector<std::size_t>> held;  // the rows of each fold
  for (std::uint32_t first = 0; first < folds; first += wave) {
    std::vector<Part> parts(std::min(wave, folds - first));
    core::parallel_for(threads, parts.size(),
                       [&](std::size_t f) { parts[f] = Part(data, fold, first + f); });
    std::erase_if(parts, [](const Part& part) { return part.outside.empty(); });
    if (std::ranges::any_of(parts, [](const Part& part) { return part.inside.empty(); })) {
      for (HeldOut& result : results) result.problem = "too few rows to hold any out";
      break;
    }
    std::vector<std::string> problems(methods.size() * parts.size());
    core::parallel_for(threads, problems.size(), [&](std::size_t piece) {
      const std::size_t j = piece / parts.size();
      if (methods[j].automatic != Automatic::no) return step();
      const Part& part = parts[piece % parts.size()];
      FitOptions near = options;
      near.start = starts[j];
      try {
        held_out_nll(fit(methods[j], part.learn, near), part.judge, part.outside, results[j].nll);
      } catch (const Error& error) {
        // A fold may lack the evidence that all rows together have.
        if (error.code() == ErrorCode::cancelled) throw;
        problems[piece] = error.what();
      }
      step();
    });
    for (std::size_t piece = 0; piece < problems.size(); ++piece) {
      std::string& problem = results[piece / parts.size()].problem;
      if (problem.empty()) problem = problems[piece];
    }
    for (Part& part : parts) held.push_back(std::move(part.outside));
  }
  if (data.groups.empty() && !held.empty()) {
    PairedLosses paired;
    for (const auto& rows : held) {
      for (const auto& cell : cells_of(rows, automatic)) paired.add(losses_of(results, cell));
    }
    share_losses(std::move(paired), results);
  }
  for (HeldOut& result : results) {
    if (!result.problem.empty() || result.paired) core::release(result.nll);
  }
  note_infinite(results);
  return results;
}

void share_losses(PairedLosses paired, std::vector<HeldOut>& results) {
  const auto shared = std::make_shared<const PairedLosses>(std::move(paired));
  for (std::size_t j = 0; j < results.size(); ++j) {
    results[j].paired = shared;
    results[j].place = j;
  }
}

void note_infinite(std::vector<HeldOut>& results) {
  for (HeldOut& result : results) {
    if (!result.problem.empty()) continue;
    const auto infinite =
        result.paired ? static_cast<std::ptrdiff_t>(result.paired->infinite[result.place])
                      : std::ranges::count_if(result.nll, [](double x) { return std::isinf(x); });
    if (infinite == 0) continue;
    result.problem =
        fmt::format("{} held-out example{} got probability 0 for a class that somebody chose",
                    infinite, infinite == 1 ? "" : "s");
  }
}

MeanOverRows mean_held_out(const HeldOut& one, std::span<const std::uint32_t> groups) {
  if (!one.paired) return mean_over_rows(one.nll, groups);
  const auto [mean, error] = one.paired->of(one.place);
  return {mean, error};
}

MeanOverRows lead(const HeldOut& other, const HeldOut& one, std::span<const std::uint32_t> groups) {
  if (one.paired && one.paired == other.paired) {
    const auto [mean, error] = one.paired->lead(other.place, one.place);
    return {mean, error};
  }
  std::vector<double> gap(one.nll);
  for (std::size_t i = 0; i < gap.size(); ++i) gap[i] -= other.nll[i];
  return mean_over_rows(gap, groups);
}

MeanOverRows mean_over_rows(const std::vector<double>& values,
                            std::span<const std::uint32_t> groups) {
  const auto n = static_cast<double>(values.size());
  double sum = 0.0;
  for (const double value : values) sum += value;
  const double mean = sum / n;
  // With groups, rows of one group vary together: the group's summed deviation is the unit.
  const bool grouped = !groups.empty();
  const std::size_t units =
      grouped ? std::size_t{*std::ranges::max_element(groups)} + 1 : values.size();
  std::vector<double> deviation(units, 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    deviation[grouped ? groups[i] : i] += values[i] - mean;
  }
  double squares = 0.0;
  for (const double d : deviation) squares += d * d;
  const auto count = static_cast<double>(
      grouped ? std::set<std::uint32_t>(groups.begin(), groups.end()).size() : units);
  const double correction =
      count > 1.0 ? count / (count - 1.0) : std::numeric_limits<double>::infinity();
  return {mean, std::sqrt(correction * squares) / n};
}

}  // namespace credence::experiment
