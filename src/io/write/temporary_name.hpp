// Names of files in the making, and what becomes of those whose makers were killed.
#pragma once

#include <cstdint>
#include <filesystem>

namespace credence::io {

/// Hidden, recognisable, short enough whatever the destination is called. `lockable` names carry
/// the machine's mark: only those are ever cleaned up, and only there, since a lock on a shared
/// disk may not be seen from another machine.
std::filesystem::path temporary_beside(const std::filesystem::path& destination, bool lockable);

/// A maker holds a lock on its file until it is renamed; the system lets go of it with the process.
enum class Claim {
  held,
  removed,    ///< somebody took the unlocked file for a stale one; make another
  impossible  ///< this file system has no locks
};
Claim claim_file(int fd);

/// Removes from the folder what killed runs of this user left on this machine. A folder is searched
/// once, not again for every file that goes there.
void remove_stale_files(const std::filesystem::path& folder);

}  // namespace credence::io
