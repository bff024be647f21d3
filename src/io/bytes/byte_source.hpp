// Bytes in order, from a file, standard input or a gzip stream.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "io/bytes/file_handle.hpp"

namespace credence::io {

inline constexpr std::size_t kChunk = std::size_t{1} << 20;

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Up to `size` bytes (size > 0); 0 only at the end.
  virtual std::size_t read(char* out, std::size_t size) = 0;
  /// False where whoever feeds us may wait for our answer before closing the pipe, and nothing at
  /// the end of the stream is left to verify.
  virtual bool should_be_drained() const { return true; }
};

/// Opens `path` ("-" is standard input) and gunzips what starts with the gzip signature. A missing
/// file, a directory or an empty one is an Error naming the path.
std::unique_ptr<ByteSource> open_bytes(const std::string& path);
/// The same for a file that is open already: a pipe can be opened only once.
std::unique_ptr<ByteSource> open_bytes(FileHandle file, const std::string& path);

/// Reads until `size` bytes are there or the source ends; returns how many.
std::size_t read_fully(ByteSource& source, char* out, std::size_t size);

/// Reads what is left and throws it away: checksums stand at the end.
void read_to_end(ByteSource& source);

/// The first bytes (fewer at the end); `source` is replaced by one that gives them again.
std::string peek(std::unique_ptr<ByteSource>& source, std::size_t size);

}  // namespace credence::io
