// Whole files: read within bounds, written together or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace credence::io {

class AtomicFile;
class StagedTable;
class TableWriter;
struct TableOptions;

/// The bytes of a file as they are; more than `most` of them is an Error.
std::string read_file(const std::string& path, std::size_t most);

/// Folders that were missing. Those that stay empty are removed again, even when a signal ends the
/// program.
class NewFolders {
 public:
  NewFolders() = default;
  ~NewFolders();
  NewFolders(const NewFolders&) = delete;
  NewFolders& operator=(const NewFolders&) = delete;

  /// The folder and those above it. A file in its place is an Error.
  void make(const std::filesystem::path& folder);

 private:
  struct Made {
    std::filesystem::path path;
    int pending;  ///< place among what a signal handler cleans up
  };
  std::vector<Made> made_;  ///< inner ones first
};

/// Files in any places: all of them appear, or none.
class OutputFiles {
 public:
  OutputFiles();
  ~OutputFiles();
  OutputFiles(const OutputFiles&) = delete;
  OutputFiles& operator=(const OutputFiles&) = delete;

  /// Written beside its destination now, renamed into place by commit().
  void add(const std::string& path, std::string_view bytes);
  /// The same with the bytes of another file, however large; its folder is made when missing.
  void copy(const std::string& path, const std::string& from);
  /// The same with a table, which the caller fills; commit() is not for the caller to call.
  TableWriter& table(const std::string& path, const TableOptions& options,
                     const std::vector<std::string>& classes);
  void make_folder(const std::filesystem::path& folder) { folders_.make(folder); }

  /// Everything is on disk, under temporary names: what commit() does can hardly fail.
  void finish();
  void commit();

 private:
  NewFolders folders_;  // outlives the files in them
  std::vector<std::unique_ptr<AtomicFile>> files_;
  std::vector<std::unique_ptr<StagedTable>> tables_;
};

}  // namespace credence::io
