// Probabilities to .npy, .csv, .jsonl and Parquet, block by block.
#include "io/write/table_writer.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "credence/error.hpp"

namespace credence::io {

void BufferedFile::flush() {
  file_.write(buffer_);
  buffer_.clear();
}

void BufferedFile::finish() {
  flush();
  file_.finish();
}

void TableShape::check(Rows rows, const std::vector<std::string>& ids) {
  if (!known_) {
    cols_ = rows.cols();
    has_ids_ = !ids.empty();
    known_ = true;
  }
  if (rows.cols() != cols_ || (!classes_.empty() && classes_.size() != cols_)) {
    throw Error(ErrorCode::usage,
                fmt::format("a block of {} columns for a table of {}", rows.cols(),
                            classes_.empty() ? cols_ : classes_.size()));
  }
  if (has_ids_ ? ids.size() != rows.rows() : !ids.empty()) {
    throw Error(ErrorCode::usage,
                fmt::format("{} ids for a block of {} rows", ids.size(), rows.rows()));
  }
}

std::unique_ptr<TableWriter> create_table(const std::string& path, const TableOptions& options,
                                          const std::vector<std::string>& classes) {
  return create_staged_table(path, options, classes);
}

std::unique_ptr<StagedTable> create_staged_table(const std::string& path,
                                                 const TableOptions& options,
                                                 const std::vector<std::string>& classes) {
  switch (options.format) {
    case TableFormat::npy:
      return create_npy_table(path, options.float64, classes);
    case TableFormat::csv:
      return create_csv_table(path, options.float64, classes);
    case TableFormat::jsonl:
      return create_json_table(path, options.float64, classes, options.extra);
    case TableFormat::parquet:
      return create_table_file(path, options.float64, classes);
  }
  throw Error(ErrorCode::usage, "unknown table format");
}

}  // namespace credence::io
