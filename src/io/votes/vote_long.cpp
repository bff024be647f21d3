#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/error.hpp"
#include "credence/options.hpp"
#include "io/text/first_row.hpp"
#include "io/votes/vote_forms.hpp"

namespace credence::io {
namespace {

// CIFAR-10H marks its attention checks by this image index.
constexpr std::string_view kAttentionCheck = "-99999";

std::optional<std::size_t> find_column(const std::vector<std::string>& header,
                                       const std::string& name) {
  if (name.empty()) return std::nullopt;
  const auto found = find_name(header, name);
  return found ? std::optional<std::size_t>(*found) : std::nullopt;
}

Error missing_column(const VoteFile& file, const std::vector<std::string>& header,
                     std::string_view what, Option option) {
  return {ErrorCode::data,
          fmt::format("{}: no {} column among {}", file.path, what, list_names(header)),
          fmt::format("name it with {}", mention(option))};
}

void require_cell(bool filled, std::string_view what, std::size_t column, const CellTable& table) {
  if (filled) return;
  throw Error(ErrorCode::data,
              fmt::format("{}: blank {} ('{}')", place_of(table), what, table.header()[column]),
              "fill the cell or delete the line");
}

double parse_count(std::string_view cell, const CellTable& table) {
  const auto count = parse_number(cell);
  if (count && *count >= 0.0 && std::isfinite(*count)) return *count;
  throw Error(ErrorCode::data, fmt::format("{}: vote count is {}; a number from 0 up is wanted",
                                           place_of(table), excerpt(cell)));
}

/// Class names that a second column spells out beside the indices.
class CategoryNames {
 public:
  void add(std::string_view index, std::string_view name) {
    const auto number = parse_number(index);
    if (!number || *number < 0 || *number > 65535 || *number != std::floor(*number)) {
      consistent_ = false;
      return;
    }
    const auto k = static_cast<std::size_t>(*number);
    if (names_.size() <= k) names_.resize(k + 1);
    if (names_[k].empty()) names_[k] = name;
    consistent_ = consistent_ && names_[k] == name;
  }
  /// All of them, or none when some class was never named or named in two ways.
  std::vector<std::string> names(std::size_t classes) const {
    const bool complete = consistent_ && names_.size() == classes &&
                          std::ranges::none_of(names_, &std::string::empty);
    return complete ? names_ : std::vector<std::string>{};
  }

 private:
  std::vector<std::string> names_;
  bool consistent_ = true;
};

}  // namespace

std::optional<LongColumns> find_long_columns(const std::vector<std::string>& header,
                                             const VoteFile& file) {
  if (header.empty()) return std::nullopt;
  auto example = find_column(header, file.id_field);
  auto label = find_column(header, file.votes_field);
  const bool label_given = label.has_value();
  if (!file.votes_field.empty() && !label) {
    throw missing_column(file, header, fmt::format("'{}'", file.votes_field), Option::votes_field);
  }
  if (!example) example = find_role(header, ColumnRole::example);
  if (!label) label = find_role(header, ColumnRole::label);
  const auto annotator = find_role(header, ColumnRole::annotator);
  const auto count = find_role(header, ColumnRole::count);
  const auto named = static_cast<std::size_t>(
      std::ranges::count_if(header, [](const std::string& name) { return !is_index_name(name); }));

  if (!label) {
    if (example && annotator && named == 3)
      throw missing_column(file, header, "label", Option::votes_field);
    return std::nullopt;
  }
  // A column of labels with the index of a data frame before it.
  if (!example && header.size() == 2 && *label == 1 && is_index_name(header[0])) example = 0;
  if (!example) {
    if (annotator && *annotator != *label) {
      throw missing_column(file, header, "example", Option::id_field);
    }
    return std::nullopt;
  }
  if (*example == *label) return std::nullopt;
  LongColumns columns;
  columns.example = *example;
  columns.label = *label;
  if (annotator && *annotator != *example && *annotator != *label) columns.annotator = annotator;
  if (count && *count != *example && *count != *label) columns.count = count;
  // A label column beside many others may be the gold label of a matrix of counts.
  const std::size_t used = 2 + (columns.annotator ? 1 : 0) + (columns.count ? 1 : 0);
  if (!columns.annotator && !label_given && !file.labels_only && named != used) {
    return std::nullopt;
  }
  columns.category = find_column(header, "chosen_category");
  if (columns.category == columns.label) columns.category.reset();
  return columns;
}

RawVotes read_long_table(CellTable& table, const LongColumns& columns, const VoteFile& file) {
  const std::vector<std::string>& header = table.header();
  AnswerRows answers(file);
  CategoryNames categories;
  std::size_t checks = 0;
  std::vector<std::string_view> cells;
  while (table.next(cells)) {
    const std::string_view example = cells[columns.example], label = cells[columns.label];
    if (example == kAttentionCheck) {
      ++checks;
      continue;
    }
    require_cell(!example.empty(), "example", columns.example, table);
    require_cell(!is_blank(label), "label", columns.label, table);
    std::uint32_t annotator = AnswerRows::kNobody;
    if (columns.annotator && !file.labels_only) {
      const std::string_view name = cells[*columns.annotator];
      require_cell(!name.empty(), "annotator", *columns.annotator, table);
      annotator = answers.annotator(name);
    }
    const double weight =
        columns.count && !file.labels_only ? parse_count(cells[*columns.count], table) : 1.0;
    if (columns.category) categories.add(label, cells[*columns.category]);
    answers.add(answers.example(example), annotator, label, table.line(), weight);
  }
  if (answers.answers() == 0 && !answers.any_dropped()) {
    throw Error(ErrorCode::data, fmt::format("{}: a header but no annotations", file.path));
  }
  RawVotes raw = answers.finish(file, file.labels_only, file.labels_only);
  raw.table.ids = answers.example_ids();
  raw.table.gathered = true;
  raw.table.unnamed_ids = is_index_name(header[columns.example]);
  if (columns.category && raw.table.classes.empty()) {
    raw.table.classes = categories.names(raw.table.votes.classes());
  }
  if (file.labels_only) {
    raw.table.form =
        fmt::format("majority labels ({}, {})", header[columns.example], header[columns.label]);
  } else {
    raw.table.form = fmt::format(
        "long table ({}{}, {}{})", header[columns.example],
        columns.annotator ? ", " + header[*columns.annotator] : std::string(),
        header[columns.label], columns.count ? ", " + header[*columns.count] : std::string());
    if (!columns.annotator && !columns.count) {
      raw.table.notes.push_back("no annotator column: every line counts as one vote");
    }
  }
  if (checks != 0) {
    raw.table.notes.push_back(fmt::format("{} attention check{} (index {}) dropped", checks,
                                          checks == 1 ? "" : "s", kAttentionCheck));
  }
  return raw;
}

RawVotes read_label_column(CellTable& table, const VoteFile& file) {
  // The first line of a column of names looks like a header; it is one when it has a usual name or
  // when the lines below are numbers.
  std::vector<std::string_view> cells;
  std::vector<std::pair<std::string, std::size_t>> column;
  bool numbers = true, any_number = false;
  while (table.next(cells)) {
    column.emplace_back(cells[0], table.line());
    numbers = numbers && !is_name_cell(cells[0]);
    any_number = any_number || is_number_cell(cells[0]);
  }
  const auto& classes = file.classes.empty() ? file.score_classes : file.classes;
  const bool names_a_class = table.has_header() && find_name(classes, table.header()[0]);
  // A name among numbers is a bad cell; it does not make the header another one.
  const bool header_is_data = table.has_header() && table.is_text() && !numbers &&
                              (!any_number || names_a_class) &&
                              !find_role(table.header(), ColumnRole::label) &&
                              fold_name(table.header()[0]) != fold_name(file.votes_field);
  if (header_is_data) column.insert(column.begin(), {table.header()[0], 1});
  AnswerRows answers(file);
  answers.set_rows(column.size());
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (table.is_text()) answers.set_row_line(i, column[i].second);
    if (is_blank(column[i].first)) continue;
    answers.add(static_cast<std::uint32_t>(i), AnswerRows::kNobody, column[i].first,
                column[i].second);
  }
  RawVotes raw = answers.finish(file, file.labels_only, false);
  raw.table.form = file.labels_only ? "majority labels" : "one annotation per example";
  return raw;
}

}  // namespace credence::io
