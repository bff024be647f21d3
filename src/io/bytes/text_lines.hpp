// Lines of a text file, plain or gzip'd, a file or standard input, in bounded memory.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "io/bytes/byte_source.hpp"

namespace credence::io {

/// Reads `path` ("-" is standard input) in large chunks; gzip is recognised by its first bytes.
/// A missing file, a directory, a corrupt gzip stream is an Error naming the path.
class TextLines {
 public:
  explicit TextLines(const std::string& path);
  /// Reads from an opened source; `path` is for messages.
  TextLines(const std::string& path, std::unique_ptr<ByteSource> source);
  ~TextLines();
  TextLines(TextLines&&) noexcept;
  TextLines& operator=(TextLines&&) noexcept;
  TextLines(const TextLines&) = delete;

  /// The next line without its end (\n or \r\n), valid until the next call. A UTF-8 byte order mark
  /// at the start of the file is skipped. False at the end. A line longer than 1 GiB is an Error.
  bool next(std::string_view& line);
  /// 1-based number of the line last returned.
  std::size_t number() const;
  /// The path as messages show it ("standard input" for "-").
  const std::string& path() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reads a whole (small) text file, gzip'd or not; longer than `limit` bytes is an Error.
std::string read_text(const std::string& path, std::size_t limit = std::size_t{1} << 30);
/// The same from an opened source; `name` is for messages.
std::string read_text(std::unique_ptr<ByteSource> source, const std::string& name,
                      std::size_t limit = std::size_t{1} << 30);

bool is_utf8(std::string_view text);

/// Text from a file as messages quote it: in quotes, at most about 40 characters, with control and
/// non-ASCII bytes that are not UTF-8 written as \xNN.
std::string excerpt(std::string_view text);

}  // namespace credence::io
