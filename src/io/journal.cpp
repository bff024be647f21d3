#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>
#include <utility>

#include "credence/error.hpp"
#include "credence/output.hpp"
#include "io/atomic_file.hpp"

namespace credence::io {

Journal::Journal(std::string path, const std::string& key) : path_(std::move(path)) {
  const bool exists = std::filesystem::exists(path_);
  if (exists) read_existing(key);
  // Rewritten whole, without a line that was cut off; later lines are appended.
  {
    AtomicFile fresh(path_);
    fresh.write(key + "\n");
    for (const std::string& line : finished_) fresh.write(line + "\n");
    fresh.commit();
  }
  file_ = std::make_unique<FileHandle>(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!file_->is_open()) throw_system_error(path_, "cannot write", errno);
}

Journal::~Journal() = default;
Journal::Journal(Journal&&) noexcept = default;
Journal& Journal::operator=(Journal&&) noexcept = default;

void Journal::read_existing(const std::string& key) {
  std::ifstream in(path_, std::ios::binary);
  std::string line;
  std::getline(in, line);
  if (line != key) {
    throw Error(
        ErrorCode::data,
        fmt::format("{} is the journal of an unfinished job with other data or options", path_),
        "finish that job with its own options, delete the file, or choose another folder "
        "with -o DIR");
  }
  // A line without its line break was cut off.
  while (std::getline(in, line) && !in.eof()) finished_.push_back(line);
}

void Journal::add(const std::string& line) { write_fully(*file_, line + "\n", path_); }

void Journal::remove() {
  file_->close();
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

}  // namespace credence::io
