// The side of the piece: a pure function of a message and the rows.
#include <algorithm>
#include <utility>

#include "core/parallel.hpp"
#include "credence/error.hpp"
#include "dataset/fingerprint.hpp"
#include "experiment/rows/part_rows.hpp"
#include "experiment/rows/pieces.hpp"
#include "experiment/rows/work_bytes.hpp"

namespace credence {
namespace experiment {

void write_counts(const TagCounts& counts, core::ByteWriter& out) {
  out.u64(static_cast<std::uint64_t>(
      std::ranges::count_if(counts, [](std::uint64_t count) { return count > 0; })));
  for (std::size_t tag = 0; tag < kTags; ++tag) {
    if (counts[tag] == 0) continue;
    out.u8(static_cast<std::uint8_t>(tag));
    out.u64(counts[tag]);
  }
}

TagCounts read_counts(core::ByteReader& in) {
  TagCounts counts{};
  for (std::uint64_t left = in.length(9); left > 0; --left) {
    const std::uint8_t tag = in.u8();
    counts[tag] = in.u64();
  }
  return counts;
}

std::uint64_t count_of(const TagSet& tags, const TagCounts& counts) {
  std::uint64_t sum = 0;
  for (std::size_t tag = 0; tag < kTags; ++tag) sum += tags[tag] ? counts[tag] : 0;
  return sum;
}

void write_facts(const PieceFacts& facts, core::ByteWriter& out) {
  out.u64(facts.rows);
  out.u64(facts.classes);
  out.u64(facts.checksum);
  out.u8(static_cast<std::uint8_t>(facts.evidence));
}

PieceFacts read_facts(core::ByteReader& in) {
  PieceFacts facts;
  facts.rows = in.u64();
  facts.classes = in.u64();
  facts.checksum = in.u64();
  const std::uint8_t evidence = in.u8();
  if (evidence > static_cast<std::uint8_t>(Evidence::distributions)) {
    in.fail("holds a number out of range");
  }
  facts.evidence = static_cast<Evidence>(evidence);
  return facts;
}

void write_rows(const RowBlock& rows, core::ByteWriter& out) {
  out.u64(rows.first);
  out.u64(rows.scores.cols());
  out.singles({rows.scores.data(), rows.scores.size()});
  out.u8(rows.votes != nullptr ? 1 : 0);
  if (rows.votes != nullptr) {
    for (std::size_t i = 0; i < rows.votes->rows(); ++i) {
      out.u32(static_cast<std::uint32_t>(rows.votes->row(i).classes.size()));
    }
    for (const std::uint32_t k : rows.votes->entry_classes()) out.u32(k);
    for (const double weight : rows.votes->entry_weights()) out.f64(weight);
  }
  out.u64(rows.keys.size());
  for (const std::uint64_t key : rows.keys) out.u64(key);
}

SentRows read_rows(core::ByteReader& in) {
  SentRows rows;
  rows.first = in.u64();
  const std::uint64_t classes = in.u64();
  std::vector<float> scores = in.singles();
  if (classes == 0 || scores.size() % classes != 0) in.fail("holds rows of different lengths");
  const std::size_t count = scores.size() / classes;
  rows.scores = Matrix<float>(std::move(scores), count, classes);
  if (in.u8() != 0) {
    std::vector<std::size_t> offsets{0};
    for (std::size_t i = 0; i < count; ++i) offsets.push_back(offsets.back() + in.u32());
    if (offsets.back() > count * classes) in.fail("holds more votes than there are classes");
    std::vector<std::uint32_t> chosen(offsets.back());
    std::vector<double> weights(offsets.back());
    for (std::uint32_t& k : chosen) k = in.u32();
    for (double& weight : weights) weight = in.f64();
    rows.votes =
        Votes::from_compressed(std::move(offsets), std::move(chosen), std::move(weights), classes);
  }
  rows.keys.resize(in.length(8));
  for (std::uint64_t& key : rows.keys) key = in.u64();
  if (!rows.keys.empty() && rows.keys.size() != count) in.fail("holds keys of other rows");
  return rows;
}

namespace {

/// Rows are gathered this many at a time: enough to keep threads busy, little memory.
constexpr std::size_t kRowsTogether = 64 * kBlockRows;

PieceFacts facts_of_piece(const RowBlock& rows) {
  PieceFacts facts;
  facts.rows = rows.scores.rows();
  facts.classes = rows.scores.cols();
  facts.evidence = rows.votes == nullptr ? Evidence::none : rows.votes->evidence();
  facts.checksum = dataset::checksum(rows.scores, rows.votes);
  return facts;
}

/// The rows of a piece that a task is about, from number `before` on: those that share their first
/// block with earlier pieces, then whole blocks, then the rest.
template <class Whole, class Fringe>
void for_each_stretch(const RowBlock& rows, std::span<const std::uint8_t> tags,
                      const TagSet& wanted, std::uint64_t before, const Whole& whole,
                      const Fringe& fringe) {
  const std::size_t head = (kBlockRows - before % kBlockRows) % kBlockRows;
  dataset::GatheredRows at_head(rows.scores.cols(), before);
  dataset::GatheredRows gathered(rows.scores.cols(), before + head);
  const auto as_block = [](const auto& use) {
    return [&use](std::size_t first, Scores scores, const Votes* votes,
                  std::span<const std::uint64_t> keys) {
      use(RowBlock{first, scores, votes, keys});
    };
  };
  const std::size_t count = rows.scores.rows();
  for (std::size_t from = 0; from < count; from += kRowsTogether) {
    const std::size_t some = std::min(kRowsTogether, count - from);
    std::vector<std::size_t> chosen;
    for (std::size_t i = from; i < from + some; ++i) {
      if (wanted[tags.empty() ? 0 : tags[i]]) chosen.push_back(i);
    }
    std::size_t next = 0;
    for (; next < chosen.size() && at_head.rows() < head; ++next) {
      const std::size_t row = chosen[next];
      at_head.add(rows.scores, rows.votes, rows.keys, row, row + 1,
                  [](std::size_t) { return true; });
    }
    std::size_t place = next;
    gathered.add(rows.scores, rows.votes, rows.keys, from, from + some, [&](std::size_t i) {
      const bool keeps = place < chosen.size() && chosen[place] == i;
      place += keeps ? 1 : 0;
      return keeps;
    });
    gathered.give(false, as_block(whole));
  }
  at_head.give_rows(at_head.rows(), as_block(fringe));
  gathered.give_rows(gathered.rows(), as_block(fringe));
}

void answer_tasks(core::ByteReader& in, const TagCounts& before, const RowBlock& rows,
                  std::span<const std::uint8_t> tags, int threads, core::ByteWriter& out) {
  std::vector<RowTask> tasks(in.length(8));
  for (RowTask& task : tasks) task = row_task_from_bytes(read_bytes(in));
  std::vector<GrowingAnswer> answers(tasks.size());
  for (const PartTasks& part : by_part(tasks)) {
    for_each_stretch(
        rows, tags, part.rows, count_of(part.rows, before),
        [&](const RowBlock& blocks) { answer_block(tasks, part, blocks, threads, answers); },
        [](const RowBlock&) {});
  }
  out.u64(answers.size());
  for (GrowingAnswer& one : answers) {
    out.u8(one.empty() ? 0 : 1);
    if (!one.empty()) write_bytes(to_bytes(one.take()), out);
  }
}

void send_fringes(core::ByteReader& in, const TagCounts& before, const RowBlock& rows,
                  std::span<const std::uint8_t> tags, core::ByteWriter& out) {
  std::vector<TagSet> parts(in.length(kTags / 8));
  out.u64(parts.size());
  for (TagSet& part : parts) {
    part = read_tags(in);
    std::vector<std::vector<std::byte>> sent;
    for_each_stretch(
        rows, tags, part, count_of(part, before), [](const RowBlock&) {},
        [&](const RowBlock& fringe) {
          core::ByteWriter one;
          write_rows(fringe, one);
          sent.push_back(one.take());
        });
    out.u64(sent.size());
    for (const auto& one : sent) write_bytes(one, out);
  }
}

}  // namespace
}  // namespace experiment

Bytes answer_piece(std::span<const std::byte> common, std::span<const std::byte> own,
                   const RowBlock& rows, std::span<const std::uint8_t> tags, int threads) {
  using namespace experiment;
  if (!tags.empty() && tags.size() != rows.scores.rows()) {
    throw Error(ErrorCode::data, "a piece of " + std::to_string(rows.scores.rows()) +
                                     " rows was given tags for " + std::to_string(tags.size()));
  }
  core::ByteReader in(common, "a message to all pieces"), mine(own, "a message to a piece");
  in.mark(kCommonMark);
  mine.mark(kOwnMark);
  const TagCounts before = read_counts(mine);
  mine.finish();
  core::ByteWriter out;
  out.text(kReplyMark);
  write_facts(facts_of_piece(rows), out);
  const int team = core::resolve_threads(threads);
  switch (static_cast<Ask>(in.u8())) {
    case Ask::survey:
      break;
    case Ask::labels:
      out.u64(rows.votes->rows());
      for (const std::uint32_t label : rows.votes->voted()) out.u32(label);
      break;
    case Ask::fringes:
      send_fringes(in, before, rows, tags, out);
      break;
    case Ask::tasks:
      answer_tasks(in, before, rows, tags, team, out);
      break;
    default:
      in.fail("asks for what is not known here");
  }
  in.finish();
  return out.take();
}

}  // namespace credence
