// Text that must be looked at before it is read.
#pragma once

#include <memory>
#include <string>

#include "io/bytes/text_lines.hpp"
#include "io/npy/npy_bytes.hpp"

namespace credence::io {

/// A file is opened again; what comes through a pipe is held in memory.
class TextTwice {
 public:
  explicit TextTwice(const std::string& path);
  /// Goes on with a source that was opened, but not read, already.
  TextTwice(const std::string& path, std::unique_ptr<ByteSource> source);
  std::unique_ptr<ByteSource> bytes() const;
  TextLines lines() const { return TextLines(path_, bytes()); }

 private:
  std::string path_;
  Bytes held_;
  bool is_file_ = false;
};

}  // namespace credence::io
