#include "metrics/bootstrap/redraw_votes.hpp"

#include "core/random.hpp"
#include "metrics/rows/share_table.hpp"

namespace credence::metrics {
namespace {

constexpr std::uint64_t kAnnotatorStream = 0x616e6e6f7461746fULL;

/// As many votes as `row` holds, drawn with replacement from them.
void redraw(VoteRow row, double total, std::uint64_t key, std::vector<double>& drawn) {
  drawn.assign(row.weights.size(), 0.0);
  if (drawn.size() == 1) {
    drawn[0] = total;
    return;
  }
  const auto votes = static_cast<std::uint64_t>(total);
  for (std::uint64_t d = 0; d < votes; ++d) {
    double place = static_cast<double>(core::mix64(key ^ d) >> 11) * 0x1.0p-53 * total;
    std::size_t v = 0;
    while (v + 1 < drawn.size() && place >= row.weights[v]) place -= row.weights[v++];
    drawn[v] += 1.0;
  }
}

/// What row i adds to the sums of a subject when its votes are `drawn`.
class RowAdder {
 public:
  void add(const ResampleSubject& subject, std::size_t i, VoteRow row, double total,
           std::span<const double> drawn, std::vector<double>& slots) {
    const Scored& s = subject.scored();
    const std::size_t first = s.vote_first[i], count = row.classes.size();
    shares_.resize(count);
    std::int64_t steps = 0;
    bool looked_up = true;
    for (std::size_t v = 0; v < count; ++v) {
      const Share share = table_.of(drawn[v], total);
      shares_[v] = share.share;
      steps += share.entropy_steps;
      looked_up &= share.looked_up;
    }
    if (!looked_up) steps = table_.entropy_steps_of(shares_);
    const ScoredVotes votes{row.classes,
                            drawn,
                            shares_,
                            {s.vote_p.data() + first, count},
                            {s.vote_log_p.data() + first, count},
                            total,
                            entropy_of(steps)};
    pairs_.clear();
    add_pairs(subject.layout(), score_row(s.model[i], votes), s.confidence[i],
              s.bins.index(s.confidence[i]), s.mass_bin[i], pairs_);
    if (s.has_cells()) {
      const std::size_t gaps = subject.layout().first(Statistic::class_gap);
      const std::size_t variances = subject.layout().first(Statistic::class_variance);
      for (std::size_t k = 0; k < s.classes; ++k) {
        const std::size_t j = i * s.classes + k;
        pairs_.add(gaps + k * s.bins.count() + s.cell_bin[j], static_cast<double>(s.cell_gap[j]));
      }
      for (std::size_t v = 0; v < count; ++v) {
        const double share = shares_[v];
        pairs_.add(gaps + s.vote_cell[first + v], s.vote_share[first + v] - share);
        pairs_.add(variances + s.vote_cell[first + v], share * (1.0 - share));
      }
    }
    for (std::size_t j = 0; j < pairs_.slot.size(); ++j) {
      slots[pairs_.slot[j]] += static_cast<double>(pairs_.value[j]);
    }
  }

 private:
  RowPairs pairs_;
  ShareTable table_;
  std::vector<double> shares_;
};

}  // namespace

std::vector<std::vector<double>> redrawn_sums(std::span<const ResampleSubject> subjects,
                                              std::span<const std::uint8_t> weight,
                                              std::uint64_t seed, std::uint64_t resample) {
  std::vector<std::vector<double>> sums;
  for (const ResampleSubject& subject : subjects) sums.emplace_back(subject.layout().slots(), 0.0);
  const Votes& votes = *subjects.front().scored().own_votes;
  const std::uint64_t of_resample = core::mix64(core::mix64(seed ^ kAnnotatorStream) ^ resample);
  std::vector<double> drawn;
  RowAdder adder;
  for (std::size_t i = 0; i < weight.size(); ++i) {
    const VoteRow row = votes.row(i);
    for (std::uint64_t copy = 0; copy < weight[i]; ++copy) {
      redraw(row, votes.total(i), core::mix64(core::mix64(of_resample ^ i) ^ copy), drawn);
      for (std::size_t e = 0; e < subjects.size(); ++e) {
        adder.add(subjects[e], i, row, votes.total(i), drawn, sums[e]);
      }
    }
  }
  return sums;
}

}  // namespace credence::metrics
