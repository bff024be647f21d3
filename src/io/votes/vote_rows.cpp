#include "io/votes/vote_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "io/arrow/table_files.hpp"
#include "io/bytes/text_lines.hpp"
#include "io/text/cell_table.hpp"

namespace credence::io {
namespace {

constexpr std::size_t kMostRows = 0xfffffffe;

std::uint32_t line_number(std::size_t line) {
  return static_cast<std::uint32_t>(std::min(line, kMostRows));
}

}  // namespace

namespace {

/// A row of the votes; of a table in several files, the file that holds it and its row there.
std::string place_of_row(const RowProblem& problem, const std::string& path) {
  if (problem.line != 0) return fmt::format("{}:{}: row {}", path, problem.line, problem.row);
  if (problem.id.empty() && is_table_path(path)) {
    const std::string file = split_table_path(path).file;
    return reader_of(file)->place(file, problem.row);
  }
  return fmt::format("{}: row {}", path, problem.row);
}

}  // namespace

Error to_error(const RowProblem& problem, const std::string& path) {
  std::string where = place_of_row(problem, path);
  if (!problem.id.empty()) where += fmt::format(" (id {})", excerpt(problem.id));
  std::string skip = "correct the votes, or drop the row with ‹skip_rows=FILE›";
  if (problem.value == -1.0 || std::isnan(problem.value)) {
    skip += "; if columns are annotators, and this means no answer, say ‹votes_format=annotators›";
  }
  switch (problem.kind) {
    case RowProblem::Kind::empty:
      return {ErrorCode::data,
              where + (problem.dropped ? ": all its answers are dropped by ‹drop_labels›; every "
                                         "example needs at least one vote"
                                       : ": no votes; every example needs at least one"),
              "drop the row with ‹skip_rows=FILE›, or every row without votes with "
              "‹allow_unmatched›; if columns are annotators, say ‹votes_format=annotators›"};
    case RowProblem::Kind::negative:
      return {ErrorCode::data,
              fmt::format("{}, column {}: vote count is {}; votes cannot be negative", where,
                          problem.column, problem.value),
              skip};
    case RowProblem::Kind::not_finite:
      return {ErrorCode::data,
              fmt::format("{}, column {}: vote count is {}; votes must be finite numbers", where,
                          problem.column, problem.value),
              skip};
    case RowProblem::Kind::label_range:
      return {ErrorCode::data,
              fmt::format("{}: label is {}; labels are class indices from 0 to {}", where,
                          problem.value, problem.class_count - 1),
              "correct the labels, or drop the row with ‹skip_rows=FILE›"};
  }
  return {ErrorCode::data, where};
}

Error to_error(RowProblem problem, const VoteFile& piece) {
  problem.row += piece.first_row;
  return to_error(problem, piece.path);
}

Error to_error(RowProblem problem, const std::string& path, const RawVotes& raw) {
  if (raw.table.gathered && !raw.table.ids.empty()) problem.id = raw.table.ids[problem.row];
  return to_error(problem, path);
}

void MatrixRows::end_row(std::size_t line) {
  if (rows() >= kMostRows) throw Error(ErrorCode::data, "too many rows of votes");
  offsets_.push_back(columns_.size());
  if (line != 0) lines_.push_back(line_number(line));
  column_ = 0;
}

void MatrixRows::expect(std::size_t all) {
  if (rows() == 0 || all <= rows()) return;
  const double per_row = static_cast<double>(columns_.size()) / static_cast<double>(rows());
  const auto entries = static_cast<std::size_t>(1.02 * per_row * static_cast<double>(all)) + 1;
  offsets_.reserve(all + 1);
  columns_.reserve(entries);
  values_.reserve(entries);
}

// Every entry is written and only those that are not 0 are kept: which ones they are cannot be
// predicted, so a branch for each would cost more.
void MatrixRows::push_row(std::span<const double> row, std::size_t line) {
  std::size_t next = columns_.size();
  columns_.resize(next + row.size());
  values_.resize(next + row.size());
  for (std::uint32_t k = 0; k < row.size(); ++k) {
    columns_[next] = k;
    values_[next] = row[k];
    next += row[k] != 0.0 ? 1 : 0;
  }
  columns_.resize(next);
  values_.resize(next);
  end_row(line);
}

void MatrixRows::drop_problem_rows(RawVotes& raw) {
  std::size_t kept = 0, to = 0, first = 0;
  auto problem = raw.problems.begin();
  for (std::size_t i = 0; i < raw.rows; ++i) {
    const std::size_t end = offsets_[i + 1];
    if (problem != raw.problems.end() && problem->row == i) {
      ++problem;
    } else {
      for (std::size_t e = first; e < end; ++e, ++to) {
        columns_[to] = columns_[e];
        values_[to] = values_[e];
      }
      offsets_[++kept] = to;
    }
    first = end;
  }
  columns_.resize(to);
  values_.resize(to);
  offsets_.resize(kept + 1);
}

RawVotes MatrixRows::finish(std::size_t classes, const std::string& path) {
  RawVotes raw;
  raw.rows = rows();
  for (std::size_t i = 0; i < rows(); ++i) {
    const Row entries = row(i);
    const auto bad = std::ranges::find_if(
        entries.values, [](double value) { return !(value > 0.0 && std::isfinite(value)); });
    if (bad == entries.values.end() && !entries.values.empty()) continue;
    RowProblem problem{.row = i, .line = line(i)};
    if (bad != entries.values.end()) {
      problem.kind = *bad < 0.0 && std::isfinite(*bad) ? RowProblem::Kind::negative
                                                       : RowProblem::Kind::not_finite;
      problem.column = entries.columns[static_cast<std::size_t>(bad - entries.values.begin())];
      problem.value = *bad;
    }
    raw.problems.push_back(problem);
  }
  if (!raw.problems.empty()) drop_problem_rows(raw);
  raw.table.votes = Votes::from_compressed(std::exchange(offsets_, {0}), std::move(columns_),
                                           std::move(values_), classes, path);
  return raw;
}

void AnswerRows::add(std::uint32_t example, std::uint32_t annotator, std::string_view label,
                     std::size_t line, double weight) {
  if (dropped_.drop(label, weight)) {
    if (lost_.size() <= example) lost_.resize(example + 1, false);
    lost_[example] = true;
    return;
  }
  answers_.push_back({example, annotator, labels_.add(label, line), line_number(line), weight});
}

void AnswerRows::set_row_line(std::size_t row, std::size_t line) {
  if (row_lines_.size() <= row) row_lines_.resize(row + 1, 0);
  row_lines_[row] = line_number(line);
}

void AnswerRows::check_repeats(const VoteFile& file, bool one_each) const {
  if (annotators_.size() == 0 && !one_each) return;
  std::vector<std::uint32_t> order(answers_.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto key = [&](std::uint32_t a) {
    return (std::uint64_t{answers_[a].example} << 32) | (one_each ? 0 : answers_[a].annotator);
  };
  std::ranges::stable_sort(order, {}, key);
  const Answer *first = nullptr, *second = nullptr;
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (key(order[i]) != key(order[i - 1])) continue;
    if (!one_each && answers_[order[i]].annotator == kNobody) continue;
    if (second == nullptr || answers_[order[i]].line < second->line) {
      first = &answers_[order[i - 1]];
      second = &answers_[order[i]];
    }
  }
  if (second == nullptr) return;
  const std::string example =
      examples_.size() == 0 ? std::to_string(second->example) : examples_[second->example];
  const bool is_text = file.given == nullptr;
  const std::string here = place_of(file.path, second->line, is_text);
  const std::string there =
      is_text ? fmt::format("line {}", first->line) : fmt::format("row {}", first->line - 1);
  if (one_each) {
    throw Error(ErrorCode::data,
                fmt::format("{}: example '{}' has a second label (the first is on {})", here,
                            example, there),
                "‹labels› takes one majority label per example; give several labels with ‹votes›");
  }
  throw Error(ErrorCode::data,
              fmt::format("{}: annotator '{}' answers a second time for example '{}' (first on {})",
                          here, annotators_[second->annotator], example, there),
              "keep one of the lines; without an annotator column every line counts as a vote");
}

RawVotes AnswerRows::finish(const VoteFile& file, bool voted, bool one_each, bool nli_order) {
  check_repeats(file, one_each);
  LabelTokens::Meaning meaning = labels_.resolve(file, nli_order);
  RawVotes raw;
  raw.rows = std::max(rows_, examples_.size());
  raw.table.annotators = annotators_.size();
  raw.table.notes = std::move(meaning.notes);
  dropped_.tell(raw.table.notes);
  raw.table.classes = std::move(meaning.classes);

  std::vector<std::uint32_t> usable(raw.rows, 0);
  for (const Answer& answer : answers_) {
    if (answer.weight > 0.0) usable[answer.example] = 1;
  }
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < raw.rows; ++i) {
    if (usable[i] == 0) {
      const std::size_t line = i < row_lines_.size() ? row_lines_[i] : 0;
      raw.problems.push_back({.kind = RowProblem::Kind::empty,
                              .row = i,
                              .line = line,
                              .dropped = i < lost_.size() && lost_[i]});
    } else {
      usable[i] = next++;
    }
  }
  if (next == 0) {
    throw Error(ErrorCode::data, fmt::format("{}: no votes at all", file.path),
                any_dropped() ? "‹drop_labels› leaves none" : "");
  }
  if (voted) {
    std::vector<std::uint32_t> labels(next, 0);
    for (const Answer& answer : answers_) {
      labels[usable[answer.example]] = meaning.class_of[answer.token];
    }
    raw.table.votes = Votes::from_labels(labels, meaning.class_count, file.path);
    return raw;
  }
  std::vector<Annotation> annotations;
  annotations.reserve(answers_.size());
  for (const Answer& answer : answers_) {
    if (!(answer.weight > 0.0)) continue;
    annotations.push_back({usable[answer.example], meaning.class_of[answer.token], answer.weight});
  }
  answers_ = {};
  raw.table.votes = Votes::from_annotations(annotations, next, meaning.class_count, file.path);
  return raw;
}

}  // namespace credence::io
