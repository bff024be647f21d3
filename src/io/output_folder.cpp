#include <fmt/format.h>

#include <system_error>

#include "credence/error.hpp"
#include "credence/io.hpp"
#include "credence/output.hpp"
#include "io/atomic_file.hpp"
#include "io/atomic_pending.hpp"

namespace credence::io {

OutputFolder::OutputFolder(const std::string& path) : path_(path) {
  std::error_code failure;
  created_ = std::filesystem::create_directories(path_, failure);
  if (failure || !std::filesystem::is_directory(path_)) {
    throw Error(ErrorCode::io,
                fmt::format("{}: cannot create the folder: {}", path,
                            failure ? failure.message() : "there is a file of that name"),
                "choose another folder with -o DIR");
  }
  if (created_) pending_ = add_pending_file(path_.string());
  try {
    check_writable(path_of("results.json"));
  } catch (...) {
    discard();
    throw;
  }
}

OutputFolder::~OutputFolder() {
  files_.clear();
  discard();
}

/// Only succeeds when the folder is empty.
void OutputFolder::discard() noexcept {
  drop_pending_file(pending_);
  std::error_code ignored;
  if (created_) std::filesystem::remove(path_, ignored);
}

void OutputFolder::add(const std::string& name, std::string_view text) {
  files_.push_back(std::make_unique<AtomicFile>(path_of(name)));
  files_.back()->write(text);
  names_.push_back(name);
}

void OutputFolder::commit() {
  for (const auto& file : files_) file->commit();
}

}  // namespace credence::io
