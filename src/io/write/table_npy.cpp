// Tables of probabilities as .npy. The number of rows is known only at the end, so the header has a
// fixed size and is filled in by commit; what cannot be rewound (standard output, a pipe) is
// collected in an unnamed file first.
#include <fmt/core.h>

#include <bit>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <optional>

#include "io/write/table_writer.hpp"

namespace credence::io {
namespace {

constexpr std::size_t kHeaderSize = 128;  // a multiple of 64, as NumPy aligns the data

std::string make_header(bool float64, std::size_t rows, std::size_t cols) {
  constexpr std::size_t kLength = kHeaderSize - 10;
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(kLength & 255);
  header += static_cast<char>(kLength >> 8);
  header += fmt::format("{{'descr': '{}f{}', 'fortran_order': False, 'shape': ({}, {}), }}",
                        std::endian::native == std::endian::little ? '<' : '>', float64 ? 8 : 4,
                        rows, cols);
  header.resize(kHeaderSize - 1, ' ');
  return header + '\n';
}

class NpyTable : public StagedTable {
 public:
  NpyTable(const std::string& path, bool float64, std::vector<std::string> classes)
      : file_(path), shape_(std::move(classes)), float64_(float64) {
    if (!file_.can_patch()) spool_ = make_spool_file(file_.path());
    buffer_.assign(kHeaderSize, ' ');
  }

  void write(Rows rows, const std::vector<std::string>& ids) override {
    shape_.check(rows, ids);
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      float64_ ? append<double>(rows.row(i)) : append<float>(rows.row(i));
      if (buffer_.size() >= kLimit) flush();
    }
    rows_ += rows.rows();
  }

 private:
  static constexpr std::size_t kLimit = std::size_t{1} << 20;

  void complete() override {
    flush();
    const std::string header = make_header(float64_, rows_, shape_.cols());
    if (file_.can_patch()) {
      file_.write_at(0, header);
    } else {
      write_fully_at(spool_, 0, header, file_.path());
      send_spool();
    }
    file_.finish();
  }
  void publish() override { file_.commit(); }

  template <class T>
  void append(std::span<const double> row) {
    const std::size_t at = buffer_.size();
    buffer_.resize(at + row.size() * sizeof(T));
    char* out = buffer_.data() + at;
    for (const double value : row) {
      const T stored = static_cast<T>(value);
      std::memcpy(out, &stored, sizeof(T));
      out += sizeof(T);
    }
  }

  void flush() {
    if (file_.can_patch()) {
      file_.write(buffer_);
    } else {
      write_fully(spool_, buffer_, file_.path());
    }
    buffer_.clear();
  }

  void send_spool() {
    buffer_.resize(kLimit);
    for (std::size_t offset = 0;;) {
      const ssize_t got =
          ::pread(spool_.get(), buffer_.data(), buffer_.size(), static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw_system_error(file_.path(), "cannot read back", errno);
      if (got == 0) return;
      file_.write({buffer_.data(), static_cast<std::size_t>(got)});
      offset += static_cast<std::size_t>(got);
    }
  }

  AtomicFile file_;
  FileHandle spool_;
  TableShape shape_;
  bool float64_;
  std::size_t rows_ = 0;
  std::string buffer_;
};

}  // namespace

std::unique_ptr<StagedTable> create_npy_table(const std::string& path, bool float64,
                                              std::vector<std::string> classes) {
  return std::make_unique<NpyTable>(path, float64, std::move(classes));
}

}  // namespace credence::io
