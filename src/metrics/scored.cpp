#include "metrics/scored.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/kernels.hpp"
#include "metrics/equal_mass.hpp"

namespace credence::metrics {
namespace {

constexpr double kSmallest = std::numeric_limits<double>::min();
/// Logarithms are taken this many at a time.
constexpr std::size_t kLogLanes = 8;

}  // namespace

Scored::Scored(const Votes& the_votes, MetricOptions the_options)
    : votes(&the_votes),
      options(the_options),
      classes(the_votes.classes()),
      bins(the_options.bins),
      class_total(classes * bins.count(), 0.0),
      class_gap(class_total),
      class_variance(class_total),
      votes_are_counts(!the_votes.are_shares()),
      keep_cells_(the_options.keep_rows && the_votes.rows() <= kMostCells / classes &&
                  bins.count() <= std::numeric_limits<std::uint16_t>::max()),
      gap_(classes),
      log_p_((classes + kLogLanes - 1) / kLogLanes * kLogLanes, 1.0) {
  const std::size_t n = the_votes.rows();
  predicted.reserve(n);
  confidence.reserve(n);
  agreement.reserve(n);
  hit.reserve(n);
  entropy.reserve(n);
  vote_cell.reserve(the_votes.entries());
  if (options.keep_rows) vote_first.push_back(0);
  if (keep_cells_) {
    cell_gap.reserve(n * classes);
    cell_bin.reserve(n * classes);
  }
}

void Scored::add_row(std::span<const double> p) {
  const std::size_t i = rows();
  const VoteRow row = votes->row(i);
  const double m = votes->total(i);

  ModelRow of_model;
  // Ties go to the lowest index, as they do for votes.
  of_model.predicted = static_cast<std::uint32_t>(std::max_element(p.begin(), p.end()) - p.begin());
  of_model.confidence = p[of_model.predicted];

  std::copy(p.begin(), p.end(), gap_.begin());
  at_p_.clear();
  std::size_t next = 0;  // the first class that may belong to the rest
  const auto rest_until = [&](std::size_t end) {
    for (; next < end; ++next) {
      of_model.rest_sum += p[next];
      of_model.rest_square += p[next] * p[next];
      of_model.rest_most = std::max(of_model.rest_most, p[next]);
    }
    ++next;
  };
  for (std::size_t v = 0; v < row.classes.size(); ++v) {
    const std::size_t k = row.classes[v];
    const double c = row.weights[v], share = c / m;
    rest_until(k);
    at_p_.push_back(p[k]);
    gap_[k] -= share;
    const std::size_t cell = k * bins.count() + bins.index(p[k]);
    class_variance[cell] += share * (1.0 - share);
    vote_cell.push_back(static_cast<std::uint32_t>(cell));
    if (c != std::floor(c)) votes_are_counts = false;
  }
  rest_until(p.size());
  // Where p is 0, so is p log p, whatever the logarithm.
  for (std::size_t k = 0; k < p.size(); ++k) log_p_[k] = std::max(p[k], kSmallest);
  core::kernels().f64.log_positive(log_p_.data(), log_p_.size());
  for (std::size_t k = 0; k < p.size(); ++k) {
    const std::size_t bin = bins.index(p[k]), cell = k * bins.count() + bin;
    class_total[cell] += p[k];
    class_gap[cell] += gap_[k];
    of_model.entropy -= p[k] * log_p_[k];
    if (keep_cells_) {
      cell_gap.push_back(static_cast<float>(gap_[k]));
      cell_bin.push_back(static_cast<std::uint16_t>(bin));
    }
  }

  const ScoredVotes row_votes{row.classes, row.weights, at_p_, m};
  const RowScore score = score_row(of_model, row_votes, scratch_);
  predicted.push_back(of_model.predicted);
  confidence.push_back(of_model.confidence);
  agreement.push_back(at(score, Statistic::agreement));
  hit.push_back(at(score, Statistic::hit) > 0.0 ? 1 : 0);
  entropy.push_back(at(score, Statistic::entropy));
  for (std::size_t s = 0; s < kScalars; ++s) {
    if (std::isfinite(score[s])) totals[s].add(score[s]);
  }
  if (!std::isfinite(at(score, Statistic::nll))) ++infinite_nll_rows;
  keep_row(of_model, score, p, row_votes);
}

void Scored::keep_row(const ModelRow& of_model, const RowScore& score, std::span<const double>,
                      const ScoredVotes& row_votes) {
  if (options.keep_rows) {
    for (std::size_t s = static_cast<std::size_t>(Statistic::nll); s < kScalars; ++s) {
      columns[s].push_back(score[s]);
    }
    for (const double c : row_votes.weights) vote_share.push_back(c / row_votes.total);
    vote_first.push_back(vote_cell.size());
  }
  if (options.keep_votes) {
    model.push_back(of_model);
    vote_p.insert(vote_p.end(), row_votes.p.begin(), row_votes.p.end());
  }
}

double Scored::scalar(Statistic s, std::size_t row) const {
  switch (s) {
    case Statistic::count:
      return 1.0;
    case Statistic::hit:
      return static_cast<double>(hit[row]);
    case Statistic::agreement:
      return agreement[row];
    case Statistic::entropy:
      return entropy[row];
    default:
      return columns[static_cast<std::size_t>(s)][row];
  }
}

void Scored::finish() {
  std::vector<std::pair<double, double>> sorted(rows());  // confidence and row
  for (std::size_t i = 0; i < rows(); ++i) sorted[i] = {confidence[i], static_cast<double>(i)};
  std::sort(sorted.begin(), sorted.end());
  if (options.keep_rows) {
    for (const auto& pair : sorted)
      by_confidence.push_back(static_cast<std::uint32_t>(pair.second));
  }
  mass_bin.resize(rows());
  const std::vector<MassBin> found = equal_mass_bins(sorted, options.bins);
  mass_bins = found.size();
  for (std::size_t b = 0; b < found.size(); ++b) {
    for (std::size_t i = found[b].first; i < found[b].last; ++i) {
      mass_bin[static_cast<std::size_t>(sorted[i].second)] = static_cast<std::uint32_t>(b);
    }
  }
}

Sums point_sums(const Scored& s) {
  Sums sums(s.layout(true));
  for (std::size_t i = 0; i < kScalars; ++i) {
    sums.at(static_cast<Statistic>(i)) = s.totals[i].value();
  }
  const auto fill = [&](Statistic statistic, const auto& term) {
    const std::vector<double> found = core::bin_sums(s.bins, s.confidence, term);
    std::copy(found.begin(), found.end(), sums.of(statistic).begin());
  };
  const auto gap = [&](std::size_t i) { return s.confidence[i] - s.agreement[i]; };
  const auto variance = [&](std::size_t i) { return s.agreement[i] * (1.0 - s.agreement[i]); };
  fill(Statistic::bin_count, [](std::size_t) { return 1.0; });
  fill(Statistic::bin_gap, gap);
  fill(Statistic::bin_gap_square, [&](std::size_t i) { return gap(i) * gap(i); });
  fill(Statistic::bin_variance, variance);
  fill(Statistic::bin_voted_gap,
       [&](std::size_t i) { return s.confidence[i] - static_cast<double>(s.hit[i]); });

  std::vector<Sum> gaps(s.mass_bins), variances(s.mass_bins);
  for (std::size_t i = 0; i < s.rows(); ++i) {
    gaps[s.mass_bin[i]].add(gap(i));
    variances[s.mass_bin[i]].add(variance(i));
  }
  for (std::size_t b = 0; b < s.mass_bins; ++b) {
    sums.at(Statistic::mass_gap, b) = gaps[b].value();
    sums.at(Statistic::mass_variance, b) = variances[b].value();
  }
  std::copy(s.class_gap.begin(), s.class_gap.end(), sums.of(Statistic::class_gap).begin());
  std::copy(s.class_variance.begin(), s.class_variance.end(),
            sums.of(Statistic::class_variance).begin());
  return sums;
}

}  // namespace credence::metrics
