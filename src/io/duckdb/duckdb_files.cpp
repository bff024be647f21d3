// Parquet files through DuckDB.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <utility>

#include "credence/error.hpp"
#include "io/arrow/table_files.hpp"
#include "io/duckdb/duckdb_library.hpp"
#include "io/text/delimited.hpp"
#include "io/write/table_writer.hpp"

namespace credence::io {
namespace {

using duckdb::Library;
using duckdb::quoted_name;
using duckdb::quoted_text;

bool is_parquet(std::string_view path) {
  for (const std::string_view ending : {".parquet", ".pq"}) {
    if (path.size() > ending.size() &&
        equal_ignoring_case(path.substr(path.size() - ending.size()), ending)) {
      return true;
    }
  }
  return false;
}

/// A file, a pattern, or every Parquet file below a folder.
std::string pattern_of(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::is_directory(path, failed)) return quoted_text(path);
  return quoted_text((std::filesystem::path(path) / "**" / "*.parquet").string());
}

/// Rows of a statement as the Arrow C stream interface gives them.
struct RowStream {
  RowStream(const Library& library, const std::string& statement, const std::string& what)
      : rows(library, statement, what) {}

  duckdb::Rows rows;
  std::function<std::string()> find_culprit = {};  ///< which part of the files cannot be read
  std::string error;

  template <class Out>
  static int guarded(ArrowArrayStream* stream, Out* out, void (duckdb::Rows::*step)(Out*)) {
    auto& self = *static_cast<RowStream*>(stream->private_data);
    try {
      (self.rows.*step)(out);
      return 0;
    } catch (const std::exception& failure) {
      self.error = self.find_culprit ? self.find_culprit() : std::string();
      if (self.error.empty()) self.error = failure.what();
      return EIO;
    }
  }
};

void export_rows(std::unique_ptr<RowStream> rows, ArrowArrayStream* out) {
  out->get_schema = [](ArrowArrayStream* self, ArrowSchema* schema) {
    return RowStream::guarded(self, schema, &duckdb::Rows::describe);
  };
  out->get_next = [](ArrowArrayStream* self, ArrowArray* array) {
    return RowStream::guarded(self, array, &duckdb::Rows::next);
  };
  out->get_last_error = [](ArrowArrayStream* self) {
    return static_cast<RowStream*>(self->private_data)->error.c_str();
  };
  out->release = [](ArrowArrayStream* self) {
    delete static_cast<RowStream*>(self->private_data);
    self->release = nullptr;
  };
  out->private_data = rows.release();
}

/// Text in a file without a name first, because DuckDB writes a table in one go; from there it is
/// copied in bounded memory. Shortest decimals read back as the same numbers.
class DuckdbWriter final : public TableWriter {
 public:
  DuckdbWriter(const Library& library, std::string temporary, std::string path, bool float64,
               std::vector<std::string> classes)
      : library_(library),
        temporary_(std::move(temporary)),
        path_(std::move(path)),
        float64_(float64),
        shape_(std::move(classes)),
        spool_(make_spool_file(temporary_)) {}

  void write(credence::Rows rows, const std::vector<std::string>& ids) override {
    shape_.check(rows, ids);
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      if (shape_.has_ids()) append_csv_cell(text_, ids[i]);
      for (std::size_t k = 0; k < rows.cols(); ++k) {
        if (k > 0 || shape_.has_ids()) text_ += ',';
        append_number(text_, rows(i, k), float64_);
      }
      text_ += '\n';
      if (text_.size() >= kLimit) flush();
    }
  }

  void commit() override {
    flush();
    const std::string columns = column_types();
    const duckdb::Connection connection(library_);
    connection.run(
        fmt::format("COPY (SELECT * FROM read_csv('/proc/self/fd/{}', header = false, auto_detect "
                    "= false, delim = ',', quote = '\"', escape = '\"', allow_quoted_nulls = "
                    "false, columns = {{{}}})) TO {} (FORMAT parquet, USE_TMP_FILE false)",
                    spool_.get(), columns, quoted_text(temporary_)),
        path_);
  }

 private:
  static constexpr std::size_t kLimit = std::size_t{1} << 20;

  std::string column_types() const {
    std::string columns;
    if (shape_.has_ids()) columns += "'id': 'VARCHAR'";
    for (std::size_t k = 0; k < shape_.cols(); ++k) {
      if (!columns.empty()) columns += ", ";
      columns +=
          fmt::format("{}: '{}'", quoted_text(shape_.column(k)), float64_ ? "DOUBLE" : "FLOAT");
    }
    return columns;
  }
  void flush() {
    write_fully(spool_, text_, path_);
    text_.clear();
  }

  const Library& library_;
  std::string temporary_, path_;
  bool float64_;
  TableShape shape_;
  FileHandle spool_;
  std::string text_;
};

class DuckdbFiles final : public TableFiles {
 public:
  explicit DuckdbFiles(const Library& library) : library_(library) {}

  bool can_read(const std::string& path) override {
    std::error_code failed;
    return path.find("://") == std::string::npos &&
           (is_parquet(path) || std::filesystem::is_directory(path, failed));
  }
  void open(const std::string& path, const std::vector<std::string>& columns,
            ArrowArrayStream* out) override {
    std::string wanted;
    for (const std::string& name : columns) {
      wanted += (wanted.empty() ? "" : ", ") + quoted_name(name);
    }
    const std::string statement =
        fmt::format("SELECT {} FROM read_parquet({}){}", columns.empty() ? "*" : wanted,
                    pattern_of(path), columns.empty() ? " LIMIT 0" : "");
    std::unique_ptr<RowStream> rows;
    try {
      rows = std::make_unique<RowStream>(library_, statement, path);
    } catch (const Error&) {
      const std::string culprit = columns.empty() ? std::string() : unreadable_part(path, wanted);
      if (culprit.empty()) throw;
      throw Error(ErrorCode::data, culprit);
    }
    if (!columns.empty()) {
      rows->find_culprit = [this, path, wanted] { return unreadable_part(path, wanted); };
    }
    export_rows(std::move(rows), out);
  }
  std::optional<std::size_t> rows(const std::string& path) override {
    std::size_t all = 0;
    for (const auto& [name, rows] : file_sizes(path)) all += rows;
    return all;
  }
  std::string place(const std::string& path, std::size_t row) override {
    for (const auto& [name, rows] : file_sizes(path)) {
      if (row < rows) return fmt::format("{}: row {}", name, row);
      row -= rows;
    }
    return path;
  }
  bool can_write(const std::string& path) override { return is_parquet(path); }
  std::unique_ptr<TableWriter> create(const std::string& temporary, const std::string& path,
                                      bool float64,
                                      const std::vector<std::string>& classes) override {
    return std::make_unique<DuckdbWriter>(library_, temporary, path, float64, classes);
  }

 private:
  /// What a statement about the ends of the files gives, row by row.
  ArrowCursor ask(const std::string& statement, const std::string& path) const {
    ArrowArrayStream stream{};
    export_rows(std::make_unique<RowStream>(library_, statement, path), &stream);
    return ArrowCursor(batches_of(ArrowStream(&stream, path)));
  }

  /// DuckDB does not say where it failed, so row groups are read one by one until one fails: its
  /// file, its number and the reason; empty when none does.
  std::string unreadable_part(const std::string& path, const std::string& columns) const try {
    ArrowCursor groups =
        ask(fmt::format("SELECT DISTINCT file_name, row_group_id, row_group_num_rows FROM "
                        "parquet_metadata({}) ORDER BY file_name, row_group_id",
                        pattern_of(path)),
            path);
    const duckdb::Connection connection(library_);
    std::string buffer, file;
    for (std::size_t first = 0; groups.ahead() != 0; groups.advance(1)) {
      const std::string here(groups.column(0).text(groups.at(), buffer));
      if (std::exchange(file, here) != here) first = 0;
      const auto number = static_cast<std::size_t>(groups.column(1).number(groups.at()));
      const auto rows = static_cast<std::size_t>(groups.column(2).number(groups.at()));
      try {
        connection.run(fmt::format("SELECT {} FROM read_parquet({}, file_row_number = true) WHERE "
                                   "file_row_number >= {} AND file_row_number < {}",
                                   columns, quoted_text(file), first, first + rows),
                       fmt::format("{}: row group {}", file, number));
      } catch (const Error& failure) {
        return failure.what();
      }
      first += rows;
    }
    return {};
  } catch (const Error&) {
    return {};
  }

  /// Files in the order in which they are read, and their rows, by what stands at their ends.
  std::vector<std::pair<std::string, std::size_t>> file_sizes(const std::string& path) const {
    ArrowCursor cursor =
        ask(fmt::format("SELECT file_name, num_rows FROM parquet_file_metadata({}) ORDER BY "
                        "file_name",
                        pattern_of(path)),
            path);
    std::vector<std::pair<std::string, std::size_t>> sizes;
    std::string buffer;
    for (; cursor.ahead() != 0; cursor.advance(1)) {
      sizes.emplace_back(cursor.column(0).text(cursor.at(), buffer),
                         static_cast<std::size_t>(cursor.column(1).number(cursor.at())));
    }
    return sizes;
  }

  const Library& library_;
};

}  // namespace

std::shared_ptr<TableFiles> find_duckdb() {
  const Library* const library = duckdb::find_library();
  return library == nullptr ? nullptr : std::make_shared<DuckdbFiles>(*library);
}

}  // namespace credence::io
