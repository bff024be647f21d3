#include "io/join/join_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "credence/error.hpp"
#include "io/join/id_repair.hpp"

namespace credence::io {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

std::unordered_map<std::string_view, std::size_t> index_ids(const Side& side) {
  std::unordered_map<std::string_view, std::size_t> index;
  index.reserve(side.ids.size());
  for (std::size_t i = 0; i < side.ids.size(); ++i) {
    const auto [at, fresh] = index.emplace(side.ids[i], i);
    if (!fresh) {
      throw Error(ErrorCode::data,
                  fmt::format("{}: id '{}' is there twice: rows {} and {}", side.path, side.ids[i],
                              at->second, i),
                  "ids must be unique on each side; delete one of the rows");
    }
  }
  return index;
}

std::optional<std::size_t> whole_number(const std::string& text) {
  std::size_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Fills `row_of` with the row of the scores for each id when ids are row numbers.
bool ids_are_rows(const Side& other, std::size_t rows, std::vector<std::size_t>& row_of,
                  bool& all_whole) {
  row_of.clear();
  all_whole = true;
  bool in_range = true;
  for (const std::string& id : other.ids) {
    const auto number = whole_number(id);
    if (!number) {
      all_whole = false;
      return false;
    }
    in_range = in_range && *number < rows;
    row_of.push_back(*number);
  }
  return in_range;
}

/// `other_of[i]` is the row of the other side for row i of the scores, or kNone.
RowJoin pair_up(const std::vector<std::size_t>& other_of, const Side& scores, const Side& other,
                const std::string& what, const RowFilter& filter, bool allow_unmatched) {
  RowJoin join;
  std::vector<bool> used(other.rows, false);
  std::vector<std::size_t> only_scores, only_others;
  for (std::size_t i = 0; i < scores.rows; ++i) {
    if (other_of[i] != kNone) used[other_of[i]] = true;
    if (!filter.keeps(i)) continue;
    if (other_of[i] == kNone) {
      only_scores.push_back(i);
      continue;
    }
    join.score_rows.push_back(i);
    join.other_rows.push_back(other_of[i]);
  }
  for (std::size_t j = 0; j < other.rows; ++j) {
    if (!used[j]) only_others.push_back(j);
  }
  join.unmatched_scores = only_scores.size();
  join.unmatched_others = only_others.size();
  if (join.score_rows.empty()) {
    if (only_scores.empty()) return join;
    if (only_others.empty()) only_others.push_back(0);
    const std::string repair = propose_repair(scores, only_scores, other, only_others);
    throw Error(ErrorCode::data,
                fmt::format("no example of {} is in {}: ids are {} in the first, {} in the second",
                            scores.path, other.path, first_ids(scores, only_scores),
                            first_ids(other, only_others)),
                repair.empty() ? "the ids must be the same text on both sides; ‹id_field› names "
                                 "the field or column that holds them"
                               : repair);
  }
  if (!allow_unmatched && (!only_scores.empty() || !only_others.empty())) {
    std::string text;
    if (!only_scores.empty()) {
      text = fmt::format("{} of {} examples in {} have no {} (first: {})", only_scores.size(),
                         scores.rows, scores.path, what, first_ids(scores, only_scores));
    }
    if (!only_others.empty()) {
      text += fmt::format("{}{} of {} examples in {} have no scores (first: {})",
                          text.empty() ? "" : "; ", only_others.size(), other.rows, other.path,
                          first_ids(other, only_others));
    }
    std::string hint = propose_repair(scores, only_scores, other, only_others);
    if (!hint.empty()) hint += "; ";
    throw Error(ErrorCode::data, text,
                hint + fmt::format("‹allow_unmatched› goes on with the {} examples that have both; "
                                   "make sure that equal ids mean the same example",
                                   join.score_rows.size()));
  }
  if (what != "groups" && join.unmatched_scores + join.unmatched_others > 0) {
    join.notes.push_back(fmt::format(
        "left out: {} of {} examples of {} and {} of {} of {}, which "
        "only one of the two files has",
        only_scores.size(), scores.rows, scores.path, only_others.size(), other.rows, other.path));
  }
  return join;
}

RowJoin by_row(const Side& scores, const Side& other, const std::string& what,
               const RowFilter& filter) {
  check_row_counts(scores, other, what);
  RowJoin join;
  join.by = "row";
  if (filter.keeps_all()) {
    join.all_rows = scores.rows;
    return join;
  }
  for (std::size_t i = 0; i < scores.rows; ++i) {
    if (!filter.keeps(i)) continue;
    join.score_rows.push_back(i);
    join.other_rows.push_back(i);
  }
  return join;
}

std::vector<std::size_t> sorted(std::vector<std::size_t> rows, const std::string& path) {
  std::ranges::sort(rows);
  const auto twice = std::ranges::adjacent_find(rows);
  if (twice != rows.end()) {
    throw Error(ErrorCode::data, fmt::format("{}: row {} is listed twice", path, *twice));
  }
  return rows;
}

}  // namespace

RowFilter::RowFilter(const std::string& rows_path, const std::string& skip_path)
    : rows_path_(rows_path), skip_path_(skip_path) {
  std::optional<std::vector<std::size_t>> rows, skip;
  if (!rows_path.empty()) rows = read_row_list(rows_path);
  if (!skip_path.empty()) skip = read_row_list(skip_path);
  set(std::move(rows), std::move(skip));
}

RowFilter::RowFilter(const DatasetFiles& files)
    : rows_path_(files.rows), skip_path_(files.skip_rows) {
  auto rows = files.given_rows, skip = files.given_skip_rows;
  if (!rows && !files.rows.empty()) rows = read_row_list(files.rows);
  if (!skip && !files.skip_rows.empty()) skip = read_row_list(files.skip_rows);
  set(std::move(rows), std::move(skip));
}

void RowFilter::set(std::optional<std::vector<std::size_t>> rows,
                    std::optional<std::vector<std::size_t>> skip) {
  restricted_ = rows.has_value();
  if (rows) listed_ = sorted(std::move(*rows), rows_path_);
  if (skip) skipped_ = sorted(std::move(*skip), skip_path_);
}

void RowFilter::check_range(std::size_t rows, const std::string& score_path) const {
  for (const auto& [list, path] :
       {std::pair(&listed_, &rows_path_), std::pair(&skipped_, &skip_path_)}) {
    if (list->empty() || list->back() < rows) continue;
    throw Error(ErrorCode::data,
                fmt::format("{}: row {} is out of range; {} has {} rows, counted from 0", *path,
                            list->back(), score_path, rows));
  }
}

void RowJoin::spell_out() {
  if (all_rows == 0) return;
  score_rows.resize(all_rows);
  std::iota(score_rows.begin(), score_rows.end(), std::size_t{0});
  other_rows = score_rows;
  all_rows = 0;
}

void check_row_counts(const Side& scores, const Side& other, const std::string& what) {
  if (scores.rows != other.rows) {
    std::string hint =
        "without ids on both sides rows are matched by position, so the numbers "
        "must agree";
    if (other.rows + 1 == scores.rows || scores.rows + 1 == other.rows) {
      hint += "; is a header missing, or made of numbers only?";
    }
    throw Error(ErrorCode::data,
                fmt::format("{} has {} rows of scores but {} has {} rows of {}", scores.path,
                            scores.rows, other.path, other.rows, what),
                hint);
  }
}

RowJoin join_rows(const Side& scores, const Side& other, const std::string& what,
                  const RowFilter& filter, bool allow_unmatched) {
  if (scores.ids.empty() && other.ids.empty()) return by_row(scores, other, what, filter);
  if (!scores.ids.empty() && !other.ids.empty()) {
    index_ids(scores);
    const auto rows = index_ids(other);
    std::vector<std::size_t> other_of(scores.rows, kNone);
    for (std::size_t i = 0; i < scores.rows; ++i) {
      const auto found = rows.find(scores.ids[i]);
      if (found != rows.end()) other_of[i] = found->second;
    }
    RowJoin join = pair_up(other_of, scores, other, what, filter, allow_unmatched);
    join.by = "id";
    return join;
  }
  if (scores.ids.empty()) {
    index_ids(other);
    std::vector<std::size_t> row_of;
    bool all_whole = false;
    if (ids_are_rows(other, scores.rows, row_of, all_whole)) {
      std::vector<std::size_t> other_of(scores.rows, kNone);
      for (std::size_t j = 0; j < row_of.size(); ++j) {
        if (other_of[row_of[j]] != kNone) {  // "7" and "07"
          throw Error(ErrorCode::data, fmt::format("{}: row {} is there twice: rows {} and {}",
                                                   other.path, row_of[j], other_of[row_of[j]], j));
        }
        other_of[row_of[j]] = j;
      }
      RowJoin join = pair_up(other_of, scores, other, what, filter, allow_unmatched);
      join.by = "row";
      join.notes.push_back(fmt::format("ids of the {} are row numbers of the scores", what));
      return join;
    }
    if (all_whole && other.gathered) {
      const auto beyond =
          std::ranges::find_if(row_of, [&](std::size_t r) { return r >= scores.rows; });
      throw Error(
          ErrorCode::data,
          fmt::format("{}: example {} is not a row of {}, which has rows 0 to {} and no ids",
                      other.path, *beyond, scores.path, scores.rows - 1),
          "number the examples by the rows of the scores, from 0, or give scores with "
          "ids (CSV or JSON lines)");
    }
  }
  RowJoin join = by_row(scores, other, what, filter);
  join.notes.push_back(
      scores.ids.empty()
          ? fmt::format("the scores have no ids: {} are matched by row{}", what,
                        other.gathered ? ", examples in the order they first appear" : "")
          : fmt::format("the {} have no ids: they are matched to the scores by row", what));
  return join;
}

}  // namespace credence::io
