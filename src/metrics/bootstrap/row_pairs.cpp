#include "metrics/bootstrap/row_pairs.hpp"

namespace credence::metrics {
namespace {

/// Pairs of a row besides those of the classes.
constexpr std::size_t kPairs = kStatistics - 2;
constexpr std::size_t kPairBytes = sizeof(std::uint32_t) + sizeof(float);

/// The pairs of the statistics of the classes of row i.
void add_classes(const Scored& s, const Layout& layout, std::size_t i, RowPairs& out) {
  if (layout.cells(Statistic::class_gap) == 0) return;
  const std::size_t gaps = layout.first(Statistic::class_gap), bins = s.bins.count();
  const std::size_t variances = layout.first(Statistic::class_variance);
  for (std::size_t k = 0; k < s.classes; ++k) {
    const std::size_t j = (i - s.kept_from) * s.classes + k;
    out.add(gaps + k * bins + s.cell_bin[j], static_cast<double>(s.cell_gap[j]));
  }
  const std::size_t* const vote_first = s.vote_first.data() + (i - s.kept_from);
  for (std::size_t j = vote_first[0]; j < vote_first[1]; ++j) {
    const double share = s.vote_share[j - s.vote_first.front()];
    if (share < 1.0) out.add(variances + s.vote_cell[j], share * (1.0 - share));
  }
}

}  // namespace

std::size_t pair_bytes(const Scored& s) {
  const std::size_t pairs =
      s.rows() * kPairs + s.cell_bin.size() + (s.has_cells() ? s.vote_share.size() : 0);
  return pairs * kPairBytes;
}

void add_pairs(const Layout& layout, const RowScore& score, double confidence, std::size_t bin,
               std::size_t mass_bin, RowPairs& out) {
  for (std::size_t i = 0; i < kScalars; ++i) out.add(i, score[i]);
  const double r = at(score, Statistic::agreement), gap = confidence - r;
  out.add(layout.first(Statistic::bin_count) + bin, 1.0);
  out.add(layout.first(Statistic::bin_gap) + bin, gap);
  out.add(layout.first(Statistic::bin_gap_square) + bin, gap * gap);
  out.add(layout.first(Statistic::bin_variance) + bin, r * (1.0 - r));
  out.add(layout.first(Statistic::bin_voted_gap) + bin, confidence - at(score, Statistic::hit));
  out.add(layout.first(Statistic::mass_gap) + mass_bin, gap);
  out.add(layout.first(Statistic::mass_variance) + mass_bin, r * (1.0 - r));
}

RowPairs row_pairs(const Scored& s, const Layout& layout) {
  RowPairs out;
  out.reserve(s.rows(), pair_bytes(s) / kPairBytes);
  RowScore score;
  for (std::size_t i = 0; i < s.rows(); ++i) {
    for (std::size_t k = 0; k < kScalars; ++k) score[k] = s.scalar(static_cast<Statistic>(k), i);
    add_pairs(layout, score, s.confidence[i], s.bins.index(s.confidence[i]), s.mass_bin[i], out);
    add_classes(s, layout, i, out);
    out.end_row();
  }
  return out;
}

RowPairs class_pairs(const Scored& s, const Layout& layout, std::size_t first) {
  RowPairs out;
  out.reserve(s.rows() - first, s.cell_bin.size() + (s.has_cells() ? s.vote_share.size() : 0));
  for (std::size_t i = first; i < s.rows(); ++i) {
    add_classes(s, layout, i, out);
    out.end_row();
  }
  return out;
}

}  // namespace credence::metrics
