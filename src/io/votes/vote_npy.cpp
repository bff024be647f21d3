#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "credence/error.hpp"
#include "dataset/dense_votes.hpp"
#include "io/npy/npy.hpp"
#include "io/npy/npz.hpp"
#include "io/scores/score_reader.hpp"
#include "io/votes/vote_annotators.hpp"
#include "io/votes/vote_forms.hpp"

namespace credence::io {
namespace {

constexpr std::size_t kVoteBlockBytes = std::size_t{1} << 21;

RawVotes read_labels(const NumberArray& array, const VoteFile& file) {
  const std::vector<std::int64_t> labels = array.integers(file.path, file.first_row);
  std::vector<std::string> notes;
  std::size_t classes = file.classes.empty() ? file.expected_classes : file.classes.size();
  if (classes == 0) {
    const std::int64_t largest = std::max<std::int64_t>(0, *std::ranges::max_element(labels));
    // More classes than that is a slip: ids in the place of labels.
    classes = static_cast<std::size_t>(std::min<std::int64_t>(largest, 1 << 24)) + 1;
    notes.push_back(
        fmt::format("the number of classes, {}, is taken from the largest label", classes));
  }
  RawVotes raw;
  raw.rows = labels.size();
  std::vector<std::uint32_t> voted;
  voted.reserve(labels.size());
  DroppedLabels dropped(file.drop_labels);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (!dropped.empty() && dropped.drop(std::to_string(labels[i]))) {
      raw.problems.push_back({.kind = RowProblem::Kind::empty, .row = i, .dropped = true});
      continue;
    }
    if (labels[i] >= 0 && static_cast<std::uint64_t>(labels[i]) < classes) {
      voted.push_back(static_cast<std::uint32_t>(labels[i]));
      continue;
    }
    raw.problems.push_back({.kind = RowProblem::Kind::label_range,
                            .row = i,
                            .value = static_cast<double>(labels[i]),
                            .class_count = classes});
  }
  if (file.labels_only) {
    raw.table.votes = Votes::from_labels(voted, classes, file.path);
    raw.table.form = "majority labels";
  } else {
    std::vector<std::size_t> offsets{0};
    for (std::size_t i = 1; i <= voted.size(); ++i) offsets.push_back(i);
    std::vector<double> ones(voted.size(), 1.0);
    raw.table.votes = Votes::from_compressed(std::move(offsets), std::move(voted), std::move(ones),
                                             classes, file.path);
    raw.table.form = "one annotation per example";
  }
  dropped.tell(notes);
  raw.table.notes = std::move(notes);
  return raw;
}

std::string form_of(const Votes& votes) {
  return votes.are_shares() ? "matrix of shares" : "count matrix";
}

// Block by block: a dense matrix of counts is far larger than the votes in it.
template <class Read>
RawVotes read_matrix(std::size_t rows, std::size_t cols, const VoteFile& file, const Read& read) {
  const std::size_t block =
      std::clamp<std::size_t>(kVoteBlockBytes / (cols * sizeof(double)), 1, rows);
  Matrix<double> buffer(block, cols);
  MatrixRows matrix;
  LabelScan scan;
  const bool may_hold_labels = may_hold_annotators(cols, file);
  for (std::size_t first = 0; first < rows; first += block) {
    const MatrixView<double> out = buffer.view().block(0, std::min(block, rows - first));
    read(first, out);
    for (std::size_t i = 0; i < out.rows(); ++i) {
      matrix.push_row(out.row(i), 0);
      if (may_hold_labels) scan.look(out.row(i));
    }
    if (first == 0) matrix.expect(rows);
  }
  if (holds_annotators(scan, cols, file)) return read_annotators(matrix, cols, file);
  if (!file.drop_labels.empty()) {
    throw Error(ErrorCode::data,
                fmt::format("{}: ‹drop_labels› finds no labels in an array of counts", file.path),
                "if its columns are annotators, say ‹votes_format=annotators›");
  }
  RawVotes raw = matrix.finish(cols, file.path);
  raw.table.form = form_of(raw.table.votes);
  return raw;
}

template <class T>
std::optional<Votes> dense_votes(const NumberArray& array, NumberType type, int threads) {
  if (!array.is_plain(type)) return std::nullopt;
  return dataset::dense_votes(reinterpret_cast<const T*>(array.data), array.rows, array.cols,
                              threads);
}

std::optional<Votes> dense_votes(const NumberArray& array, int threads) {
  switch (array.type) {
    case NumberType::f32:
      return dense_votes<float>(array, array.type, threads);
    case NumberType::f64:
      return dense_votes<double>(array, array.type, threads);
    case NumberType::i8:
      return dense_votes<std::int8_t>(array, array.type, threads);
    case NumberType::i16:
      return dense_votes<std::int16_t>(array, array.type, threads);
    case NumberType::i32:
      return dense_votes<std::int32_t>(array, array.type, threads);
    case NumberType::i64:
      return dense_votes<std::int64_t>(array, array.type, threads);
    case NumberType::u8:
    case NumberType::boolean:
      return dense_votes<std::uint8_t>(array, array.type, threads);
    case NumberType::u16:
      return dense_votes<std::uint16_t>(array, array.type, threads);
    case NumberType::u32:
      return dense_votes<std::uint32_t>(array, array.type, threads);
    case NumberType::u64:
      return dense_votes<std::uint64_t>(array, array.type, threads);
    case NumberType::f16:
    case NumberType::bf16:
      break;
  }
  return std::nullopt;
}

/// Counts that need nothing but to be taken in; empty for all others.
std::optional<RawVotes> read_counts(const NumberArray& array, const VoteFile& file) {
  const bool may_be_labels =
      may_hold_annotators(array.cols, file) || file.format == kAnnotatorsFormat;
  if (may_be_labels || !file.drop_labels.empty()) return std::nullopt;
  std::optional<Votes> votes = dense_votes(array, file.threads);
  if (!votes) return std::nullopt;
  RawVotes raw;
  raw.rows = array.rows;
  raw.table.votes = std::move(*votes);
  raw.table.form = form_of(raw.table.votes);
  return raw;
}

// Names that do not fit the columns would only confuse the message about their number.
RawVotes with_classes(RawVotes raw, const VoteFile& file) {
  if (raw.table.votes.rows() == 0) throw to_error(raw.problems.front(), file);
  if (file.classes.size() == raw.table.votes.classes()) raw.table.classes = file.classes;
  return raw;
}

RawVotes read_array(const NumberArray& array, const VoteFile& file) {
  require_form_of(file, "an array");
  if (array.is_vector || (array.cols == 1 && file.labels_only)) {
    return with_classes(read_labels(array, file), file);
  }
  if (file.labels_only) {
    throw Error(ErrorCode::data,
                fmt::format("{}: {} x {} array; ‹labels› takes one label per example", file.path,
                            array.rows, array.cols),
                "give a matrix of counts with ‹votes›");
  }
  if (auto counts = read_counts(array, file)) return with_classes(std::move(*counts), file);
  const auto read = [&](std::size_t first, MatrixView<double> out) { array.read_rows(first, out); };
  return with_classes(read_matrix(array.rows, array.cols, file, read), file);
}

}  // namespace

RawVotes read_npy_votes(const VoteFile& file) {
  require_form_of(file, "an array");
  std::error_code ignored;
  // A matrix in a file is never whole in memory; a pipe can be opened only once.
  if (!file.labels_only &&
      std::filesystem::is_regular_file(split_npz_path(file.path).file, ignored)) {
    const NpyScoreFile opened = open_npy_scores(file.path);
    if (opened.header.shape.size() == 2) {
      const auto read = [&](std::size_t, MatrixView<double> out) {
        opened.reader->read(out, nullptr);
      };
      return with_classes(read_matrix(opened.header.rows(), opened.header.cols(), file, read),
                          file);
    }
  }
  return read_array(NpyArray(file.path).numbers(), file);
}

RawVotes read_npy_votes(Bytes bytes, const VoteFile& file) {
  return read_array(NpyArray(std::move(bytes), file.path).numbers(), file);
}

RawVotes read_array_votes(const NumberArray& array, const VoteFile& file) {
  if (array.rows == 0 || array.cols == 0) {
    throw Error(ErrorCode::data, fmt::format("{}: no rows of votes", file.path));
  }
  return read_array(array, file);
}

}  // namespace credence::io
