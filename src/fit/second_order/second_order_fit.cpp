// Fits the two lines of a SecondOrder: Newton's method on two parameters each, side by side, so
// that one pass over the rows serves both.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/dirichlet_multinomial.hpp"
#include "core/ordered_blocks.hpp"
#include "core/parallel.hpp"
#include "credence/error.hpp"
#include "credence/second_order.hpp"
#include "fit/search/line_newton.hpp"
#include "fit/second_order/second_order_line.hpp"

namespace credence {
namespace {

using fit_detail::LineNewton;
using fit_detail::LineSums;

/// A probability of 0 for a class that somebody chose counts as the smallest normal float32, as it
/// does everywhere before a logarithm.
constexpr double kLeastShare = std::numeric_limits<float>::min();

/// What a pass adds up.
struct PassSums {
  LineSums concentration, disagreement;
  double rows = 0.0;         ///< with two votes or more
  double votes = 0.0;        ///< of these
  double observed = 0.0;     ///< share of pairs that disagree
  double multinomial = 0.0;  ///< -log P(votes) for an infinite concentration
  double fractional = 0.0;   ///< rows whose votes are not whole numbers
};
constexpr std::size_t kPassSums = sizeof(PassSums) / sizeof(double);
using PassNumbers = std::array<double, kPassSums>;

/// One row: q is what was predicted.
void add_row(const SecondOrder& model, std::span<const double> q, const VoteRow& votes, double m,
             std::vector<double>& at_votes, PassSums& sums) {
  at_votes.clear();
  double pairs = 0.0;
  bool whole = true;
  for (std::size_t v = 0; v < votes.classes.size(); ++v) {
    const double c = votes.weights[v];
    at_votes.push_back(std::max(q[votes.classes[v]], kLeastShare));
    pairs += c * (c - 1.0);
    whole = whole && c == std::floor(c);
  }
  if (!whole) {
    sums.fractional += 1.0;
    return;
  }
  if (m < 2.0) return;
  const double x = fit_detail::log_spread(q);
  const double observed = 1.0 - pairs / (m * (m - 1.0));

  const core::Odds s = core::odds_of(fit_detail::at(model.concentration, x));
  const core::VoteLikelihood votes_given =
      core::vote_likelihood(at_votes, votes.weights, m, s.no / s.yes);
  sums.concentration.add(x, -votes_given.log, -votes_given.slope, -votes_given.curve);

  const double log_odds = fit_detail::at(model.disagreement, x);
  const core::Odds p = core::odds_of(log_odds);
  const double loss = -(observed * core::log_of(p.yes) + (1.0 - observed) * core::log_of(p.no));
  sums.disagreement.add(x, loss, p.yes - observed, p.yes * p.no);

  sums.rows += 1.0;
  sums.votes += m;
  sums.observed += observed;
  sums.multinomial -= core::vote_likelihood(at_votes, votes.weights, m, 0.0).log;
}

PassNumbers block_sums(const Calibrator& calibrator, const SecondOrder& model, const RowBlock& rows,
                       std::size_t first, std::size_t count) {
  const Scores scores = rows.scores.block(first, count);
  Matrix<double> q(count, scores.cols());
  calibrator.apply(scores, q.view(), 1);
  std::vector<double> at_votes;
  PassSums sums;
  for (std::size_t i = 0; i < count; ++i) {
    add_row(model, q.view().row(i), rows.votes->row(first + i), rows.votes->total(first + i),
            at_votes, sums);
  }
  return std::bit_cast<PassNumbers>(sums);
}

PassSums pass_over(const Calibrator& calibrator, const SecondOrder& model, RowSource& source,
                   int threads) {
  BlockSums all;
  RowBlock rows;
  source.rewind();
  while (source.next(rows)) {
    const std::size_t count = rows.scores.rows();
    std::uint64_t block = rows.first / kBlockRows;
    std::size_t next = 0;
    core::ordered_blocks(
        (count + kBlockRows - 1) / kBlockRows, {.threads = core::resolve_threads(threads)},
        sizeof(PassNumbers), [] { return PassNumbers{}; },
        [&](std::size_t b, PassNumbers& state) {
          const std::size_t first = b * kBlockRows;
          state = block_sums(calibrator, model, rows, first, std::min(kBlockRows, count - first));
        },
        [&](const PassNumbers& state) {
          all.push(block + next, state);
          ++next;
        });
  }
  PassNumbers total{};
  const std::vector<double> sums = all.total();
  std::copy(sums.begin(), sums.end(), total.begin());
  return std::bit_cast<PassSums>(total);
}

[[noreturn]] void refuse(const std::string& why, const std::string& hint) {
  throw Error(ErrorCode::evidence, "the second order cannot be fitted: " + why, hint);
}

void check(const PassSums& sums) {
  if (sums.fractional > 0.0) {
    refuse("the votes of " + std::to_string(static_cast<std::size_t>(sums.fractional)) +
               " examples are shares or weights, which do not tell how many annotators there were",
           "give counts of votes, or one row per annotation");
  }
  if (sums.rows == 0.0) {
    refuse("no example has two votes, and only annotators of the same example can disagree",
           "collect a second annotation for some of the examples");
  }
}

}  // namespace

SecondOrder fit_second_order(const Calibrator& calibrator, RowSource& rows,
                             const FitOptions& options) {
  if (rows.info().evidence < Evidence::annotations) {
    refuse("majority labels do not tell how many annotators chose what",
           "name the annotations with ‹votes=FILE›");
  }
  SecondOrder model;
  LineNewton concentration, disagreement;
  while (!concentration.done() || !disagreement.done()) {
    model.concentration = concentration.wanted();
    model.disagreement = disagreement.wanted();
    const PassSums sums = pass_over(calibrator, model, rows, options.threads);
    check(sums);
    model.rows = static_cast<std::size_t>(sums.rows);
    model.multinomial_nll = sums.multinomial / sums.rows;
    model.observed_disagreement = sums.observed / sums.rows;
    // Gradients are sums over votes: so is their rounding.
    const double tolerance = options.gradient_tolerance * std::max(1.0, sums.votes / sums.rows);
    concentration.tell(sums.concentration, sums.rows, tolerance, options.max_passes);
    disagreement.tell(sums.disagreement, sums.rows, tolerance, options.max_passes);
    if (options.progress &&
        !options.progress({concentration.report().passes, concentration.report().loss,
                           concentration.report().gradient_norm})) {
      throw Error(ErrorCode::cancelled, "stopped");
    }
  }
  model.concentration = concentration.best();
  model.disagreement = disagreement.best();
  model.concentration_report = concentration.report();
  model.disagreement_report = disagreement.report();
  model.dm_nll = concentration.mean_loss();
  return model;
}

SecondOrder fit_second_order(const Calibrator& calibrator, const Dataset& data,
                             const FitOptions& options) {
  DatasetRows rows(data);
  return fit_second_order(calibrator, rows, options);
}

}  // namespace credence
