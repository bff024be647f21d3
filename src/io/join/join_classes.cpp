#include "io/join/join_classes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "credence/error.hpp"
#include "credence/options.hpp"
#include "io/scores/two_classes.hpp"
#include "io/votes/vote_names.hpp"

namespace credence::io {
namespace {

std::string describe(const std::vector<std::string>& names, std::size_t count) {
  return names.empty() ? fmt::format("{}", count)
                       : fmt::format("{} ({})", count, list_names(names));
}

}  // namespace

bool are_numbered(const std::vector<std::string>& names) {
  if (names.empty()) return false;
  for (const std::size_t start : {std::size_t{0}, std::size_t{1}}) {
    const std::string digits = std::to_string(start);
    if (!names[0].ends_with(digits)) continue;
    const std::string stem = names[0].substr(0, names[0].size() - digits.size());
    bool all = true;
    for (std::size_t k = 0; k < names.size() && all; ++k) {
      all = names[k] == stem + std::to_string(start + k);
    }
    if (all) return true;
  }
  return false;
}

std::vector<std::string> column_names(const std::vector<std::string>& in_file,
                                      const std::vector<std::string>& given,
                                      const std::string& path, std::vector<std::string>& notes) {
  if (given.empty()) return in_file;
  if (is_single_name(in_file)) {
    const std::vector<std::string> both = two_names(in_file, given);
    if (!both.empty()) notes.push_back(single_name_note(both, path));
    return both.empty() ? given : both;
  }
  if (in_file.empty() || !same_names(in_file, given)) return given;
  if (in_file != given) {
    notes.push_back(fmt::format("the columns of {} are named, so their order is {}", path,
                                list_names(in_file)));
  }
  return in_file;
}

std::vector<std::size_t> positions_by_name(const std::vector<std::string>& names,
                                           const std::vector<std::string>& columns) {
  if (!same_names(names, columns)) return {};
  std::unordered_map<std::string, std::size_t> column;
  for (std::size_t k = 0; k < columns.size(); ++k) column.emplace(fold_name(columns[k]), k);
  std::vector<std::size_t> positions;
  for (const std::string& name : names) positions.push_back(column.at(fold_name(name)));
  return positions;
}

ClassMatch match_classes(const std::vector<std::string>& scores, std::size_t score_count,
                         const std::vector<std::string>& votes, std::size_t vote_count, bool given,
                         const std::string& score_path, const std::string& vote_path) {
  if (score_count != vote_count) {
    throw Error(ErrorCode::data,
                fmt::format("{} has scores for {} classes but {} has votes for {}", score_path,
                            describe(scores, score_count), vote_path, describe(votes, vote_count)),
                votes.empty() ? "both sides need the same classes; if the columns of the votes are "
                                "annotators, say ‹votes_format=annotators›"
                              : "both sides need the same classes; ‹vote_classes› lists all of "
                                "them, also those nobody chose");
  }
  ClassMatch match;
  const bool both = !scores.empty() && !votes.empty();
  if (both && same_names(scores, votes)) {
    match.classes = scores;
    match.how = given ? "given" : "by name";
    bool moved = false;
    for (const std::size_t position : positions_by_name(votes, scores)) {
      moved = moved || position != match.position.size();
      match.position.push_back(static_cast<std::uint32_t>(position));
    }
    if (!moved) match.position.clear();
    return match;
  }
  if (both && !are_numbered(scores) && !are_numbered(votes)) {
    throw Error(ErrorCode::data,
                fmt::format("the classes have different names: {} in {}, {} in {}",
                            list_names(scores), score_path, list_names(votes), vote_path),
                "names must be equal, ignoring case; rename one side with ‹score_classes› or "
                "‹vote_classes›, in the order of its columns");
  }
  if (scores.empty() && votes.empty()) {
    match.how = "by position";
    return match;
  }
  // One side's names (or only its numbers) are unknown: say what is taken for granted.
  const bool scores_unknown = scores.empty() || (both && are_numbered(scores));
  match.how = "assumed";
  match.classes = scores_unknown ? votes : scores;
  match.notes.push_back(
      fmt::format("class order of the {} is assumed to be that of the {}: {} (give {} to be sure)",
                  scores_unknown ? "scores" : "votes", scores_unknown ? "votes" : "scores",
                  list_names(match.classes),
                  mention(scores_unknown ? Option::score_classes : Option::vote_classes)));
  return match;
}

}  // namespace credence::io
