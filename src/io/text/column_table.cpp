#include <fmt/format.h>

#include <cmath>

#include "credence/error.hpp"
#include "credence/memory.hpp"
#include "io/arrow/arrow_batches.hpp"
#include "io/text/number_text.hpp"

namespace credence::io {

std::unique_ptr<ArrowBatches> Table::batches() const { return nullptr; }

void ColumnTable::add_column(std::string name, Column column, std::size_t rows) {
  if (!columns_.empty() && rows != rows_) {
    throw Error(ErrorCode::data,
                fmt::format("column '{}' has {} rows, the first column has {}", name, rows, rows_));
  }
  rows_ = rows;
  names_.push_back(std::move(name));
  columns_.push_back(std::move(column));
}

void ColumnTable::add(std::string name, const NumberArray& numbers) {
  if (numbers.cols != 1) {
    throw Error(ErrorCode::data, fmt::format("column '{}' is there {} times", name, numbers.cols),
                "give every column a name of its own");
  }
  add_column(std::move(name), {.is_number = true, .numbers = numbers, .texts = {}}, numbers.rows);
}

void ColumnTable::add(std::string name, std::vector<std::optional<std::string>> texts) {
  const std::size_t rows = texts.size();
  add_column(std::move(name), {.is_number = false, .numbers = {}, .texts = std::move(texts)}, rows);
}

std::string_view ColumnTable::text(std::size_t row, std::size_t column, std::string& buffer) const {
  const Column& from = columns_[column];
  if (!from.is_number) {
    return from.texts[row] ? std::string_view(*from.texts[row]) : std::string_view();
  }
  return number_text(from.numbers.type,
                     from.numbers.data + static_cast<std::ptrdiff_t>(row) * from.numbers.row_stride,
                     buffer);
}

void ColumnTable::numbers(std::size_t column, std::size_t first, std::size_t count, double* out,
                          std::size_t stride) const {
  const NumberArray& from = columns_[column].numbers;
  for (std::size_t i = 0; i < count; ++i) {
    from.read_rows(first + i, {out + i * stride, 1, 1});
  }
}

}  // namespace credence::io
