// Scores from NumPy arrays. A plain file is read with pread into a small buffer rather than mapped,
// so that streaming through gigabytes keeps the resident memory small.
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <vector>

#include "credence/error.hpp"
#include "io/bytes/file_handle.hpp"
#include "io/bytes/input_guard.hpp"
#include "io/npy/npy.hpp"
#include "io/npy/npz.hpp"
#include "io/scores/score_reader.hpp"

namespace credence::io {
namespace {

class NpyScores : public ScoreReader {
 public:
  explicit NpyScores(std::string path) : path_(std::move(path)) {}
  std::size_t cols() const override { return header_.cols(); }
  std::optional<std::size_t> rows() const override { return header_.rows(); }
  const std::vector<std::string>& classes() const override { return no_classes_; }
  bool has_ids() const override { return false; }
  std::string_view form() const override { return "NumPy array"; }
  const NpyHeader& header() const { return header_; }

  std::size_t read(MatrixView<double> out, std::vector<std::string>* ids) override {
    assert(out.cols() == cols());
    if (ids != nullptr) ids->clear();
    const std::size_t count = std::min(out.rows(), header_.rows() - next_row_);
    const std::size_t step = block_rows(cols());
    for (std::size_t done = 0; done < count; done += step) {
      const std::size_t rows = std::min(step, count - done);
      read_block(out.block(done, rows));
      next_row_ += rows;
    }
    return count;
  }

 protected:
  virtual void read_block(MatrixView<double> out) = 0;

  std::string path_;
  NpyHeader header_;
  std::size_t next_row_ = 0;
  std::vector<std::byte> buffer_;

 private:
  std::vector<std::string> no_classes_;
};

class NpyFileScores : public NpyScores {
 public:
  NpyFileScores(const std::string& path, FileHandle file, std::size_t size)
      : NpyScores(path), file_(std::move(file)), state_(state_of(file_)) {
    std::string bytes(std::min(kNpyPreamble, size), '\0');
    read_start(bytes);
    bytes.resize(std::min(npy_header_size(bytes, path_), size));
    read_start(bytes);
    header_ = parse_npy_header(bytes, path_);
    check_npy_size(header_, size - header_.data_offset, path_);
  }

 private:
  void read_start(std::string& bytes) {
    read_at(file_, 0, reinterpret_cast<std::byte*>(bytes.data()), bytes.size(), path_);
  }

  void read_block(MatrixView<double> out) override {
    const std::size_t size = header_.element_size;
    const auto fetch = [&](std::size_t element, std::size_t count, double* to, std::size_t stride) {
      buffer_.resize(count * size);
      read_at(file_, header_.data_offset + element * size, buffer_.data(), buffer_.size(), path_);
      convert_npy(header_.type, header_.swapped, buffer_.data(), count, to, stride);
    };
    if (!header_.fortran_order) {
      fetch(next_row_ * cols(), out.size(), out.data(), 1);
    } else {
      for (std::size_t k = 0; k < cols(); ++k) {
        fetch(k * header_.rows() + next_row_, out.rows(), out.data() + k, cols());
      }
    }
    if (next_row_ + out.rows() == header_.rows()) check_unchanged(file_, state_, path_);
  }

  FileHandle file_;
  FileState state_;
};

class NpyStreamScores : public NpyScores {
 public:
  NpyStreamScores(const std::string& path, std::unique_ptr<ByteSource> source)
      : NpyScores(path), source_(std::move(source)) {
    std::string bytes = peek(source_, kNpyPreamble);
    bytes = peek(source_, npy_header_size(bytes, path_));
    header_ = parse_npy_header(bytes, path_);
    if (header_.fortran_order) {
      held_ = read_all(*source_);
      check_npy_size(header_, held_.size - header_.data_offset, path_);
    } else {
      read_fully(*source_, bytes.data(), bytes.size());
      require_first_row();
    }
  }

 private:
  // How many columns there are is believed once as many numbers have arrived.
  void require_first_row() {
    const std::size_t wanted = cols() * header_.element_size;
    std::string row;
    while (row.size() < wanted) {
      const std::size_t have = row.size();
      row.resize(have + std::min(wanted - have, kChunk));
      if (read_fully(*source_, row.data() + have, row.size() - have) < row.size() - have) {
        ended_early();
      }
    }
    first_row_ = std::move(row);
  }

  [[noreturn]] void ended_early() const {
    throw Error(ErrorCode::format,
                fmt::format("{}: truncated: the header promises {} rows of {}, the data end in row "
                            "{} (counted from 0)",
                            path_, header_.rows(), cols(), next_row_),
                "the program that wrote it may have been interrupted");
  }

  void read_block(MatrixView<double> out) override {
    const std::size_t size = header_.element_size;
    if (held_.data != nullptr) {
      const std::byte* data = held_.data + header_.data_offset;
      for (std::size_t k = 0; k < cols(); ++k) {
        convert_npy(header_.type, header_.swapped, data + (k * header_.rows() + next_row_) * size,
                    out.rows(), out.data() + k, cols());
      }
      return;
    }
    buffer_.resize(out.size() * size);
    auto* to = reinterpret_cast<char*>(buffer_.data());
    const std::size_t early = first_row_.size();
    std::copy(first_row_.begin(), first_row_.end(), to);
    first_row_.clear();
    const std::size_t got = read_fully(*source_, to + early, buffer_.size() - early);
    if (early + got < buffer_.size()) {
      next_row_ += (early + got) / (cols() * size);
      ended_early();
    }
    convert_npy(header_.type, header_.swapped, buffer_.data(), out.size(), out.data());
    // Only the end of a compressed stream tells whether it was whole.
    char extra = 0;
    const bool last = next_row_ + out.rows() == header_.rows();
    if (last && source_->should_be_drained() && source_->read(&extra, 1) != 0) {
      read_to_end(*source_);
      throw_surplus(path_);
    }
  }

  std::unique_ptr<ByteSource> source_;
  std::string first_row_;
  Bytes held_;  // Fortran order needs the whole array before the first row
};

}  // namespace

NpyScoreFile open_npy_stream(const std::string& path, std::unique_ptr<ByteSource> source) {
  auto reader = std::make_unique<NpyStreamScores>(display_name(path), std::move(source));
  const NpyHeader header = reader->header();
  return {std::move(reader), header, false};
}

NpyScoreFile open_npy_scores(const std::string& path) {
  const NpzPath named = split_npz_path(path);
  FileHandle file = open_for_reading(named.file);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) throw_system_error(named.file, "cannot read", errno);
  if (!S_ISREG(info.st_mode)) return open_npy_stream(path, open_bytes(std::move(file), path));
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0)
    throw Error(ErrorCode::format, fmt::format("{}: the file is empty", named.file),
                "the program that wrote it may have failed");

  std::string magic(std::min(size, kZipMagic.size()), '\0');
  read_at(file, 0, reinterpret_cast<std::byte*>(magic.data()), magic.size(), named.file);
  if (magic.starts_with("\x1f\x8b")) {
    return open_npy_stream(path, open_bytes(std::move(file), path));
  }
  if (is_archive(magic)) {
    const ByteStore archive(std::move(file), size, named.file);
    return open_npy_stream(path,
                           open_member(archive, find_member(archive, named.member, path), path));
  }
  if (!named.member.empty()) {
    throw Error(ErrorCode::format, fmt::format("{}: not an .npz archive", named.file),
                "only .npz archives have named arrays");
  }
  auto reader = std::make_unique<NpyFileScores>(path, std::move(file), size);
  const NpyHeader header = reader->header();
  return {std::move(reader), header, true};
}

}  // namespace credence::io
