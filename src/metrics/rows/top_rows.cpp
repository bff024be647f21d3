#include "metrics/rows/top_rows.hpp"

namespace credence::metrics {

CellSums<BinTotals> bin_totals(const TopRows& rows, const core::UnitBins& bins,
                               CellBlock<BinTotals>& cells) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double confidence = rows.confidence[i], r = rows.agreement[i], gap = confidence - r;
    const auto hit = static_cast<double>(rows.hit[i]);
    BinTotals& bin = cells.with_row(bins.index(confidence));
    bin.confidence += confidence;
    bin.agreement += r;
    bin.hit += hit;
    bin.certain += r >= 1.0 ? 1.0 : 0.0;
    bin.gap += gap;
    bin.gap_square += gap * gap;
    bin.voted_gap += confidence - hit;
    bin.variance += r * (1.0 - r);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    BinTotals& bin = cells[bins.index(rows.confidence[i])];
    const double off = rows.confidence[i] - rows.agreement[i] - bin.gap / bin.count;
    bin.spread += off * off;
  }
  return cells.take();
}

BinTree bin_tree(const TopRows& rows, const core::UnitBins& bins) {
  BinTree tree;
  CellBlock<BinTotals> cells(bins.count());
  for (std::size_t first = 0; first < rows.size(); first += kBlockRows) {
    const TopRows block = rows.part(first, std::min(kBlockRows, rows.size() - first));
    tree.push({block.first_row / kBlockRows, 0, bin_totals(block, bins, cells)});
  }
  return tree;
}

}  // namespace credence::metrics
