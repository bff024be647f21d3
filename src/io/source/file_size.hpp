// How large files become in memory, and how sizes are written.
#pragma once

#include <cstddef>
#include <string>

namespace credence::io {

/// "1.5 GB".
std::string in_bytes(std::size_t bytes);

/// Size of the file, as if unpacked when it is gzip'd; 0 for what is no regular file.
std::size_t unpacked_size(const std::string& path);

/// About how much the votes of a file take once they are read.
std::size_t votes_in_memory(const std::string& path);

}  // namespace credence::io
