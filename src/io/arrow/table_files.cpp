#include "io/arrow/table_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>

#include "credence/error.hpp"
#include "io/bytes/input_guard.hpp"
#include "io/text/delimited.hpp"

namespace credence::io {
namespace {

constexpr std::string_view kTableFileEndings[] = {".parquet", ".pq", ".feather", ".arrow", ".ipc"};

bool has_table_ending(std::string_view path) {
  return std::ranges::any_of(kTableFileEndings, [path](std::string_view ending) {
    return path.size() > ending.size() &&
           equal_ignoring_case(path.substr(path.size() - ending.size()), ending);
  });
}

bool is_address(std::string_view path) { return path.find("://") != std::string_view::npos; }

// A folder without such a file among its first entries is taken for a slip.
bool is_folder_of_tables(const std::string& path) {
  constexpr int kLooked = 10'000;
  std::error_code failed;
  if (!std::filesystem::is_directory(path, failed)) return false;
  std::filesystem::recursive_directory_iterator entries(path, failed), end;
  for (int i = 0; i < kLooked && !failed && entries != end; ++i, entries.increment(failed)) {
    if (has_table_ending(entries->path().string())) return true;
  }
  return false;
}

bool names_table(const std::string& path) {
  return has_table_ending(path) || is_address(path) || is_folder_of_tables(path);
}

struct Registry {
  std::mutex mutex;
  std::shared_ptr<TableFiles> given;
};
Registry& registry() {
  static Registry one;
  return one;
}

std::shared_ptr<TableFiles> given_files() {
  const std::lock_guard lock(registry().mutex);
  return registry().given;
}

using Ability = bool (TableFiles::*)(const std::string&);

std::shared_ptr<TableFiles> files_that(Ability can, const std::string& file) {
  if (auto files = given_files(); files && ((*files).*can)(file)) return files;
  if (auto files = find_duckdb(); files && ((*files).*can)(file)) return files;
  return nullptr;
}

class FileBatches final : public ArrowBatches {
 public:
  FileBatches(std::shared_ptr<TableFiles> files, std::string file, ArrowStream stream)
      : files_(std::move(files)), file_(std::move(file)), batches_(batches_of(std::move(stream))) {}
  const ArrowSchema& schema() const override { return batches_->schema(); }
  const ArrowArray* next() override { return batches_->next(); }
  std::string place(std::size_t row) const override { return files_->place(file_, row); }

 private:
  std::shared_ptr<TableFiles> files_;
  std::string file_;
  std::unique_ptr<ArrowBatches> batches_;
};

class FileCells final : public CellTable {
 public:
  explicit FileCells(const std::string& file) : file_(file) {
    std::vector<std::string> columns;
    {
      const auto schema = open_table_file(file, {});
      columns = names_of(readable_fields(schema->schema()), false);
    }
    if (columns.empty()) {
      throw Error(ErrorCode::data, fmt::format("{}: no columns of numbers or text", file));
    }
    cursor_.emplace(open_table_file(file, columns));
    cols_ = columns.size();
    bool numbered = true;
    for (std::size_t c = 0; c < cols_; ++c) numbered = numbered && columns[c] == std::to_string(c);
    if (!numbered) header_ = columns;
    buffers_.resize(cols_);
  }
  bool next(std::vector<std::string_view>& cells) override {
    if (cursor_->ahead() == 0) return false;
    cells.clear();
    for (std::size_t c = 0; c < cols_; ++c) {
      // Moving on may free the batch, and the caller may still look at the cells.
      buffers_[c].assign(trim(cursor_->column(c).text(cursor_->at(), scratch_)));
      cells.push_back(buffers_[c]);
    }
    cursor_->advance(1);
    return true;
  }
  std::size_t line() const override { return cursor_->row(); }
  bool is_text() const override { return false; }
  const std::string& path() const override { return file_; }

 private:
  std::string file_, scratch_;
  std::optional<ArrowCursor> cursor_;
  std::vector<std::string> buffers_;
};

void remember_table(const std::string& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode)) {
    remember_input(file, state_of(info));
  }
}

}  // namespace

TablePath split_table_path(const std::string& path) {
  if (names_table(path) && !(is_address(path) && !has_table_ending(path))) return {path, {}};
  const std::size_t colon = path.rfind(':');
  if (colon != std::string::npos && !path.substr(colon).starts_with("://") &&
      path.find('/', colon) == std::string::npos && names_table(path.substr(0, colon))) {
    return {path.substr(0, colon), path.substr(colon + 1)};
  }
  return {path, {}};
}

bool is_table_path(const std::string& path) { return names_table(split_table_path(path).file); }

void set_table_files(std::shared_ptr<TableFiles> files) {
  const std::lock_guard lock(registry().mutex);
  registry().given = std::move(files);
}

std::shared_ptr<TableFiles> reader_of(const std::string& file) {
  std::error_code failed;
  if (!is_address(file) && file.find('*') == std::string::npos &&
      !std::filesystem::exists(file, failed)) {
    throw Error(ErrorCode::io, fmt::format("{}: cannot open: No such file or directory", file));
  }
  if (auto files = files_that(&TableFiles::can_read, file)) return files;
  throw Error(ErrorCode::io,
              fmt::format("{}: nothing on this machine reads tables of this format", file),
              "'pip install credence[parquet]' brings a program and a package that do; Parquet is "
              "also read where libduckdb is installed, or named by CREDENCE_DUCKDB");
}

std::shared_ptr<TableFiles> writer_of(const std::string& file) {
  if (auto files = files_that(&TableFiles::can_write, file)) return files;
  throw Error(
      ErrorCode::usage,
      fmt::format("{}: nothing on this machine writes tables of this format", file),
      "write .npy, .csv or .jsonl, or 'pip install credence[parquet]', whose program writes "
      "Parquet; so does this one where libduckdb is installed");
}

std::unique_ptr<ArrowBatches> open_table_file(const std::string& file,
                                              const std::vector<std::string>& columns) {
  auto files = reader_of(file);
  ArrowArrayStream stream{};
  files->open(file, columns, &stream);
  remember_table(file);
  return std::make_unique<FileBatches>(std::move(files), file, ArrowStream(&stream, file));
}

std::unique_ptr<CellTable> open_table_cells(const std::string& file) {
  return std::make_unique<FileCells>(file);
}

}  // namespace credence::io
