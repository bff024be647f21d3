// The sums of an evaluation as bytes: docs/solver.md has the layout.
#include <cmath>
#include <limits>

#include "core/tree_bytes.hpp"
#include "credence/evaluation_sums.hpp"
#include "metrics/sums/summary.hpp"

namespace credence {
namespace {

using core::ByteReader;
using core::ByteWriter;
using metrics::CellSums;
using metrics::Chance;
using metrics::Chances;
using metrics::DrawHits;
using metrics::NumbersOf;
using metrics::Summary;

constexpr std::string_view kMark = "credence evaluation 3";

/// Cells come in ascending order, and below `end`.
class CellOrder {
 public:
  explicit CellOrder(std::uint64_t end) : end_(end) {}
  /// The next cell; with `again`, the last one may return.
  std::uint32_t read(ByteReader& in, bool again = false) {
    const std::uint64_t cell = in.u64();
    if (cell >= end_ || cell + (again ? 1 : 0) < next_) in.fail("holds cells out of order");
    next_ = cell + 1;
    return static_cast<std::uint32_t>(cell);
  }

 private:
  std::uint64_t end_, next_ = 0;
};

template <class Totals>
void write_cells(const CellSums<Totals>& sums, ByteWriter& out) {
  out.u64(sums.cells.size());
  for (std::size_t i = 0; i < sums.cells.size(); ++i) {
    out.u64(sums.cells[i]);
    for (const double number : std::bit_cast<NumbersOf<Totals>>(sums.totals[i])) out.f64(number);
  }
}
template <class Totals>
CellSums<Totals> read_cells(ByteReader& in, std::uint64_t end) {
  CellSums<Totals> sums;
  CellOrder order(end);
  for (std::uint64_t left = in.length(8 + sizeof(Totals)); left > 0; --left) {
    const std::uint32_t cell = order.read(in);
    NumbersOf<Totals> numbers;
    for (double& number : numbers) number = in.f64();
    const auto totals = std::bit_cast<Totals>(numbers);
    if (!(totals.count >= 1.0)) in.fail("holds a cell without rows");
    sums.push(cell, totals);
  }
  return sums;
}

void write_chances(const Chances& chances, ByteWriter& out) {
  out.u64(chances.size());
  for (const Chance& chance : chances) {
    out.u64(chance.cell);
    out.f64(chance.chance);
    out.u64(chance.count);
  }
}
/// All counts together are at most `most`, so that damaged ones claim no memory.
Chances read_chances(ByteReader& in, std::uint64_t end, std::uint64_t most) {
  Chances chances(in.length(24));
  CellOrder order(end);
  for (Chance& chance : chances) {
    chance.cell = order.read(in, true);
    chance.chance = in.f64();
    chance.count = in.u64();
    if (!(chance.chance >= 0.0 && chance.chance <= 1.0) || chance.count > most) {
      in.fail("holds a number out of range");
    }
    most -= chance.count;
  }
  return chances;
}

void write_hits(const DrawHits& hits, ByteWriter& out) {
  const std::size_t draws = hits.cells.empty() ? 0 : hits.hits.size() / hits.cells.size();
  out.u64(hits.cells.size());
  for (std::size_t i = 0; i < hits.cells.size(); ++i) {
    out.u64(hits.cells[i]);
    for (std::size_t s = 0; s < draws; ++s) out.u64(hits.hits[i * draws + s]);
  }
}
DrawHits read_hits(ByteReader& in, std::uint64_t end, std::size_t draws) {
  DrawHits hits;
  hits.cells.resize(in.length(8 * (1 + draws)));
  hits.hits.reserve(hits.cells.size() * draws);
  CellOrder order(end);
  for (std::uint32_t& cell : hits.cells) {
    cell = order.read(in);
    for (std::size_t s = 0; s < draws; ++s) hits.hits.push_back(in.u64());
  }
  return hits;
}

int read_int(ByteReader& in, int least, int most) {
  const std::uint64_t value = in.u64();
  if (value < static_cast<std::uint64_t>(least) || value > static_cast<std::uint64_t>(most)) {
    in.fail("holds a number out of range");
  }
  return static_cast<int>(value);
}

bool read_flag(ByteReader& in) {
  const std::uint8_t value = in.u8();
  if (value > 1) in.fail("holds a number out of range");
  return value == 1;
}

std::vector<double> read_list(ByteReader& in, std::uint64_t rows) {
  std::vector<double> numbers = in.numbers();
  if (numbers.size() != rows) in.fail("lists the wrong number of rows");
  return numbers;
}

/// What the trees cover must be the rows that the sums claim.
template <class Tree>
void check_blocks(const Summary& s, const Tree& tree, const ByteReader& in) {
  const std::uint64_t end = (s.end_row + kBlockRows - 1) / kBlockRows;
  if (tree.first() != s.first_row / kBlockRows || tree.end() != end) {
    in.fail("holds sums of other blocks than its rows");
  }
}

void read_protocol(ByteReader& in, Summary& s) {
  s.options.bins = read_int(in, 1, kMaxBins);
  s.options.entropy_bins = read_int(in, 1, kMaxBins);
  s.options.draws = read_int(in, 0, kMaxDraws);
  s.options.seed = in.u64();
  s.options.list_rows = read_flag(in);
  s.options.resampling.resamples = read_int(in, 0, kMaxResamples);
  s.options.resampling.seed = in.u64();
  s.options.resampling.rows = in.u64();
  s.classes = static_cast<std::size_t>(read_int(in, 1, std::numeric_limits<int>::max()));
  s.first_row = in.u64();
  s.end_row = in.u64();
  if (s.first_row % kBlockRows != 0 || s.end_row <= s.first_row || s.end_row >> 60 != 0) {
    in.fail("holds rows that are not whole blocks");
  }
  s.votes_are_counts = read_flag(in);
  s.has_certainties = read_flag(in);
}

}  // namespace

std::vector<std::byte> to_bytes(const EvaluationSums& sums) {
  const Summary& s = *sums.summary;
  ByteWriter out;
  out.text(kMark);
  for (const int option : {s.options.bins, s.options.entropy_bins, s.options.draws}) {
    out.u64(static_cast<std::uint64_t>(option));
  }
  out.u64(s.options.seed);
  out.u8(s.options.list_rows ? 1 : 0);
  out.u64(static_cast<std::uint64_t>(s.options.resampling.resamples));
  out.u64(s.options.resampling.seed);
  out.u64(s.options.resampling.rows);
  out.u64(s.classes);
  out.u64(s.first_row);
  out.u64(s.end_row);
  out.u8(s.votes_are_counts ? 1 : 0);
  out.u8(s.has_certainties ? 1 : 0);
  core::write_sums(s.scalars, out);
  core::write_tree(s.bins, out, [&](const auto& cells) { write_cells(cells, out); });
  core::write_tree(s.cells, out, [&](const auto& cells) { write_cells(cells, out); });
  write_chances(s.bin_chances, out);
  write_chances(s.cell_chances, out);
  write_hits(s.bin_hits, out);
  write_hits(s.cell_hits, out);
  for (const std::vector<double>* list : {&s.confidence, &s.agreement, &s.entropy,
                                          &s.predicted_disagreement, &s.observed_disagreement}) {
    out.numbers(*list);
  }
  out.u64(s.replicates.sums.size());
  for (const std::int64_t sum : s.replicates.sums) out.u64(static_cast<std::uint64_t>(sum));
  return out.take();
}

EvaluationSums evaluation_sums_from_bytes(std::span<const std::byte> bytes) {
  ByteReader in(bytes, "the sums of an evaluation");
  in.mark(kMark);
  Summary s;
  read_protocol(in, s);
  const auto bins = static_cast<std::uint64_t>(s.options.bins);
  const std::uint64_t cells = bins * s.classes, rows = s.end_row - s.first_row;
  const auto draws = static_cast<std::size_t>(s.options.draws);
  s.scalars = core::read_sums(in);
  if (!s.scalars.empty() && s.scalars.nodes().front().sums.size() != metrics::kScalarSums) {
    in.fail("holds the wrong number of sums");
  }
  s.bins = core::read_tree<metrics::BinTree>(
      in, [&] { return read_cells<metrics::BinTotals>(in, bins); });
  s.cells = core::read_tree<metrics::ClassTree>(
      in, [&] { return read_cells<metrics::ClassTotals>(in, cells); });
  check_blocks(s, s.scalars, in);
  check_blocks(s, s.bins, in);
  check_blocks(s, s.cells, in);
  s.bin_chances = read_chances(in, bins, rows);
  s.cell_chances = read_chances(in, cells, rows * s.classes);
  s.bin_hits = read_hits(in, bins, draws);
  s.cell_hits = read_hits(in, cells, draws);
  const std::uint64_t listed = s.options.list_rows ? rows : 0;
  s.confidence = read_list(in, listed);
  s.agreement = read_list(in, listed);
  s.entropy = read_list(in, listed);
  s.predicted_disagreement = in.numbers();
  s.observed_disagreement = read_list(in, s.predicted_disagreement.size());
  if (s.predicted_disagreement.size() > listed) in.fail("lists the wrong number of rows");
  s.replicates.sums.resize(in.length(8));
  for (std::int64_t& sum : s.replicates.sums) sum = static_cast<std::int64_t>(in.u64());
  if (s.replicates.sums.size() != metrics::replicate_count(s.options, s.classes)) {
    in.fail("holds the wrong number of resampled sums");
  }
  in.finish();
  const std::uint64_t first_row = s.first_row, end_row = s.end_row;
  return {first_row, end_row, std::make_shared<Summary>(std::move(s))};
}

}  // namespace credence
