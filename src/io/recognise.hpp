// What a file holds, by its name and by how it starts.
#pragma once

#include <memory>
#include <string>

#include "io/bytes/text_lines.hpp"
#include "io/npy/npy_bytes.hpp"

namespace credence::io {

enum class Form { npy, json, delimited };

/// Bytes that only one format starts with come before the name; the name comes before a guess from
/// the first character. Formats that cannot be read (Parquet, spreadsheets, pickles, ...) are an
/// Error that says what the file is. `source` gives its bytes again afterwards.
Form recognise(const std::string& path, std::unique_ptr<ByteSource>& source);

/// Text that must be looked at before it is read: a file is opened again, what comes through a pipe
/// is held in memory.
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
