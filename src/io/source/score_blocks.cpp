#include "io/source/score_blocks.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "credence/error.hpp"
#include "io/npy/npy_bytes.hpp"
#include "io/scores/score_reader.hpp"
#include "io/scores/two_classes.hpp"

namespace credence::io {

ScoreBlocks::ScoreBlocks(ScoreFile file, bool keep_probabilities)
    : file_(std::move(file)),
      name_(display_name(file_.path)),
      keep_(keep_probabilities),
      doubts_(file_.kind) {
  open();
  doubts_ = ScoreDoubts(file_.kind, reader_->is_one_column());
  check_score_shape(rows_.value_or(1), cols_, name_);
}

void ScoreBlocks::open() {
  next_row_ = 0;
  if (is_npy_path(file_.path) && file_.kind != ScoreKind::probs) {
    NpyScoreFile opened = open_npy_scores(file_.path);
    const NpyHeader& header = opened.header;
    if (opened.in_file && header.type == NpyType::f32 && !header.swapped && !header.fortran_order &&
        header.shape.size() == 2 && header.cols() > 1) {
      floats_ = header;
      direct_ = open_for_reading(file_.path);
      state_ = state_of(direct_);
      remember_input(file_.path, state_);
      ::posix_fadvise(direct_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
    }
    reader_ = with_two_classes(std::move(opened.reader), file_);
  } else {
    reader_ = open_scores(file_);
  }
  cols_ = reader_->cols();
  if (!rows_) rows_ = reader_->rows();
  classes_ = reader_->classes();
  form_ = reader_->form();
  reader_notes_ = reader_->notes();
}

std::vector<std::string> ScoreBlocks::notes() const {
  std::vector<std::string> all = reader_notes_;
  for (std::string& note : doubts_.notes()) all.push_back(std::move(note));
  return all;
}

void ScoreBlocks::rewind() {
  if (next_row_ == 0) return;
  next_row_ = 0;
  if (!floats_) open();
}

void ScoreBlocks::read_floats(std::size_t most, ScoreChunk& chunk) {
  chunk.rows = std::min(most, *rows_ - next_row_);
  chunk.scores.resize(chunk.rows * cols_);
  if (chunk.rows == 0) return;
  read_at(direct_, floats_->data_offset + next_row_ * cols_ * sizeof(float),
          reinterpret_cast<std::byte*>(chunk.scores.data()), chunk.scores.size() * sizeof(float),
          name_);
  if (next_row_ + chunk.rows == *rows_) check_unchanged(direct_, state_, name_);
}

void ScoreBlocks::read_numbers(std::size_t most, ScoreChunk& chunk) {
  numbers_.resize(most * cols_);
  std::vector<std::string> ids;
  // A reader may stop before the block is full.
  while (chunk.rows < most) {
    const MatrixView<double> room(numbers_.data() + chunk.rows * cols_, most - chunk.rows, cols_);
    const std::size_t got = reader_->read(room, &ids);
    if (got == 0) break;
    if (reader_->has_ids()) std::ranges::move(ids, std::back_inserter(chunk.ids));
    chunk.rows += got;
  }
  chunk.scores.resize(chunk.rows * cols_);
  const Rows read(numbers_.data(), chunk.rows, cols_);
  if (file_.kind == ScoreKind::probs) {
    if (!checked_) check_scores(read, file_.kind, name_, next_row_);
    Conversion converted = to_finite_logits(read, file_.kind);
    chunk.clipped = converted.clipped;
    std::copy_n(converted.scores.data(), chunk.scores.size(), chunk.scores.begin());
    if (keep_) chunk.probabilities.assign(read.data(), read.data() + read.size());
    return;
  }
  for (std::size_t i = 0; i < chunk.rows; ++i) {
    for (std::size_t k = 0; k < cols_; ++k) {
      chunk.scores[i * cols_ + k] = narrow_score(read(i, k), next_row_ + i, k, name_);
    }
  }
}

// As in memory: checked as they are, and raised only where a score is -inf.
void ScoreBlocks::finish_logits(ScoreChunk& chunk) {
  const Scores read(chunk.scores.data(), chunk.rows, cols_);
  if (!checked_) {
    any_to_raise_ = check_scores(read, file_.kind, name_, next_row_) != 0 || any_to_raise_;
    for (std::size_t i = 0; i < chunk.rows; ++i) doubts_.add(read.row(i));
  }
  if (!any_to_raise_) return;
  Conversion converted = to_finite_logits(read, file_.kind);
  chunk.clipped = converted.clipped;
  std::copy_n(converted.scores.data(), chunk.scores.size(), chunk.scores.begin());
}

void ScoreBlocks::read(std::size_t most, ScoreChunk& chunk) {
  chunk.rows = chunk.clipped = 0;
  chunk.ids.clear();
  chunk.probabilities.clear();
  if (floats_) {
    read_floats(most, chunk);
  } else {
    read_numbers(most, chunk);
  }
  if (file_.kind != ScoreKind::probs) finish_logits(chunk);
  next_row_ += chunk.rows;
  if (chunk.rows != 0) return;
  if (rows_ && *rows_ != next_row_) throw_changed(name_);
  rows_ = next_row_;
  check_score_shape(*rows_, cols_, name_);
  if (!floats_) reader_notes_ = reader_->notes();
  checked_ = true;
}

}  // namespace credence::io
