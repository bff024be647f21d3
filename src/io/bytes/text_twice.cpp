#include "io/bytes/text_twice.hpp"

#include <filesystem>

namespace credence::io {

TextTwice::TextTwice(const std::string& path) : TextTwice(path, open_bytes(path)) {}

TextTwice::TextTwice(const std::string& path, std::unique_ptr<ByteSource> source) : path_(path) {
  std::error_code ignored;
  is_file_ = path != "-" && std::filesystem::is_regular_file(path, ignored);
  if (!is_file_) held_ = read_all(*source);
}

std::unique_ptr<ByteSource> TextTwice::bytes() const {
  if (is_file_) return open_bytes(path_);
  return memory_range(held_, 0, held_.size);
}

}  // namespace credence::io
