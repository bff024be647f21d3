#include "io/scores/score_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "credence/error.hpp"
#include "io/scores/score_reader.hpp"
#include "io/text/delimited.hpp"
#include "io/votes/vote_names.hpp"

namespace credence::io {
namespace {

std::string list_columns(std::span<const std::string> header) {
  std::string text;
  constexpr std::size_t kShown = 20;
  for (std::size_t i = 0; i < header.size() && i < kShown; ++i) {
    text += (i == 0 ? "" : ", ") + header[i];
  }
  return header.size() > kShown ? text + ", ..." : text;
}

}  // namespace

std::vector<std::string_view> usual_score_fields(ScoreKind kind) {
  switch (kind) {
    case ScoreKind::logits:
      return {"logits", "scores", "logit", "score"};
    case ScoreKind::log_probs:
      return {"log_probs", "logprobs", "log_prob", "logprob"};
    case ScoreKind::probs:
      return {"probs", "probabilities", "label_dist", "prob", "probability", "score"};
  }
  return {};
}

bool are_positions(std::span<const std::string_view> names) {
  static constexpr std::string_view kPrefixes[] = {
      "",      "p",      "prob", "probs", "proba", "probability", "logit",    "logits",
      "score", "scores", "v",    "x",     "col",   "column",      "log_prob", "logprob",
  };
  for (const std::size_t base : {0, 1}) {
    std::string_view prefix;
    const bool numbered = std::ranges::all_of(names, [&, i = base](std::string_view name) mutable {
      const std::string number = fmt::format("{}", i);
      const bool first = i++ == base;
      if (!name.ends_with(number)) return false;
      name.remove_suffix(number.size());
      if (first) prefix = name;
      return name == prefix;
    });
    if (!numbered) continue;
    while (!prefix.empty() && std::string_view("_-. ").find(prefix.back()) != prefix.npos) {
      prefix.remove_suffix(1);
    }
    for (const std::string_view known : kPrefixes) {
      if (equal_ignoring_case(prefix, known)) return true;
    }
  }
  return false;
}

std::size_t find_id_column(std::span<const std::string> header, const std::string& id_field,
                           const std::string& where) {
  const auto find = [header](std::string_view name) {
    const auto found = std::ranges::find_if(
        header, [name](const std::string& cell) { return equal_ignoring_case(cell, name); });
    return found == header.end() ? kNoColumn : static_cast<std::size_t>(found - header.begin());
  };
  if (!id_field.empty()) {
    const auto exact = std::ranges::find(header, id_field);
    if (exact != header.end()) return static_cast<std::size_t>(exact - header.begin());
    if (const std::size_t column = find(id_field); column != kNoColumn) return column;
    throw Error(ErrorCode::format, fmt::format("{}: no column named {}", where, excerpt(id_field)),
                fmt::format("the columns are: {}", list_columns(header)));
  }
  for (const std::string_view name : kIdNames) {
    if (const std::size_t column = find(name); column != kNoColumn) return column;
  }
  return header[0].empty() ? 0 : kNoColumn;
}

bool has_index_beside(std::span<const std::string> header, std::size_t id_column) {
  return header.size() > 2 && id_column != 0 && id_column != kNoColumn && is_index_name(header[0]);
}

void check_index_cell(std::string_view cell, const std::string& where) {
  if (!cell.empty() && cell.find_first_not_of("0123456789") == std::string_view::npos) return;
  throw Error(ErrorCode::data,
              fmt::format("{}: column 1 has no name and {} is not a row number of a data frame",
                          where, excerpt(cell)),
              "give the column a name, or remove it");
}

std::string index_note(const std::string& path) {
  return fmt::format(
      "the first column of {} has no name and stands beside the ids: it is taken for the index of "
      "a data frame and left out",
      path);
}

}  // namespace credence::io
