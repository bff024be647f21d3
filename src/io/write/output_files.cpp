#include <fmt/format.h>

#include <cerrno>
#include <filesystem>

#include "credence/error.hpp"
#include "credence/files.hpp"
#include "credence/io.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/bytes/file_handle.hpp"
#include "io/write/atomic_file.hpp"
#include "io/write/table_writer.hpp"

namespace credence::io {
namespace {

/// Gives the file's bytes to `take`, piece by piece. Nothing is unpacked.
template <class Take>
void for_each_piece(const std::string& path, const Take& take) {
  const FileHandle file = open_for_reading(path);
  std::string piece(kChunk, '\0');
  while (true) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_system_error(display_name(path), "cannot read", errno);
    if (got == 0) return;
    take(std::string_view(piece.data(), static_cast<std::size_t>(got)));
  }
}

}  // namespace

std::string read_file(const std::string& path, std::size_t most) {
  std::string bytes;
  for_each_piece(path, [&](std::string_view piece) {
    if (piece.size() > most - bytes.size()) {
      throw Error(ErrorCode::format, fmt::format("{}: larger than {} bytes", path, most));
    }
    bytes += piece;
  });
  return bytes;
}

OutputFiles::OutputFiles() = default;
OutputFiles::~OutputFiles() = default;

void OutputFiles::add(const std::string& path, std::string_view bytes) {
  files_.push_back(std::make_unique<AtomicFile>(path));
  files_.back()->write(bytes);
}

void OutputFiles::copy(const std::string& path, const std::string& from) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) folders_.make(folder);
  files_.push_back(std::make_unique<AtomicFile>(path));
  for_each_piece(from, [&](std::string_view piece) { files_.back()->write(piece); });
}

TableWriter& OutputFiles::table(const std::string& path, const TableOptions& options,
                                const std::vector<std::string>& classes) {
  return *tables_.emplace_back(create_staged_table(path, options, classes));
}

void OutputFiles::finish() {
  for (const auto& table : tables_) table->finish();
  for (const auto& file : files_) file->finish();
}

void OutputFiles::commit() {
  finish();
  for (const auto& table : tables_) table->commit();
  for (const auto& file : files_) file->commit();
}

}  // namespace credence::io
