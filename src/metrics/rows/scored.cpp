#include "metrics/rows/scored.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/kernels.hpp"
#include "metrics/rows/checks.hpp"

namespace credence::metrics {
namespace {

constexpr double kSmallest = std::numeric_limits<double>::min();
/// Logarithms are taken this many at a time.
constexpr std::size_t kLogLanes = 8;

}  // namespace

Scored::Scored(const Votes& the_votes, MetricOptions the_options, std::uint64_t the_first)
    : votes(&the_votes),
      options(the_options),
      first_row(the_first),
      classes(the_votes.classes()),
      bins(the_options.bins),
      keep_cells_(the_options.keep_rows && the_votes.rows() <= kMostCells / classes &&
                  bins.count() <= std::numeric_limits<std::uint16_t>::max()),
      bin_block_(bins.count()),
      class_block_(classes * bins.count()),
      gap_(classes),
      log_p_((classes + kLogLanes - 1) / kLogLanes * kLogLanes, 1.0) {
  const std::size_t n = the_votes.rows();
  options.list_rows = options.list_rows || options.keep_rows;
  summary.options = options;
  summary.classes = classes;
  summary.first_row = summary.end_row = first_row;
  summary.votes_are_counts = !the_votes.are_shares();
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

void Scored::add(Rows probabilities, Rows certainties) {
  check_shape(probabilities, rows(), *votes);
  const bool certain = certainties.rows() != 0;
  if (rows() == 0) summary.has_certainties = certain;
  check_certainties(certainties, probabilities.rows(), summary.has_certainties);
  for (std::size_t i = 0; i < probabilities.rows(); ++i) {
    check_row(probabilities.row(i), first_row + rows());
    add_row(probabilities.row(i), certain ? certainties.row(i) : std::span<const double>());
  }
}

void Scored::add_row(std::span<const double> p, std::span<const double> certainty) {
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
    class_block_[cell].variance += share * (1.0 - share);
    class_block_[cell].certain += share >= 1.0 ? 1.0 : 0.0;
    vote_cell.push_back(static_cast<std::uint32_t>(cell));
    if (c != std::floor(c)) summary.votes_are_counts = false;
  }
  rest_until(p.size());
  // Where p is 0, so is p log p, whatever the logarithm.
  for (std::size_t k = 0; k < p.size(); ++k) log_p_[k] = std::max(p[k], kSmallest);
  core::kernels().f64.log_positive(log_p_.data(), log_p_.size());
  for (std::size_t k = 0; k < p.size(); ++k) {
    const std::size_t bin = bins.index(p[k]), cell = k * bins.count() + bin;
    ClassTotals& of_class = class_block_.with_row(cell);
    of_class.probability += p[k];
    of_class.gap += gap_[k];
    of_model.entropy -= p[k] * log_p_[k];
    if (keep_cells_) {
      cell_gap.push_back(static_cast<float>(gap_[k]));
      cell_bin.push_back(static_cast<std::uint16_t>(bin));
    }
  }

  if (!certainty.empty()) {
    of_model.inverse_concentration = 1.0 / certainty[0];
    of_model.disagreement = certainty[1];
  }
  const ScoredVotes row_votes{row.classes, row.weights, at_p_, m};
  const RowScore score = score_row(of_model, row_votes, scratch_);
  predicted.push_back(of_model.predicted);
  confidence.push_back(of_model.confidence);
  agreement.push_back(at(score, Statistic::agreement));
  hit.push_back(at(score, Statistic::hit) > 0.0 ? 1 : 0);
  entropy.push_back(at(score, Statistic::entropy));
  for (std::size_t s = 0; s < kScalars; ++s) {
    if (std::isfinite(score[s])) scalars_[s].add(score[s]);
  }
  if (!std::isfinite(at(score, Statistic::nll))) scalars_[kScalars].add(1.0);
  if (!certainty.empty() && options.list_rows && at(score, Statistic::repeated) > 0.0) {
    summary.predicted_disagreement.push_back(of_model.disagreement);
    summary.observed_disagreement.push_back(at(score, Statistic::ceiling));
  }
  keep_row(of_model, score, p, row_votes);
  if (rows() == block_first_ + kBlockRows) close_block();
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

void Scored::close_block() {
  const std::size_t count = rows() - block_first_;
  if (count == 0) return;
  const std::uint64_t block = (first_row + block_first_) / kBlockRows;
  std::array<double, kScalarSums> sums;
  for (std::size_t s = 0; s < sums.size(); ++s) sums[s] = std::exchange(scalars_[s], {}).value();
  summary.scalars.push(block, sums);
  const TopRows all{first_row, confidence, agreement, hit};
  summary.bins.push({block, 0, bin_totals(all.part(block_first_, count), bins, bin_block_)});
  summary.cells.push({block, 0, class_block_.take()});
  block_first_ = rows();
  summary.end_row = first_row + rows();
}

void Scored::finish() {
  close_block();
  std::vector<std::pair<std::uint32_t, double>> top, voted;
  top.reserve(rows());
  for (std::size_t i = 0, entry = 0; i < rows(); ++i) {
    top.emplace_back(static_cast<std::uint32_t>(bins.index(confidence[i])), agreement[i]);
    for (const double c : votes->row(i).weights) {
      const double share = c / votes->total(i);
      if (share < 1.0) voted.emplace_back(vote_cell[entry], share);
      ++entry;
    }
  }
  summary.bin_chances = pool(top);
  summary.cell_chances = pool(voted);
  if (options.draws > 0) {
    summary.bin_hits = draw_top({first_row, confidence, agreement, hit}, bins, options);
    summary.cell_hits = draw_classes(*this);
  }
  if (!options.list_rows) return;
  summary.confidence = confidence;
  summary.agreement = agreement;
  summary.entropy = entropy;
}

void Scored::keep(const MassBins& mass) {
  mass_bin = mass.of_row;
  mass_bins = mass.count;
  by_confidence = mass.by_confidence;
}

}  // namespace credence::metrics
