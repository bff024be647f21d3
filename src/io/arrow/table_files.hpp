// Tables in files that others read for us, by their names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "credence/memory.hpp"
#include "io/arrow/arrow_batches.hpp"
#include "io/text/cell_table.hpp"

namespace credence::io {

/// "scores.parquet:logits" as file and column; the column is empty when none is named.
struct TablePath {
  std::string file, column;
};
TablePath split_table_path(const std::string& path);

/// A file that ends in .parquet, .pq, .feather, .arrow or .ipc, a pattern of such files, a folder
/// with some, or an address (s3://...); a column may be named behind it.
bool is_table_path(const std::string& path);

/// Who reads or writes `file`; an Error with the way out where nobody can.
std::shared_ptr<TableFiles> reader_of(const std::string& file);
std::shared_ptr<TableFiles> writer_of(const std::string& file);

/// The rows of these columns, or, without columns, all columns without rows.
std::unique_ptr<ArrowBatches> open_table_file(const std::string& file,
                                              const std::vector<std::string>& columns);

/// The columns that are cells of a text file, row by row.
std::unique_ptr<CellTable> open_table_cells(const std::string& file);

/// DuckDB's library where one is installed, else null.
std::shared_ptr<TableFiles> find_duckdb();

}  // namespace credence::io
