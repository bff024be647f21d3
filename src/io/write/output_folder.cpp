#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "credence/error.hpp"
#include "credence/io.hpp"
#include "credence/output.hpp"
#include "io/write/atomic_pending.hpp"

namespace credence::io {

namespace fs = std::filesystem;

void NewFolders::make(const fs::path& folder) {
  std::error_code failure;
  // Remembered before they exist, so that no signal finds a folder nobody knows of.
  for (fs::path at = folder; !at.empty() && !fs::exists(fs::symlink_status(at, failure));
       at = at.parent_path()) {
    made_.push_back({at, add_pending_file(at.string())});
  }
  failure.clear();
  fs::create_directories(folder, failure);
  if (failure || !fs::is_directory(folder)) {
    throw Error(ErrorCode::io,
                fmt::format("{}: cannot create the folder: {}", folder.string(),
                            failure ? failure.message() : "there is a file of that name"),
                "choose another folder with -o DIR");
  }
}

NewFolders::~NewFolders() {
  for (const Made& made : made_) {
    drop_pending_file(made.pending);
    ::rmdir(made.path.c_str());  // only succeeds when the folder is empty
  }
}

OutputFolder::OutputFolder(const std::string& path) : path_(path) {
  files_.make_folder(path_);
  check_writable(path_of("results.json"));
}

void OutputFolder::add(const std::string& name, std::string_view text) {
  files_.add(path_of(name), text);
  names_.push_back(name);
}

void OutputFolder::commit() {
  files_.commit();
  for (const std::string& name : replaced_) {
    std::error_code ignored;
    if (std::ranges::find(names_, name) == names_.end()) fs::remove(path_of(name), ignored);
  }
}

TableWriter& OutputFolder::table(const std::string& name, const TableOptions& options,
                                 const std::vector<std::string>& classes) {
  names_.push_back(name);
  return files_.table(path_of(name), options, classes);
}

}  // namespace credence::io
