#include <algorithm>
#include <utility>

#include "core/read_ahead.hpp"
#include "credence/aligned_calibrator.hpp"
#include "credence/row_files.hpp"
#include "dataset/score_trace.hpp"
#include "io/source/row_pieces.hpp"

namespace credence::io {

DataFacts facts_of(const Dataset& data) {
  DataFacts facts;
  facts.rows = data.rows();
  facts.classes = data.classes_count();
  facts.class_names = data.classes;
  facts.evidence = data.evidence();
  facts.are_shares = data.votes.are_shares();
  facts.votes_per_example = mean_votes(data.votes);
  facts.ties = data.votes.ties();
  facts.clipped = data.clipped;
  for (const std::uint32_t group : data.groups) {
    facts.groups = std::max<std::size_t>(facts.groups, group + std::size_t{1});
  }
  return facts;
}

static DataFacts full_facts_of(const Dataset& data, const ScoreTrace& trace) {
  DataFacts facts = facts_of(data);
  Fingerprint print;
  print.add(data.votes);
  facts.fingerprint = fingerprint_of(trace.hashes, print.votes(), facts.rows, facts.classes,
                                     data.votes.rows(), facts.class_names);
  facts.sketch = trace.sketch;
  return facts;
}

DataFacts full_facts_of(const Dataset& data) {
  return full_facts_of(data, trace_scores(data.scores));
}

DataFacts full_facts_of(const LoadedDataset& loaded) {
  return loaded.trace ? full_facts_of(loaded.data, *loaded.trace) : full_facts_of(loaded.data);
}

struct FileRows::Impl {
  Impl(const DatasetFiles& files, const RowFileOptions& options) : pieces(files, options) {}

  RowPieces pieces;
  bool at_start = true;
  RowPiece current;
  core::ReadAhead<RowPiece> ahead;  // the last member: its thread uses the others
};

FileRows::FileRows(const DatasetFiles& files, const RowFileOptions& options)
    : impl_(std::make_unique<Impl>(files, options)) {}
FileRows::~FileRows() = default;

const DataFacts& FileRows::facts() const { return impl_->pieces.facts(); }
const JoinReport& FileRows::join() const { return impl_->pieces.join(); }

RowsInfo FileRows::info() const {
  const DataFacts& known = facts();
  return {known.rows, known.classes, known.evidence, known.class_names};
}

bool FileRows::next(RowBlock& rows) {
  if (!impl_->ahead.is_running()) {
    impl_->ahead.start([pieces = &impl_->pieces](RowPiece& piece) { return pieces->next(piece); });
  }
  impl_->at_start = false;
  RowPiece& piece = impl_->current;
  if (!impl_->ahead.next(piece)) return false;
  rows.first = piece.first;
  rows.scores = Scores(piece.scores.scores.data(), piece.scores.rows, facts().classes);
  rows.votes = piece.votes.rows() == 0 ? nullptr : &piece.votes;
  rows.keys = piece.keys;
  return true;
}

void FileRows::rewind() {
  if (impl_->at_start) return;
  impl_->ahead.stop();
  impl_->pieces.rewind();
  impl_->at_start = true;
}

Rows FileRows::probabilities() const {
  const ScoreChunk& chunk = impl_->current.scores;
  if (chunk.probabilities.empty()) return {};
  return Rows(chunk.probabilities.data(), chunk.rows, facts().classes);
}

}  // namespace credence::io
