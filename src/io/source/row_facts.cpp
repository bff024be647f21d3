// The facts about data whose rows lie in many places.
#include <string>
#include <utility>

#include "core/pieces.hpp"
#include "core/tree_bytes.hpp"
#include "credence/overlap.hpp"
#include "credence/row_files.hpp"
#include "dataset/fingerprint.hpp"
#include "io/source/vote_facts.hpp"

namespace credence::io {

struct RowFacts::Detail {
  std::size_t classes = 0, clipped = 0;
  HashTree score_hashes, vote_hashes;
  VoteFacts votes;
  RowSketcher sketch;
};

namespace {

constexpr std::string_view kFactsMark = "credence facts 2";

void write_hashes(const HashTree& tree, core::ByteWriter& out) {
  core::write_tree(tree, out, [&](const BlockHash& hash) {
    out.u64(hash.high);
    out.u64(hash.low);
  });
}

HashTree read_hashes(core::ByteReader& in) {
  return core::read_tree<HashTree>(in, [&] {
    BlockHash hash;
    hash.high = in.u64();
    hash.low = in.u64();
    return hash;
  });
}

bool read_fact(core::ByteReader& in) {
  const std::uint8_t value = in.u8();
  if (value > 1) in.fail("holds a number out of range");
  return value == 1;
}

void write_votes(const VoteFacts& votes, core::ByteWriter& out) {
  out.u64(votes.rows);
  out.u64(votes.ties);
  for (const bool flag : {votes.voted, votes.all_totals_one, votes.shares}) out.u8(flag ? 1 : 0);
  core::write_sums(votes.totals, out);
}

VoteFacts read_votes(core::ByteReader& in) {
  VoteFacts votes;
  votes.rows = in.u64();
  votes.ties = in.u64();
  for (bool* flag : {&votes.voted, &votes.all_totals_one, &votes.shares}) *flag = read_fact(in);
  votes.totals = core::read_sums(in);
  votes.next = votes.totals.end();
  if ((votes.rows == 0) != votes.totals.empty()) in.fail("holds votes without their sums");
  return votes;
}

RowSketcher read_sketch(core::ByteReader& in) {
  const std::size_t rows = in.u64();
  std::vector<RowSketcher::Kept> kept(in.length(16));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    kept[i].hash = in.u64();
    kept[i].rows = in.u64();
    if (i > 0 && kept[i].hash <= kept[i - 1].hash) in.fail("holds hashes out of order");
  }
  if (kept.size() > RowSketch::kMostHashes) in.fail("holds too many hashes");
  return {rows, std::move(kept)};
}

std::string difference(const RowFacts& left, const RowFacts& right) {
  const std::size_t one = left.detail->classes, other = right.detail->classes;
  if (one == other) return {};
  return "of " + std::to_string(one) + " and of " + std::to_string(other) + " classes";
}

}  // namespace

RowFacts row_facts(std::uint64_t first_row, const Dataset& rows) {
  if (first_row % kBlockRows != 0) {
    throw Error(ErrorCode::usage, "a piece begins at row " + std::to_string(first_row) +
                                      ", which is not a multiple of " + std::to_string(kBlockRows));
  }
  auto detail = std::make_shared<RowFacts::Detail>();
  detail->classes = rows.classes_count();
  detail->clipped = rows.clipped;
  Fingerprint print(first_row / kBlockRows);
  print.add(rows.scores);
  print.add(rows.votes);
  detail->score_hashes = print.scores();
  detail->vote_hashes = print.votes();
  detail->votes.next = first_row / kBlockRows;
  detail->votes.add(rows.votes);
  detail->votes.close();
  detail->sketch.add(rows.scores);
  return {first_row, first_row + rows.rows(), std::move(detail)};
}

RowFacts merge(std::vector<RowFacts> pieces) {
  // Merged in place of a copy for each piece.
  std::shared_ptr<RowFacts::Detail> all;
  RowFacts whole = core::merge_pieces(std::move(pieces), "facts", difference,
                                      [&](const RowFacts& right, RowFacts& left) {
                                        if (!all)
                                          all = std::make_shared<RowFacts::Detail>(*left.detail);
                                        all->clipped += right.detail->clipped;
                                        all->score_hashes.merge(right.detail->score_hashes);
                                        all->vote_hashes.merge(right.detail->vote_hashes);
                                        all->votes.merge(right.detail->votes);
                                        all->sketch.merge(right.detail->sketch);
                                        left.detail = all;
                                      });
  return whole;
}

DataFacts facts_of(const RowFacts& all, std::vector<std::string> class_names) {
  const RowFacts::Detail& detail = *all.detail;
  DataFacts facts;
  facts.rows = all.end_row - all.first_row;
  facts.classes = detail.classes;
  facts.class_names = std::move(class_names);
  facts.clipped = detail.clipped;
  detail.votes.finish(facts);
  facts.fingerprint = fingerprint_of(detail.score_hashes, detail.vote_hashes, facts.rows,
                                     facts.classes, detail.votes.rows, facts.class_names);
  facts.sketch = detail.sketch.finish();
  return facts;
}

std::vector<std::byte> to_bytes(const RowFacts& facts) {
  const RowFacts::Detail& detail = *facts.detail;
  core::ByteWriter out;
  out.text(kFactsMark);
  for (const std::uint64_t number : {facts.first_row, facts.end_row, std::uint64_t{detail.classes},
                                     std::uint64_t{detail.clipped}}) {
    out.u64(number);
  }
  write_hashes(detail.score_hashes, out);
  write_hashes(detail.vote_hashes, out);
  write_votes(detail.votes, out);
  RowSketcher sketch = detail.sketch;
  out.u64(sketch.rows());
  out.u64(sketch.kept().size());
  for (const RowSketcher::Kept& kept : sketch.kept()) {
    out.u64(kept.hash);
    out.u64(kept.rows);
  }
  return out.take();
}

RowFacts row_facts_from_bytes(std::span<const std::byte> bytes) {
  core::ByteReader in(bytes, "the facts of some rows");
  in.mark(kFactsMark);
  auto detail = std::make_shared<RowFacts::Detail>();
  RowFacts facts;
  facts.first_row = in.u64();
  facts.end_row = in.u64();
  detail->classes = in.u64();
  detail->clipped = in.u64();
  detail->score_hashes = read_hashes(in);
  detail->vote_hashes = read_hashes(in);
  detail->votes = read_votes(in);
  detail->sketch = read_sketch(in);
  in.finish();
  if (facts.first_row % kBlockRows != 0 ||
      detail->score_hashes.first() != facts.first_row / kBlockRows ||
      detail->score_hashes.end() != (facts.end_row + kBlockRows - 1) / kBlockRows ||
      (!detail->vote_hashes.empty() && detail->vote_hashes.end() != detail->score_hashes.end())) {
    in.fail("holds other blocks than rows");
  }
  facts.detail = std::move(detail);
  return facts;
}

}  // namespace credence::io
