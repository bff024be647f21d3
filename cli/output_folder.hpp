// Several files of one result: all of them appear, or none.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace credence::io {
class AtomicFile;
}

namespace credence::cli {

class OutputFolder {
 public:
  /// Creates the folder, so that a wrong name is found before long work. A folder that was created
  /// here and stays empty is removed again.
  explicit OutputFolder(const std::string& path);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// Written beside its destination now, renamed into place by commit().
  void add(const std::string& name, std::string_view text);
  void commit();
  std::string path_of(const std::string& name) const { return (path_ / name).string(); }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::filesystem::path path_;
  bool created_ = false;
  std::vector<std::unique_ptr<io::AtomicFile>> files_;
  std::vector<std::string> names_;
};

}  // namespace credence::cli
