#include "io/votes/vote_annotators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/votes/vote_forms.hpp"

namespace credence::io {
namespace {

std::string label_text(double value) {
  const bool whole = value == std::floor(value) && std::abs(value) < 9e15;
  return whole ? std::to_string(static_cast<std::int64_t>(value)) : fmt::format("{}", value);
}

}  // namespace

void LabelScan::look(std::span<const double> row) {
  for (const double value : row) {
    const bool gap = std::isnan(value) || value == -1.0;
    gaps_ += gap ? 1 : 0;
    if (gap) continue;
    all_labels_ = all_labels_ && value >= 0.0 && value == std::floor(value);
    largest_ = std::max(largest_, value);
  }
}

bool may_hold_annotators(std::size_t cols, const VoteFile& file) {
  const std::size_t classes = file.classes.empty() ? file.expected_classes : file.classes.size();
  return file.format.empty() && classes != 0 && cols != classes;
}

bool holds_annotators(const LabelScan& scan, std::size_t cols, const VoteFile& file) {
  if (!file.format.empty()) return file.format == kAnnotatorsFormat;
  const std::size_t classes = file.classes.empty() ? file.expected_classes : file.classes.size();
  return may_hold_annotators(cols, file) && scan.are_labels_with_gaps() &&
         scan.largest() < static_cast<double>(classes);
}

RawVotes read_annotators(const MatrixRows& matrix, std::size_t cols, const VoteFile& file) {
  AnswerRows answers(file);
  answers.set_rows(matrix.rows());
  std::vector<std::uint32_t> annotators;
  for (std::size_t c = 0; c < cols; ++c) annotators.push_back(answers.annotator(std::to_string(c)));
  std::size_t gaps = 0;
  const bool minus_one_is_class = find_name(file.classes, kMissingLabel).has_value();
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    const MatrixRows::Row row = matrix.row(i);
    std::size_t entry = 0;
    for (std::uint32_t c = 0; c < cols; ++c) {
      const bool kept = entry < row.columns.size() && row.columns[entry] == c;
      const double value = kept ? row.values[entry++] : 0.0;
      if (std::isnan(value) || (value == -1.0 && !minus_one_is_class)) {
        ++gaps;
        continue;
      }
      answers.add(static_cast<std::uint32_t>(i), annotators[c], label_text(value), 0);
    }
  }
  RawVotes raw = answers.finish(file, false, false);
  raw.table.form = fmt::format("array of labels ({} annotators)", cols);
  raw.table.notes.insert(
      raw.table.notes.begin(),
      fmt::format("the {} columns of {} are read as annotators, their numbers as class indices; {} "
                  "answers are missing (-1 or NaN){}",
                  cols, file.path, gaps,
                  file.format.empty() ? "; ‹votes_format=counts› reads counts per class" : ""));
  return raw;
}

}  // namespace credence::io
