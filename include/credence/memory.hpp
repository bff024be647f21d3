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

// The Arrow C stream interface: what pandas, polars and pyarrow hand over.
struct ArrowArrayStream;

namespace credence::io {

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

/// What stands in the place of a file: an array or a table, and ids for its rows where they are
/// known besides.
struct Given {
  std::optional<NumberArray> array;
  std::shared_ptr<const Table> table;
  std::vector<std::string> ids;
};

}  // namespace credence::io
