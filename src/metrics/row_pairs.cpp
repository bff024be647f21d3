#include "metrics/row_pairs.hpp"

namespace credence::metrics {
namespace {

/// Pairs of a row besides those of the classes.
constexpr std::size_t kPairs = kStatistics - 2;

/// The pairs of the statistics of the bins; r is the agreement.
void add_bins(const Layout& layout, double r, double hit, double confidence, std::size_t bin,
              std::size_t mass_bin, RowPairs& out) {
  const double gap = confidence - r;
  out.add(layout.first(Statistic::bin_count) + bin, 1.0);
  out.add(layout.first(Statistic::bin_gap) + bin, gap);
  out.add(layout.first(Statistic::bin_gap_square) + bin, gap * gap);
  out.add(layout.first(Statistic::bin_variance) + bin, r * (1.0 - r));
  out.add(layout.first(Statistic::bin_voted_gap) + bin, confidence - hit);
  out.add(layout.first(Statistic::mass_gap) + mass_bin, gap);
  out.add(layout.first(Statistic::mass_variance) + mass_bin, r * (1.0 - r));
}

}  // namespace

std::size_t pair_bytes(const Scored& s) {
  const std::size_t pairs =
      s.rows() * kPairs + s.cell_bin.size() + (s.has_cells() ? s.vote_share.size() : 0);
  return pairs * (sizeof(std::uint32_t) + sizeof(float));
}

void add_pairs(const Layout& layout, const RowScore& score, double confidence, std::size_t bin,
               std::size_t mass_bin, RowPairs& out) {
  for (std::size_t i = 0; i < kScalars; ++i) out.add(i, score[i]);
  add_bins(layout, at(score, Statistic::agreement), at(score, Statistic::hit), confidence, bin,
           mass_bin, out);
}

RowPairs row_pairs(const Scored& s, const Layout& layout, const Omitted& omitted) {
  RowPairs out;
  const bool with_classes = layout.cells(Statistic::class_gap) > 0;
  const std::size_t expected = pair_bytes(s) / (sizeof(std::uint32_t) + sizeof(float));
  out.first.reserve(s.rows() + 1);
  out.slot.reserve(expected);
  out.value.reserve(expected);
  const std::size_t gaps = layout.first(Statistic::class_gap), bins = s.bins.count();
  const std::size_t variances = layout.first(Statistic::class_variance);
  for (std::size_t i = 0; i < s.rows(); ++i) {
    for (std::size_t k = 0; k < kScalars; ++k) {
      if (!omitted[k]) out.add(k, s.scalar(static_cast<Statistic>(k), i));
    }
    add_bins(layout, s.agreement[i], s.scalar(Statistic::hit, i), s.confidence[i],
             s.bins.index(s.confidence[i]), s.mass_bin[i], out);
    if (with_classes) {
      for (std::size_t k = 0; k < s.classes; ++k) {
        const std::size_t j = i * s.classes + k;
        out.add(gaps + k * bins + s.cell_bin[j], static_cast<double>(s.cell_gap[j]));
      }
      for (std::size_t j = s.vote_first[i]; j < s.vote_first[i + 1]; ++j) {
        const double share = s.vote_share[j];
        if (share < 1.0) out.add(variances + s.vote_cell[j], share * (1.0 - share));
      }
    }
    out.end_row();
  }
  return out;
}

}  // namespace credence::metrics
