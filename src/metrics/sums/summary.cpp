#include "metrics/sums/summary.hpp"

#include <tuple>
#include <utility>

namespace credence::metrics {
namespace {

void append_to(std::vector<double>& left, const std::vector<double>& right) {
  left.insert(left.end(), right.begin(), right.end());
}

auto protocol(const Summary& s) {
  const MetricOptions& o = s.options;
  return std::tuple(s.classes, o.bins, o.entropy_bins, o.draws, o.seed, o.list_rows,
                    s.has_certainties, o.resampling.resamples, o.resampling.seed,
                    o.resampling.rows);
}

}  // namespace

bool Summary::like(const Summary& other) const { return protocol(*this) == protocol(other); }

bool Summary::operator==(const Summary& other) const {
  return like(other) && first_row == other.first_row && end_row == other.end_row &&
         votes_are_counts == other.votes_are_counts && scalars == other.scalars &&
         bins == other.bins && cells == other.cells && bin_chances == other.bin_chances &&
         cell_chances == other.cell_chances && bin_hits == other.bin_hits &&
         cell_hits == other.cell_hits && confidence == other.confidence &&
         agreement == other.agreement && entropy == other.entropy &&
         predicted_disagreement == other.predicted_disagreement &&
         observed_disagreement == other.observed_disagreement && replicates == other.replicates;
}

void Summary::append(Summary right) {
  const auto draws = static_cast<std::size_t>(options.draws);
  end_row = right.end_row;
  votes_are_counts = votes_are_counts && right.votes_are_counts;
  scalars.merge(std::move(right.scalars));
  bins.merge(std::move(right.bins));
  cells.merge(std::move(right.cells));
  bin_chances = merged(bin_chances, right.bin_chances);
  cell_chances = merged(cell_chances, right.cell_chances);
  add_hits(right.bin_hits, draws, bin_hits);
  add_hits(right.cell_hits, draws, cell_hits);
  append_to(confidence, right.confidence);
  append_to(agreement, right.agreement);
  append_to(entropy, right.entropy);
  append_to(predicted_disagreement, right.predicted_disagreement);
  append_to(observed_disagreement, right.observed_disagreement);
  replicates.add(right.replicates);
}

}  // namespace credence::metrics
