// What the writers of tables share.
#pragma once

#include <charconv>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "credence/io.hpp"
#include "io/write/atomic_file.hpp"

namespace credence::io {

/// Text on its way to a file in large pieces.
class BufferedFile {
 public:
  explicit BufferedFile(const std::string& path) : file_(path) {}
  /// Append here, then call `drain`.
  std::string& text() { return buffer_; }
  void drain() {
    if (buffer_.size() >= kLimit) flush();
  }
  void finish();
  void commit() { file_.commit(); }

 private:
  static constexpr std::size_t kLimit = std::size_t{1} << 20;
  void flush();
  AtomicFile file_;
  std::string buffer_;
};

/// Columns and ids must stay as the first block had them.
class TableShape {
 public:
  explicit TableShape(std::vector<std::string> classes) : classes_(std::move(classes)) {}
  void check(Rows rows, const std::vector<std::string>& ids);
  bool known() const { return known_; }
  bool has_ids() const { return has_ids_; }
  std::size_t cols() const { return known_ ? cols_ : classes_.size(); }
  /// The name of a column: that of the class, or p0, p1, ...
  std::string column(std::size_t k) const {
    return classes_.empty() ? "p" + std::to_string(k) : classes_[k];
  }

 private:
  std::vector<std::string> classes_;
  std::size_t cols_ = 0;
  bool known_ = false;
  bool has_ids_ = false;
};

/// The shortest text that reads back as the same float32 or float64.
inline void append_number(std::string& text, double value, bool float64) {
  char digits[32];
  const auto end = float64
                       ? std::to_chars(digits, digits + sizeof digits, value)
                       : std::to_chars(digits, digits + sizeof digits, static_cast<float>(value));
  text.append(digits, end.ptr);
}

/// The cell in quotes where a reader of CSV would need them.
void append_csv_cell(std::string& text, std::string_view cell);

/// A table that is complete before it has its name.
class StagedTable : public TableWriter {
 public:
  /// There are no more rows; everything is on disk, under the temporary name.
  void finish() {
    if (!finished_) complete();
    finished_ = true;
  }
  void commit() final {
    finish();
    publish();
  }

 private:
  virtual void complete() = 0;
  virtual void publish() = 0;
  bool finished_ = false;
};

std::unique_ptr<StagedTable> create_staged_table(const std::string& path,
                                                 const TableOptions& options,
                                                 const std::vector<std::string>& classes);
std::unique_ptr<StagedTable> create_npy_table(const std::string& path, bool float64,
                                              std::vector<std::string> classes);
std::unique_ptr<StagedTable> create_csv_table(const std::string& path, bool float64,
                                              std::vector<std::string> classes);
/// The last `extra` columns come under their own names, after the list of probabilities.
std::unique_ptr<StagedTable> create_json_table(const std::string& path, bool float64,
                                               std::vector<std::string> classes, std::size_t extra);
/// Parquet, or what else the name says, by those who read and write such files for us.
std::unique_ptr<StagedTable> create_table_file(const std::string& path, bool float64,
                                               const std::vector<std::string>& classes);

}  // namespace credence::io
