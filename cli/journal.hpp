// Lines of finished work on disk, so that a long job can be interrupted and go on later.
#pragma once

#include <string>
#include <vector>

#include "io/file_handle.hpp"

namespace credence::cli {

/// A text file whose first line says what the work is. Opening it again for the same work gives the
/// lines that were finished; for other work it is an Error. A last line that was cut off is
/// dropped.
class Journal {
 public:
  Journal(std::string path, const std::string& key);

  const std::vector<std::string>& finished() const { return finished_; }
  /// Appends a line; it is on disk when this returns.
  void add(const std::string& line);
  /// The work is done and its results are written: removes the file.
  void remove();

 private:
  void read_existing(const std::string& key);

  std::string path_;
  std::vector<std::string> finished_;
  io::FileHandle file_;
};

}  // namespace credence::cli
