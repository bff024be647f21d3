// Which class of the votes is which column of the scores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "credence/io.hpp"

namespace credence::io {

struct ClassMatch {
  std::vector<std::string> classes;     ///< names in the order of the scores, or empty
  std::vector<std::uint32_t> position;  ///< of each class of the votes; empty: as it is
  std::string how;                      ///< "by name", "given", "assumed", "by position"
  std::vector<std::string> notes;
};

/// Names must be the same sets, ignoring case; anything else but equal numbers is an Error with
/// both lists. `given` says that one list was given for both sides.
ClassMatch match_classes(const std::vector<std::string>& scores, std::size_t score_count,
                         const std::vector<std::string>& votes, std::size_t vote_count, bool given,
                         const std::string& score_path, const std::string& vote_path);

}  // namespace credence::io
