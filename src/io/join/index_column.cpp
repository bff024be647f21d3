#include "io/join/index_column.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace credence::io {
namespace {

bool counts_rows(const IndexedSide& side) {
  if (!side.unnamed || side.ids.empty()) return false;
  for (std::size_t i = 0; i < side.ids.size(); ++i) {
    if (side.ids[i] != std::to_string(i)) return false;
  }
  return true;
}

bool are_whole_numbers(const std::vector<std::string>& ids) {
  return !ids.empty() && std::ranges::all_of(ids, [](const std::string& id) {
    return !id.empty() && id.find_first_not_of("0123456789") == std::string::npos;
  });
}

void leave_out(const IndexedSide& side, std::vector<std::string>& notes) {
  side.ids.clear();
  notes.push_back(
      fmt::format("the first column of {} has no name and counts the rows from 0: it is taken for "
                  "the index of a data frame and left out (name it 'id' to match by it)",
                  side.path));
}

}  // namespace

void leave_out_index(const IndexedSide& a, const IndexedSide& b, std::vector<std::string>& notes) {
  const bool a_counts = counts_rows(a), b_counts = counts_rows(b);
  const bool a_whole = are_whole_numbers(a.ids), b_whole = are_whole_numbers(b.ids);
  if (a_counts && (b_counts || !b_whole)) leave_out(a, notes);
  if (b_counts && (a_counts || !a_whole)) leave_out(b, notes);
}

}  // namespace credence::io
