#include "experiment/cross_validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/parallel.hpp"
#include "credence/error.hpp"

namespace credence::experiment {
namespace {

constexpr std::size_t kBlockRows = 4096;

/// nll of every row of `data` under the calibrator, into out[rows[i]].
void held_out_nll(const Calibrator& calibrator, const Dataset& data,
                  const std::vector<std::size_t>& rows, std::vector<double>& out) {
  Matrix<double> block(std::min(kBlockRows, data.rows()), data.classes_count());
  for (std::size_t first = 0; first < data.rows(); first += kBlockRows) {
    const std::size_t count = std::min(kBlockRows, data.rows() - first);
    const MutRows p(block.data(), count, block.cols());
    calibrator.apply(data.scores.block(first, count), p);
    for (std::size_t i = 0; i < count; ++i) {
      const VoteRow votes = data.votes.row(first + i);
      double sum = 0.0;
      for (std::size_t v = 0; v < votes.classes.size(); ++v) {
        sum -= votes.weights[v] * std::log(p(i, votes.classes[v]));
      }
      out[rows[first + i]] = sum / data.votes.total(first + i);
    }
  }
}

}  // namespace

std::vector<HeldOut> cross_validate(const std::vector<MethodSpec>& methods, const Dataset& data,
                                    std::uint32_t folds, const FitOptions& options, int threads,
                                    const std::function<void()>& step) {
  const std::vector<std::uint32_t> fold = make_folds(data, folds, options.seed);
  std::vector<HeldOut> results(methods.size());
  for (HeldOut& result : results) result.nll.assign(data.rows(), 0.0);
  for (std::uint32_t f = 0; f < folds; ++f) {
    std::vector<std::size_t> inside, outside;
    for (std::size_t i = 0; i < data.rows(); ++i) (fold[i] == f ? outside : inside).push_back(i);
    if (outside.empty()) continue;
    if (inside.empty()) {
      for (HeldOut& result : results) result.problem = "too few rows to hold any out";
      break;
    }
    const Dataset learn = data.select(inside), judge = data.select(outside);
    core::parallel_for(threads, methods.size(), [&](std::size_t j) {
      if (results[j].problem.empty()) {
        try {
          held_out_nll(fit(methods[j], learn, options), judge, outside, results[j].nll);
        } catch (const Error& error) {
          // A fold may lack the evidence that all rows together have.
          if (error.code() == ErrorCode::cancelled) throw;
          results[j].problem = error.what();
        }
      }
      step();
    });
  }
  for (HeldOut& result : results) {
    if (!result.problem.empty()) {
      result.nll.clear();
      continue;
    }
    const auto infinite =
        std::ranges::count_if(result.nll, [](double x) { return !std::isfinite(x); });
    if (infinite > 0) {
      result.problem = fmt::format(
          "{} held-out examples got probability 0 for a class that somebody chose", infinite);
    }
  }
  return results;
}

MeanOverRows mean_over_rows(const std::vector<double>& values, const Dataset& data) {
  const auto n = static_cast<double>(values.size());
  double sum = 0.0;
  for (const double value : values) sum += value;
  const double mean = sum / n;
  // With groups, rows of one group vary together: the group's summed deviation is the unit.
  const bool grouped = !data.groups.empty();
  const std::size_t units =
      grouped ? std::size_t{*std::ranges::max_element(data.groups)} + 1 : values.size();
  std::vector<double> deviation(units, 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    deviation[grouped ? data.groups[i] : i] += values[i] - mean;
  }
  double squares = 0.0;
  for (const double d : deviation) squares += d * d;
  const auto count = static_cast<double>(
      grouped ? std::set<std::uint32_t>(data.groups.begin(), data.groups.end()).size() : units);
  const double correction =
      count > 1.0 ? count / (count - 1.0) : std::numeric_limits<double>::infinity();
  return {mean, std::sqrt(correction * squares) / n};
}

}  // namespace credence::experiment
