// Results of long work on disk: files that appear together, and lines that survive an interruption.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "credence/files.hpp"

namespace credence::io {

class FileHandle;

/// Several files of one result: all of them appear, or none.
class OutputFolder {
 public:
  /// Creates the folder, so that a wrong name is found before long work. A folder that was created
  /// here and stays empty is removed again, even when a signal ends the program.
  explicit OutputFolder(const std::string& path);

  /// Written beside its destination now, renamed into place by commit().
  void add(const std::string& name, std::string_view text);
  /// The same with a table, which the caller fills.
  TableWriter& table(const std::string& name, const TableOptions& options,
                     const std::vector<std::string>& classes);
  /// A file of this name that an earlier result left behind is removed by commit(), unless one of
  /// that name is added.
  void replace(const std::string& name) { replaced_.push_back(name); }
  void finish() { files_.finish(); }
  void commit();
  std::string path_of(const std::string& name) const { return (path_ / name).string(); }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::filesystem::path path_;
  OutputFiles files_;
  std::vector<std::string> names_, replaced_;
};

/// Lines of finished work, so that a long job can be interrupted and go on later. A text file whose
/// first line says what the work is. Opening it again for the same work gives the lines that were
/// finished; for other work it is an Error. Every line has a checksum; a line that was cut off or
/// damaged is dropped, so that its work is done again.
class Journal {
 public:
  Journal(std::string path, const std::string& key);
  ~Journal();
  Journal(Journal&&) noexcept;
  Journal& operator=(Journal&&) noexcept;

  const std::vector<std::string>& finished() const { return finished_; }
  /// Lines that were dropped, except one that was cut off.
  std::size_t damaged() const { return damaged_; }
  /// Appends a line; it has been given to the system when this returns.
  void add(const std::string& line);
  /// The work is done and its results are written: removes the file.
  void remove();

 private:
  void read_existing(const std::string& key);

  std::string path_;
  std::vector<std::string> finished_;
  std::size_t damaged_ = 0;
  std::unique_ptr<FileHandle> file_;
};

}  // namespace credence::io
