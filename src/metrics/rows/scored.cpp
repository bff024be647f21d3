#include "metrics/rows/scored.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "metrics/rows/checks.hpp"
#include "metrics/sums/replicate_sums.hpp"

namespace credence::metrics {
namespace {

/// Probabilities that are worked on together, so that they stay in a near cache.
constexpr std::size_t kTogether = 4096;

/// Statistics before this one have columns of their own; examples() gives this one and the next.
constexpr auto kFirstKept = static_cast<std::size_t>(Statistic::nll);
static_assert(static_cast<std::size_t>(Statistic::brier) == kFirstKept + 1);

/// Whether the cells of the classes are kept for resampling.
bool keeps_cells(const MetricOptions& options, const Votes& votes) {
  if (options.bins > std::numeric_limits<std::uint16_t>::max()) return false;
  if (options.resampling.resamples > 0) return resamples_classes(options, votes.classes());
  return options.keep_rows && votes.rows() <= kMostCells / votes.classes();
}

}  // namespace

Scored::Scored(const Votes& the_votes, MetricOptions the_options, std::uint64_t the_first,
               std::size_t the_votes_from, std::size_t the_rows)
    : votes(&the_votes),
      options(the_options),
      first_row(the_first),
      votes_from(the_votes_from),
      classes(the_votes.classes()),
      bins(the_options.bins),
      keep_rows_(the_options.keep_rows || the_options.resampling.resamples > 0),
      keep_cells_(keeps_cells(the_options, the_votes)),
      kept_columns_(keep_rows_                  ? kScalars
                    : the_options.keep_examples ? kFirstKept + 2
                                                : kFirstKept),
      keep_vote_cells_(keep_rows_ || the_options.draws > 0),
      bin_block_(bins.count()),
      class_block_(classes * bins.count()),
      bin_chances_(bins.count()),
      cell_chances_(classes * bins.count()) {
  options.list_rows = options.list_rows || options.keep_rows || options.keep_examples;
  summary.options = options;
  summary.classes = classes;
  summary.first_row = summary.end_row = first_row;
  const auto offsets = votes->offsets().subspan(votes_from);
  predicted.reserve(the_rows);
  confidence.reserve(the_rows);
  agreement.reserve(the_rows);
  hit.reserve(the_rows);
  entropy.reserve(the_rows);
  if (keep_vote_cells_) vote_cell.reserve(offsets[the_rows] - offsets[0]);
  const std::size_t kept =
      options.keep_rows || options.keep_examples ? the_rows : std::min(the_rows, kBlockRows);
  for (std::size_t s = kFirstKept; s < kept_columns_; ++s) columns[s].reserve(kept);
  if (keep_rows_) {
    vote_share.reserve(offsets[kept] - offsets[0]);
    vote_first.reserve(kept + 1);
    vote_first.push_back(0);
  }
  if (keep_cells_) {
    cell_gap.reserve(kept * classes);
    cell_bin.reserve(kept * classes);
  }
}

void Scored::add(Rows probabilities, Rows certainties) {
  check_shape(probabilities, votes_from + rows(), *votes);
  if (rows() == 0) summary.has_certainties = certainties.rows() != 0;
  check_certainties(certainties, probabilities.rows(), summary.has_certainties);
  const std::size_t most = std::max<std::size_t>(kTogether / classes, 1);
  for (std::size_t done = 0; done < probabilities.rows();) {
    const std::size_t left = block_first_ + kBlockRows - rows();
    const std::size_t count = std::min({most, left, probabilities.rows() - done});
    add_rows(probabilities.block(done, count),
             summary.has_certainties ? certainties.block(done, count) : certainties);
    done += count;
    if (count == left) close_block();
  }
}

void Scored::UnderWay::prepare(Rows p, const core::UnitBins& bins) {
  log_p.assign(p.data(), p.data() + p.size());
  gap = rest = log_p;
  take_logs(log_p);
  cell.resize(p.size());
  number.resize(p.cols());
  shares.resize(p.cols());
  at_p.resize(p.cols());
  at_log_p.resize(p.cols());
  for (std::size_t i = 0, j = 0; i < p.rows(); ++i) {
    for (std::size_t k = 0; k < p.cols(); ++k, ++j) {
      cell[j] = static_cast<std::uint32_t>(k * bins.count() + bins.index(gap[j]));
    }
  }
}

void Scored::add_rows(Rows probabilities, Rows certainties) {
  const std::size_t count = probabilities.rows();
  for (std::size_t i = 0; i < count; ++i) check_row(probabilities.row(i), first_row + rows() + i);
  UnderWay& now = under_way_;
  now.prepare(probabilities, bins);
  now.first_row = rows();
  for (std::size_t i = 0; i < count; ++i) {
    score(now.first_row + i, probabilities.row(i),
          summary.has_certainties ? certainties.row(i) : std::span<const double>());
  }
}

/// What the metrics need of the probabilities of a row; `rest` are those of classes without votes,
/// 0 elsewhere, and `all_voted` says that there are none.
ModelRow Scored::model_row(std::span<const double> p, const double* log_p, const double* rest,
                           bool all_voted) {
  double most = p[0], entropy_of_p = 0.0, sum = 0.0, square = 0.0, rest_most = 0.0;
  std::size_t top = 0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    // Ties go to the lowest index, as they do for votes.
    top = p[k] > most ? k : top;
    most = std::max(most, p[k]);
    // Where p is 0, so is p log p, whatever the logarithm.
    entropy_of_p -= p[k] * log_p[k];
    sum += rest[k];
    square += rest[k] * rest[k];
    rest_most = std::max(rest_most, rest[k]);
  }
  return {.confidence = most,
          .predicted = static_cast<std::uint32_t>(top),
          .entropy = entropy_of_p,
          .rest_sum = sum,
          .rest_square = square,
          .rest_most = all_voted ? -1.0 : rest_most,
          .inverse_concentration = -1.0,
          .disagreement = 0.0};
}

void Scored::score(std::size_t i, std::span<const double> p, std::span<const double> certainty) {
  UnderWay& now = under_way_;
  const VoteRow row = vote_row(i);
  const std::size_t here = (i - now.first_row) * classes, entries = row.classes.size();
  const std::uint32_t* const cell = now.cell.data() + here;
  double* const gap = now.gap.data() + here;
  double* const rest = now.rest.data() + here;
  const double* const log_p = now.log_p.data() + here;
  double *const shares = now.shares.data(), *const at_p = now.at_p.data();
  double* const at_log_p = now.at_log_p.data();
  const double m = vote_total(i);
  std::int64_t steps = 0;
  bool looked_up = true;
  std::uint32_t* const number = now.number.data();
  const std::size_t before = vote_cell.size();
  if (keep_vote_cells_) vote_cell.resize(before + entries);
  for (std::size_t v = 0; v < entries; ++v) {
    const std::size_t k = row.classes[v];
    const double c = row.weights[v];
    const Share known = share_table_.of(c, m);
    const double share = known.share;
    if (!known.looked_up) summary.votes_are_counts &= c == std::floor(c);
    looked_up &= known.looked_up;
    steps += known.entropy_steps;
    number[v] = known.number;
    shares[v] = share;
    at_p[v] = p[k];
    at_log_p[v] = log_p[k];
    rest[k] = 0.0;
    gap[k] -= share;
    ClassTotals& of_class = class_block_[cell[k]];
    of_class.variance += known.variance;
    of_class.certain += share >= 1.0 ? 1.0 : 0.0;
    if (keep_vote_cells_) vote_cell[before + v] = cell[k];
    if (share < 1.0) cell_chances_.add(cell[k], share, known.number);
  }
  for (std::size_t k = 0; k < p.size(); ++k) {
    ClassTotals& of_class = class_block_.with_row(cell[k]);
    of_class.probability += p[k];
    of_class.gap += gap[k];
  }
  if (!looked_up) steps = share_table_.entropy_steps_of({shares, entries});
  ModelRow of_model = model_row(p, log_p, rest, entries == p.size());
  if (!certainty.empty()) {
    of_model.inverse_concentration = 1.0 / certainty[0];
    of_model.disagreement = certainty[1];
  }

  const ScoredVotes row_votes{row.classes,         row.weights, {shares, entries}, {at_p, entries},
                              {at_log_p, entries}, m,           entropy_of(steps)};
  std::uint32_t top_number = ShareTable::kOfNothing;
  for (std::size_t v = 0; v < entries; ++v) {
    top_number = row.classes[v] == of_model.predicted ? number[v] : top_number;
  }
  const RowScore scored = score_row(of_model, row_votes);
  const double agreed = at(scored, Statistic::agreement);
  predicted.push_back(of_model.predicted);
  confidence.push_back(of_model.confidence);
  agreement.push_back(agreed);
  hit.push_back(at(scored, Statistic::hit) > 0.0 ? 1 : 0);
  entropy.push_back(row_votes.entropy);
  bin_chances_.add(
      static_cast<std::uint32_t>(cell[of_model.predicted] - of_model.predicted * bins.count()),
      agreed, top_number);
  // Where nll is infinite, so is what follows from it; both are sums over the other rows.
  std::array<double, kScalarSums> terms;
  for (std::size_t s = 0; s < kScalars; ++s) terms[s] = std::isfinite(scored[s]) ? scored[s] : 0.0;
  terms[kScalars] = std::isfinite(at(scored, Statistic::nll)) ? 0.0 : 1.0;
  scalars_.add(terms);
  if (!certainty.empty() && options.list_rows && at(scored, Statistic::repeated) > 0.0) {
    summary.predicted_disagreement.push_back(of_model.disagreement);
    summary.observed_disagreement.push_back(at(scored, Statistic::ceiling));
  }
  if (keep_rows_ || options.keep_examples || options.keep_votes)
    keep_row(of_model, scored, row_votes);
}

void Scored::keep_row(const ModelRow& of_model, const RowScore& score,
                      const ScoredVotes& row_votes) {
  for (std::size_t s = kFirstKept; s < kept_columns_; ++s) columns[s].push_back(score[s]);
  if (keep_rows_) {
    vote_share.insert(vote_share.end(), row_votes.shares.begin(), row_votes.shares.end());
    vote_first.push_back(vote_cell.size());
  }
  if (keep_cells_) {
    const std::size_t here = (rows() - 1 - under_way_.first_row) * classes;
    for (std::size_t k = 0; k < classes; ++k) {
      cell_gap.push_back(static_cast<float>(under_way_.gap[here + k]));
      cell_bin.push_back(static_cast<std::uint16_t>(under_way_.cell[here + k] - k * bins.count()));
    }
  }
  if (options.keep_votes) {
    model.push_back(of_model);
    vote_p.insert(vote_p.end(), row_votes.p.begin(), row_votes.p.end());
    vote_log_p.insert(vote_log_p.end(), row_votes.log_p.begin(), row_votes.log_p.end());
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
      return columns[static_cast<std::size_t>(s)][row - kept_from];
  }
}

void Scored::close_block() {
  const std::size_t count = rows() - block_first_;
  if (count == 0) return;
  const std::uint64_t block = (first_row + block_first_) / kBlockRows;
  summary.scalars.push(block, scalars_.take());
  const TopRows all{first_row, confidence, agreement, hit};
  summary.bins.push({block, 0, bin_totals(all.part(block_first_, count), bins, bin_block_)});
  summary.cells.push({block, 0, class_block_.take()});
  if (block_done) {
    block_done(block_first_);
    forget_rows();
  }
  block_first_ = rows();
  summary.end_row = first_row + rows();
}

void Scored::forget_rows() {
  kept_from = rows();
  for (auto& column : columns) column.clear();
  cell_gap.clear();
  cell_bin.clear();
  vote_first.assign(1, vote_cell.size());
  vote_share.clear();
}

void Scored::finish() {
  if (std::exchange(finished_, true)) return;
  close_block();
  summary.bin_chances = bin_chances_.take();
  summary.cell_chances = cell_chances_.take();
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
}

}  // namespace credence::metrics
