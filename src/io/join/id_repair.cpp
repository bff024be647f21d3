#include "io/join/id_repair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "io/bytes/text_lines.hpp"
#include "io/votes/vote_names.hpp"

namespace credence::io {
namespace {

constexpr std::string_view kDigits = "0123456789";

std::string without_spaces(std::string_view id) {
  constexpr std::string_view kSpaces = " \t\r\n";
  const std::size_t first = id.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return std::string(id.substr(first, id.find_last_not_of(kSpaces) - first + 1));
}

std::string without_decimals(std::string_view id) {
  const std::size_t point = id.find('.');
  const bool is_whole = point != std::string_view::npos && point > 0 && point + 1 < id.size() &&
                        id.substr(0, point).find_first_not_of(kDigits) == std::string_view::npos &&
                        id.find_first_not_of('0', point + 1) == std::string_view::npos;
  return std::string(is_whole ? id.substr(0, point) : id);
}

/// "img_0007" is "img_7", "007" is "7"; a single 0 stays.
std::string without_leading_zeros(std::string_view id) {
  std::string out;
  for (std::size_t i = 0; i < id.size(); ++i) {
    const bool starts = out.empty() || kDigits.find(out.back()) == std::string_view::npos;
    const bool more = i + 1 < id.size() && kDigits.find(id[i + 1]) != std::string_view::npos;
    if (id[i] == '0' && starts && more) continue;
    out += id[i];
  }
  return out;
}

std::string without_path(std::string_view id) {
  const std::size_t slash = id.find_last_of("/\\");
  if (slash != std::string_view::npos) id.remove_prefix(slash + 1);
  const std::size_t point = id.find_last_of('.');
  const bool has_ending = point != std::string_view::npos && point > 0 &&
                          id.find_first_not_of(kDigits, point + 1) != std::string_view::npos;
  return std::string(has_ending ? id.substr(0, point) : id);
}

std::string bare(std::string_view id) {
  return fold_name(without_leading_zeros(without_decimals(without_path(without_spaces(id)))));
}

struct Repair {
  std::string_view what;  ///< "apart from ..."
  std::string (*apply)(std::string_view id);
  std::string_view advice;
};

constexpr Repair kRepairs[] = {
    {"spaces around them", without_spaces, "remove the spaces"},
    {"case", fold_name, "write them in the same case"},
    {"a '.0' at the end", without_decimals,
     "write them as whole numbers (pandas turns a column of integers with a gap into decimals; "
     "read it with dtype=str)"},
    {"leading zeros", without_leading_zeros,
     "write them with the same number of digits (pandas keeps zeros with dtype=str)"},
    {"folders and the ending of the file name", without_path,
     "write the names of the files in one way"},
    {"case, spaces, leading zeros, '.0' and file endings together", bare, "write them in one way"},
};

struct Explained {
  std::size_t pairs = 0;
  std::size_t score_row = 0, other_row = 0;  ///< of the first pair
};

Explained explained_by(const Repair& repair, const Side& scores,
                       const std::vector<std::size_t>& score_rows, const Side& other,
                       const std::vector<std::size_t>& other_rows) {
  std::unordered_map<std::string, std::size_t> repaired;
  for (const std::size_t row : other_rows) {
    // Two ids that become one explain nothing.
    if (!repaired.emplace(repair.apply(other.ids[row]), row).second) return {};
  }
  Explained found;
  for (const std::size_t row : score_rows) {
    const auto at = repaired.find(repair.apply(scores.ids[row]));
    if (at == repaired.end()) continue;
    if (found.pairs++ == 0) {
      found.score_row = row;
      found.other_row = at->second;
    }
  }
  return found;
}

}  // namespace

std::string first_ids(const Side& side, const std::vector<std::size_t>& rows) {
  constexpr std::size_t kShown = 3;
  const std::size_t shown = std::min(rows.size(), kShown);
  std::string text = side.ids.empty() ? (shown == 1 ? "row " : "rows ") : "";
  for (std::size_t i = 0; i < shown; ++i) {
    if (i != 0) text += ", ";
    text += side.ids.empty() ? std::to_string(rows[i]) : excerpt(side.ids[rows[i]]);
  }
  return shown < rows.size() ? text + ", ..." : text;
}

std::string propose_repair(const Side& scores, const std::vector<std::size_t>& score_rows,
                           const Side& other, const std::vector<std::size_t>& other_rows) {
  if (scores.ids.empty() || other.ids.empty() || score_rows.empty() || other_rows.empty()) {
    return {};
  }
  const std::size_t possible = std::min(score_rows.size(), other_rows.size());
  for (const Repair& repair : kRepairs) {
    const Explained found = explained_by(repair, scores, score_rows, other, other_rows);
    if (2 * found.pairs <= possible) continue;
    return fmt::format("apart from {}, {} of them are the same ({} in {}, {} in {}): {}",
                       repair.what, found.pairs == possible ? "all" : std::to_string(found.pairs),
                       excerpt(scores.ids[found.score_row]), scores.path,
                       excerpt(other.ids[found.other_row]), other.path, repair.advice);
  }
  return {};
}

}  // namespace credence::io
