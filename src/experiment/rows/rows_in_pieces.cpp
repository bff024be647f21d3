// The side of the driver: one message to all pieces, one to each, and the blocks that pieces share.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "core/parallel.hpp"
#include "credence/error.hpp"
#include "experiment/rows/part_rows.hpp"
#include "experiment/rows/pieces.hpp"
#include "experiment/rows/work_bytes.hpp"

namespace credence {

using experiment::Ask;
using experiment::PieceFacts;
using experiment::SentRows;
using experiment::TagCounts;

struct RowsInPieces::Impl {
  std::size_t pieces;
  Transport transport;
  std::vector<std::string> class_names;
  int threads;
  std::vector<PieceFacts> facts;
  std::vector<TagCounts> before;  ///< rows of each tag before each piece, and at last of all rows
  /// Blocks that lie in several pieces, by the rows that they are of.
  std::vector<std::pair<TagSet, std::vector<SentRows>>> fringes;

  RowsInfo info() const;
  void count(std::span<const std::uint8_t> tags);
  /// Readers of the replies, after what each piece says of itself.
  template <class Use>
  void ask(const core::ByteWriter& message, const Use& use);
  const std::vector<SentRows>& fringe(const TagSet& part) const;
  void fetch(const std::vector<TagSet>& parts);
};

namespace {

core::ByteWriter message(Ask ask) {
  core::ByteWriter out;
  out.text(experiment::kCommonMark);
  out.u8(static_cast<std::uint8_t>(ask));
  return out;
}

[[noreturn]] void refuse_piece(std::size_t piece, const std::string& what) {
  throw Error(ErrorCode::data, fmt::format("piece {} of the rows {}", piece, what),
              "the rows and their order must stay as they are until the work is done");
}

/// Rows in their order, put together to runs of neighbours; only the last may end within a block.
std::vector<SentRows> joined(std::vector<SentRows> sent, std::size_t classes) {
  std::ranges::sort(sent, {}, &SentRows::first);
  std::vector<SentRows> runs;
  for (std::size_t i = 0; i < sent.size();) {
    dataset::GatheredRows run(classes, sent[i].first);
    do {
      const RowBlock rows = sent[i].block();
      run.add(rows.scores, rows.votes, rows.keys, [](std::size_t) { return true; });
      ++i;
    } while (i < sent.size() && sent[i].first == run.first() + run.rows());
    run.give(true, [&](std::size_t first, Scores scores, const Votes* votes,
                       std::span<const std::uint64_t> keys) {
      std::vector<float> copy(scores.data(), scores.data() + scores.size());
      runs.push_back({first,
                      Matrix<float>(std::move(copy), scores.rows(), classes),
                      votes == nullptr ? Votes() : *votes,
                      {keys.begin(), keys.end()}});
    });
  }
  return runs;
}

}  // namespace

RowsInfo RowsInPieces::Impl::info() const {
  RowsInfo info;
  info.class_names = class_names;
  info.evidence = facts.front().evidence;
  for (const PieceFacts& piece : facts) {
    if (piece.rows == 0) continue;
    info.rows += piece.rows;
    info.classes = piece.classes;
    // One annotation for each row only where no piece has more.
    info.evidence = std::max(info.evidence, piece.evidence);
  }
  return info;
}

void RowsInPieces::Impl::count(std::span<const std::uint8_t> tags) {
  before.assign(pieces + 1, TagCounts{});
  std::size_t row = 0;
  for (std::size_t p = 0; p < pieces; ++p) {
    before[p + 1] = before[p];
    if (tags.empty()) {
      before[p + 1][0] += facts[p].rows;
      continue;
    }
    for (const std::size_t end = row + facts[p].rows; row < end; ++row) ++before[p + 1][tags[row]];
  }
}

template <class Use>
void RowsInPieces::Impl::ask(const core::ByteWriter& common, const Use& use) {
  std::vector<Bytes> own;
  for (std::size_t p = 0; p < pieces; ++p) {
    core::ByteWriter out;
    out.text(experiment::kOwnMark);
    experiment::write_counts(before.empty() ? TagCounts{} : before[p], out);
    own.push_back(out.take());
  }
  core::ByteWriter copy = common;
  const std::vector<Bytes> replies = transport.run(copy.take(), own);
  if (replies.size() != pieces) {
    throw Error(ErrorCode::data,
                fmt::format("{} pieces of the rows were asked, {} replied", pieces, replies.size()),
                "every piece replies once, in the order of the pieces");
  }
  for (std::size_t p = 0; p < pieces; ++p) {
    core::ByteReader in(replies[p], "a reply");
    in.mark(experiment::kReplyMark);
    const PieceFacts found = experiment::read_facts(in);
    if (facts.size() == pieces && !(found == facts[p])) {
      refuse_piece(
          p, fmt::format("had {} rows and has {}, or other values", facts[p].rows, found.rows));
    }
    if (facts.size() < pieces) facts.push_back(found);
    use(p, in);
    in.finish();
  }
}

const std::vector<SentRows>& RowsInPieces::Impl::fringe(const TagSet& part) const {
  return std::ranges::find(fringes, part, &std::pair<TagSet, std::vector<SentRows>>::first)->second;
}

void RowsInPieces::Impl::fetch(const std::vector<TagSet>& parts) {
  std::vector<TagSet> missing;
  for (const TagSet& part : parts) {
    const bool known = std::ranges::any_of(fringes, [&](const auto& f) { return f.first == part; });
    if (!known) missing.push_back(part);
  }
  if (missing.empty()) return;
  core::ByteWriter out = message(Ask::fringes);
  out.u64(missing.size());
  for (const TagSet& part : missing) experiment::write_tags(part, out);
  std::vector<std::vector<SentRows>> sent(missing.size());
  ask(out, [&](std::size_t p, core::ByteReader& in) {
    if (in.u64() != missing.size()) refuse_piece(p, "replied to another question");
    for (auto& list : sent) {
      for (std::uint64_t left = in.length(8); left > 0; --left) {
        const Bytes bytes = experiment::read_bytes(in);
        core::ByteReader rows(bytes, "rows of a piece");
        list.push_back(experiment::read_rows(rows));
      }
    }
  });
  const std::size_t classes = info().classes;
  for (std::size_t j = 0; j < missing.size(); ++j) {
    fringes.emplace_back(missing[j], joined(std::move(sent[j]), classes));
  }
}

RowsInPieces::RowsInPieces(std::size_t pieces, Transport transport,
                           std::vector<std::string> class_names, int threads)
    : impl_(std::make_unique<Impl>()) {
  if (pieces == 0) throw Error(ErrorCode::data, "there are no pieces of rows");
  impl_->pieces = pieces;
  impl_->transport = std::move(transport);
  impl_->class_names = std::move(class_names);
  impl_->threads = core::resolve_threads(threads);
  impl_->ask(message(Ask::survey), [](std::size_t, core::ByteReader&) {});
  std::size_t classes = 0;
  for (std::size_t p = 0; p < pieces; ++p) {
    const PieceFacts& facts = impl_->facts[p];
    if (facts.rows == 0) continue;
    if (classes != 0 && facts.classes != classes) {
      refuse_piece(p, fmt::format("has {} classes, pieces before it {}", facts.classes, classes));
    }
    classes = facts.classes;
  }
  impl_->count({});
}

RowsInPieces::~RowsInPieces() = default;

RowsInfo RowsInPieces::info() const { return impl_->info(); }

RowLabels RowsInPieces::labels() {
  RowLabels all(info().classes);
  impl_->ask(message(Ask::labels), [&](std::size_t, core::ByteReader& in) {
    for (std::uint64_t left = in.length(4); left > 0; --left) all.push_back(in.u32());
  });
  return all;
}

std::size_t RowsInPieces::nodes() const {
  std::size_t nodes = 0;
  // A run of blocks completes at most two nodes of each level.
  for (const PieceFacts& piece : impl_->facts) {
    nodes += 2 * static_cast<std::size_t>(std::bit_width(piece.rows / kBlockRows));
  }
  return std::max<std::size_t>(nodes, 1);
}

void RowsInPieces::tag(std::vector<std::uint8_t> tags) {
  std::vector<std::vector<std::uint8_t>> by_piece(impl_->pieces);
  auto next = tags.begin();
  for (std::size_t p = 0; p < impl_->pieces && !tags.empty(); ++p) {
    const auto end = next + static_cast<std::ptrdiff_t>(impl_->facts[p].rows);
    by_piece[p].assign(next, end);
    next = end;
  }
  impl_->fringes.clear();
  impl_->count(tags);
  impl_->transport.tag(by_piece);
}

std::vector<RowAnswer> RowsInPieces::work(std::span<const RowTask> tasks) {
  const std::vector<experiment::PartTasks> parts = experiment::by_part(tasks);
  std::vector<TagSet> wanted;
  for (const experiment::PartTasks& part : parts) wanted.push_back(part.rows);
  impl_->fetch(wanted);

  core::ByteWriter out = message(Ask::tasks);
  out.u64(tasks.size());
  for (const RowTask& task : tasks) experiment::write_bytes(to_bytes(task), out);
  std::vector<std::vector<RowAnswer>> found(tasks.size());
  impl_->ask(out, [&](std::size_t p, core::ByteReader& in) {
    if (in.u64() != tasks.size()) refuse_piece(p, "replied to another question");
    for (auto& list : found) {
      if (in.u8() != 0) list.push_back(row_answer_from_bytes(experiment::read_bytes(in)));
    }
  });
  for (const experiment::PartTasks& part : parts) {
    for (const SentRows& rows : impl_->fringe(part.rows)) {
      std::vector<experiment::GrowingAnswer> answers(tasks.size());
      experiment::answer_block(tasks, part, rows.block(), impl_->threads, answers);
      for (const std::size_t task : part.tasks) found[task].push_back(answers[task].take());
    }
  }
  std::vector<RowAnswer> results;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::uint64_t rows = experiment::count_of(tasks[i].rows, impl_->before.back());
    if (rows == 0) throw Error(ErrorCode::data, "a task is about tags that no row has");
    results.push_back(merge_answers(std::move(found[i])));
    if (rows_of(results.back()) != std::pair<std::uint64_t, std::uint64_t>(0, rows)) {
      throw Error(
          ErrorCode::data,
          fmt::format("an answer is about {} rows of {}", rows_of(results.back()).second, rows),
          "every piece must answer for all of its rows");
    }
  }
  return results;
}

}  // namespace credence
