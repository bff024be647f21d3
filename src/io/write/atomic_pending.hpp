// The temporary files in flight, and folders made for them, in a table that a signal handler may
// read.
#pragma once

#include <string>

namespace credence::io {

/// Remembers `path` and returns its slot; -1 when the table is full or the path too long, in which
/// case only a signal would leave the file behind.
int add_pending_file(const std::string& path) noexcept;
void drop_pending_file(int slot) noexcept;

}  // namespace credence::io
