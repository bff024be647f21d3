#define XXH_INLINE_ALL
#include <fcntl.h>
#include <fmt/format.h>
#include <xxhash.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "credence/error.hpp"
#include "credence/output.hpp"
#include "io/write/atomic_file.hpp"

namespace credence::io {
namespace {

constexpr std::size_t kSealSize = 17;  // 16 hexadecimal digits and a space

/// The line with a checksum in front: a number that was changed on disk must not become a result.
std::string sealed(std::string_view line) {
  return fmt::format("{:016x} {}\n", XXH3_64bits(line.data(), line.size()), line);
}

/// What was sealed, or nothing when the line is not what was written.
std::optional<std::string> unsealed(const std::string& line) {
  if (line.size() < kSealSize) return std::nullopt;
  std::string content = line.substr(kSealSize);
  if (sealed(content) != line + "\n") return std::nullopt;
  return content;
}

}  // namespace

Journal::Journal(std::string path, const std::string& key) : path_(std::move(path)) {
  const bool exists = std::filesystem::exists(path_);
  if (exists) read_existing(key);
  // Rewritten whole, without a line that was cut off; later lines are appended.
  {
    AtomicFile fresh(path_);
    fresh.write(sealed(key));
    for (const std::string& line : finished_) fresh.write(sealed(line));
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
  // A journal of an earlier version has no checksums: its key counts, its lines do not.
  if (unsealed(line) != key && line != key) {
    throw Error(
        ErrorCode::data,
        fmt::format("{} is the journal of an unfinished job with other data or options", path_),
        "finish that job with its own options, delete the file, or choose another folder "
        "with -o DIR");
  }
  // A line without its line break was cut off.
  while (std::getline(in, line) && !in.eof()) {
    if (auto content = unsealed(line)) {
      finished_.push_back(std::move(*content));
    } else {
      ++damaged_;
    }
  }
}

void Journal::add(const std::string& line) { write_fully(*file_, sealed(line), path_); }

void Journal::remove() {
  file_->close();
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

}  // namespace credence::io
