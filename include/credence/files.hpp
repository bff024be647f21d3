// Whole files: read within bounds, written together or not at all.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace credence::io {

class AtomicFile;

/// The bytes of a file as they are; more than `most` of them is an Error.
std::string read_file(const std::string& path, std::size_t most);

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
  void commit();

 private:
  std::vector<std::unique_ptr<AtomicFile>> files_;
};

}  // namespace credence::io
