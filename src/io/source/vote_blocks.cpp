#include "io/source/vote_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <utility>

#include "credence/error.hpp"
#include "io/arrow/table_files.hpp"
#include "io/bytes/input_guard.hpp"
#include "io/formats/file_format.hpp"
#include "io/npy/npy_bytes.hpp"
#include "io/scores/score_reader.hpp"
#include "io/source/file_size.hpp"
#include "io/votes/vote_forms.hpp"
#include "io/votes/vote_nested.hpp"

namespace credence::io {
namespace {

/// The file with what its name says of the column.
VoteFile named_inside(const VoteFile& file) {
  return is_table_path(file.path) ? votes_in_table(file) : file;
}

VoteTable without_problems(RawVotes raw, const VoteFile& piece) {
  if (!raw.problems.empty()) throw to_error(raw.problems.front(), piece);
  return std::move(raw.table);
}

/// A plain .npy file in C order.
class ArrayVotes final : public VoteBlocks {
 public:
  ArrayVotes(const VoteFile& file, NpyHeader header)
      : file_(shown(file)),
        header_(std::move(header)),
        handle_(open_for_reading(file.path)),
        state_(state_of(handle_)) {
    remember_input(file.path, state_);
  }
  void rewind() override { next_row_ = 0; }
  VoteTable read(std::size_t most) override {
    const std::size_t rows = std::min(most, header_.rows() - next_row_);
    if (rows == 0) return {};
    const std::size_t row_bytes = header_.cols() * header_.element_size;
    bytes_.resize(rows * row_bytes);
    read_at(handle_, header_.data_offset + next_row_ * row_bytes, bytes_.data(), bytes_.size(),
            file_.path);
    if (next_row_ + rows == header_.rows()) check_unchanged(handle_, state_, file_.path);
    NumberArray array{.type = header_.type, .swapped = header_.swapped, .data = bytes_.data()};
    array.rows = rows;
    array.cols = header_.cols();
    array.row_stride = static_cast<std::ptrdiff_t>(row_bytes);
    array.column_stride = static_cast<std::ptrdiff_t>(header_.element_size);
    array.is_vector = header_.shape.size() == 1;
    file_.first_row = std::exchange(next_row_, next_row_ + rows);
    return without_problems(read_array_votes(array, file_), file_);
  }

 private:
  VoteFile file_;
  NpyHeader header_;
  FileHandle handle_;
  FileState state_;
  std::vector<std::byte> bytes_;
  std::size_t next_row_ = 0;
};

/// The next rows of a table, as a table of their own.
class TablePiece final : public CellTable {
 public:
  explicit TablePiece(CellTable& whole) : whole_(whole) {
    header_ = whole.header();
    cols_ = whole.cols();
  }
  /// Makes room for `most` more rows; false when there are none.
  bool begin(std::size_t most) {
    left_ = most;
    waiting_ = whole_.next(first_);
    return waiting_;
  }
  bool next(std::vector<std::string_view>& cells) override {
    if (left_ == 0) return false;
    --left_;
    if (std::exchange(waiting_, false)) {
      cells.swap(first_);
      return true;
    }
    return whole_.next(cells);
  }
  std::size_t line() const override { return whole_.line(); }
  bool is_text() const override { return whole_.is_text(); }
  const std::string& path() const override { return whole_.path(); }

 private:
  CellTable& whole_;
  std::vector<std::string_view> first_;
  bool waiting_ = false;
  std::size_t left_ = 0;
};

class TableVotes final : public VoteBlocks {
 public:
  TableVotes(const VoteFile& file, std::unique_ptr<CellTable> table)
      : file_(file), shown_(shown(named_inside(file))), table_(std::move(table)) {}
  void rewind() override {
    if (shown_.first_row == 0 && next_row_ == 0) return;
    std::unique_ptr<ByteSource> source;
    const FileFormat& format = recognise(file_.path, source);
    table_ = format.open_vote_table(file_, std::move(source));
    next_row_ = 0;
  }
  VoteTable read(std::size_t most) override {
    TablePiece piece(*table_);
    if (!piece.begin(most)) return {};
    shown_.first_row = next_row_;
    VoteTable table = without_problems(read_table_votes(piece, shown_), shown_);
    next_row_ += table.votes.rows();
    return table;
  }

 private:
  VoteFile file_, shown_;
  std::unique_ptr<CellTable> table_;
  std::size_t next_row_ = 0;
};

/// A format that gives its rows in pieces itself.
class PieceVotes final : public VoteBlocks {
 public:
  PieceVotes(const VoteFile& file, const FileFormat& format, std::unique_ptr<VotePieces> pieces)
      : file_(file), shown_(shown(file)), format_(format), pieces_(std::move(pieces)) {}
  void rewind() override {
    if (shown_.first_row == 0 && next_row_ == 0) return;
    pieces_ = format_.open_vote_pieces(file_);
    shown_.first_row = next_row_ = 0;
  }
  VoteTable read(std::size_t most) override {
    shown_.first_row = next_row_;
    VoteTable table = without_problems(pieces_->read(most), shown_);
    next_row_ += table.votes.rows();
    return table;
  }

 private:
  VoteFile file_, shown_;
  const FileFormat& format_;
  std::unique_ptr<VotePieces> pieces_;
  std::size_t next_row_ = 0;
};

class HeldVotes final : public VoteBlocks {
 public:
  explicit HeldVotes(VoteTable table) : all_(std::move(table)) {}
  void rewind() override { next_row_ = 0; }
  VoteTable read(std::size_t most) override {
    const std::size_t rows = std::min(most, all_.votes.rows() - next_row_);
    if (rows == 0) return {};
    std::vector<std::size_t> wanted(rows);
    std::iota(wanted.begin(), wanted.end(), next_row_);
    VoteTable piece = {.votes = all_.votes.select(wanted),
                       .ids = {},
                       .classes = all_.classes,
                       .form = all_.form,
                       .gathered = all_.gathered,
                       .annotators = all_.annotators,
                       .notes = all_.notes};
    if (!all_.ids.empty()) {
      const auto from = all_.ids.begin() + static_cast<std::ptrdiff_t>(next_row_);
      piece.ids.assign(from, from + static_cast<std::ptrdiff_t>(rows));
    }
    next_row_ += rows;
    return piece;
  }

 private:
  VoteTable all_;
  std::size_t next_row_ = 0;
};

}  // namespace

std::unique_ptr<VoteBlocks> open_vote_blocks(const VoteFile& file, std::size_t memory) {
  check_class_names(file.classes, "classes of the votes");
  if (is_npy_path(file.path)) {
    NpyScoreFile opened = open_npy_scores(file.path);
    const bool by_row = !opened.header.fortran_order || opened.header.cols() == 1;
    if (opened.in_file && by_row) return std::make_unique<ArrayVotes>(file, opened.header);
  } else {
    std::unique_ptr<ByteSource> source;
    const FileFormat& format = recognise(file.path, source);
    if (format.open_vote_pieces != nullptr) {
      if (auto pieces = format.open_vote_pieces(file)) {
        return std::make_unique<PieceVotes>(file, format, std::move(pieces));
      }
    }
    if (format.open_vote_table != nullptr) {
      auto table = format.open_vote_table(file, std::move(source));
      if (!find_long_columns(table->header(), named_inside(file))) {
        return std::make_unique<TableVotes>(file, std::move(table));
      }
    }
  }
  if (votes_in_memory(file.path) > memory) {
    throw Error(
        ErrorCode::usage,
        fmt::format("{}: votes in this form are read whole, which would take about {}; {} are "
                    "allowed",
                    display_name(file.path), in_bytes(votes_in_memory(file.path)),
                    in_bytes(memory)),
        "give a row of counts per example as .npy or .csv, in the order of the scores, or allow "
        "more with ‹memory=SIZE›");
  }
  return std::make_unique<HeldVotes>(load_votes(file));
}

}  // namespace credence::io
