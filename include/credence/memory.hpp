// Data that are in memory already, given in the place of a file: arrays of numbers and tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "credence/matrix.hpp"

// The Arrow C data and stream interfaces, which pandas, polars and pyarrow hand over: structures
// whose layout the Arrow project has frozen, so that tables can change hands without linking
// anything.
extern "C" {
#ifndef ARROW_C_DATA_INTERFACE  // as every header that has them guards them
#define ARROW_C_DATA_INTERFACE

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

#endif
}  // extern "C"

namespace credence::io {

class ArrowBatches;  // inside the library: src/io/arrow

enum class NumberType { f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, boolean };
std::size_t size_of(NumberType type);

/// A vector or matrix of numbers that somebody keeps alive. Strides are in bytes and may be
/// negative.
struct NumberArray {
  NumberType type = NumberType::f64;
  bool swapped = false;  ///< other byte order than this machine
  const std::byte* data = nullptr;
  std::size_t rows = 0, cols = 1;
  std::ptrdiff_t row_stride = 0, column_stride = 0;
  bool is_vector = false;

  /// True when the elements can be used in place: native, row-major, without gaps.
  bool is_plain(NumberType wanted) const;
  /// Converts rows [first, first + out.rows()) to double.
  void read_rows(std::size_t first, MatrixView<double> out) const;
  /// The only column as integers; a value that is not a whole number is an Error naming `path` and
  /// the row, which counts from `first_row`.
  std::vector<std::int64_t> integers(const std::string& path, std::size_t first_row = 0) const;
};

/// Named columns of equal length.
class Table {
 public:
  virtual ~Table() = default;
  virtual std::size_t rows() const = 0;
  virtual const std::vector<std::string>& names() const = 0;
  virtual bool is_number(std::size_t column) const = 0;
  /// The cell as a text file would have it, blank where a value is missing; may use `buffer`.
  virtual std::string_view text(std::size_t row, std::size_t column, std::string& buffer) const = 0;
  /// Cells [first, first + count) of a column of numbers; a missing one is NaN.
  virtual void numbers(std::size_t column, std::size_t first, std::size_t count, double* out,
                       std::size_t stride) const = 0;
  /// Besides `names` there are columns of lists, structures or maps, which `batches` gives.
  virtual bool has_nested() const { return false; }
  /// All columns as Arrow has them, from the first row on; null for tables that are none of Arrow.
  virtual std::unique_ptr<ArrowBatches> batches() const;
};

/// Takes over the stream and reads its batches, which stay where they are. `name` is for messages.
std::shared_ptr<const Table> import_arrow(ArrowArrayStream* stream, const std::string& name);

/// A table put together column by column.
class ColumnTable : public Table {
 public:
  /// `numbers` has one column and must outlive the table.
  void add(std::string name, const NumberArray& numbers);
  /// Empty: a missing value.
  void add(std::string name, std::vector<std::optional<std::string>> texts);

  std::size_t rows() const override { return rows_; }
  const std::vector<std::string>& names() const override { return names_; }
  bool is_number(std::size_t column) const override { return columns_[column].is_number; }
  std::string_view text(std::size_t row, std::size_t column, std::string& buffer) const override;
  void numbers(std::size_t column, std::size_t first, std::size_t count, double* out,
               std::size_t stride) const override;

 private:
  struct Column {
    bool is_number = false;
    NumberArray numbers;
    std::vector<std::optional<std::string>> texts;
  };
  void add_column(std::string name, Column column, std::size_t rows);

  std::size_t rows_ = 0;
  std::vector<std::string> names_;
  std::vector<Column> columns_;
};

class TableWriter;

/// Files that this library leaves to another: Parquet, Feather, Arrow. Python brings pyarrow; the
/// program finds DuckDB. Whatever fails is an Error that names the file.
class TableFiles {
 public:
  virtual ~TableFiles() = default;
  /// False where it cannot be had on this machine, or does not know the format.
  virtual bool can_read(const std::string& path) = 0;
  /// A stream of these columns, all rows in order; without columns, of all of them and no rows.
  virtual void open(const std::string& path, const std::vector<std::string>& columns,
                    ArrowArrayStream* out) = 0;
  /// Where the files tell it without being read.
  virtual std::optional<std::size_t> rows(const std::string& path) = 0;
  /// "folder/part-7.parquet: row 12" for a row of the table, whose rows count from 0.
  virtual std::string place(const std::string& path, std::size_t row) = 0;
  virtual bool can_write(const std::string& path) = 0;
  /// Writes to `temporary` what will become `path`; `commit` completes the file.
  virtual std::unique_ptr<TableWriter> create(const std::string& temporary, const std::string& path,
                                              bool float64,
                                              const std::vector<std::string>& classes) = 0;
};
/// Asked before DuckDB; empty: nobody.
void set_table_files(std::shared_ptr<TableFiles> files);

/// What stands in the place of a file: an array or a table, and ids for its rows where they are
/// known besides.
struct Given {
  std::optional<NumberArray> array;
  std::shared_ptr<const Table> table;
  std::vector<std::string> ids;
};

}  // namespace credence::io
