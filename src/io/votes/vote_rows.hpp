// Votes on their way in: rows as they stand in the file, those that cannot be used set aside with
// the reason, so that a row the user leaves out (--skip-rows) spoils nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "credence/error.hpp"
#include "credence/io.hpp"
#include "io/votes/dropped_labels.hpp"
#include "io/votes/vote_labels.hpp"

namespace credence::io {

struct RowProblem {
  enum class Kind { empty, negative, not_finite, label_range };
  Kind kind = Kind::empty;
  std::size_t row = 0;   ///< 0-based row of the votes
  std::size_t line = 0;  ///< 1-based line of a text file, 0 for arrays
  std::size_t column = 0;
  double value = 0.0;
  std::size_t class_count = 0;
  bool dropped = false;  ///< it had answers, all of them dropped
  std::string id{};      ///< of the example, where the row is not one of the file
};

/// What a vote file holds. `table.votes` has the usable rows only; `table.ids` has all of them.
struct RawVotes {
  VoteTable table;
  std::size_t rows = 0;              ///< all rows, usable or not
  std::vector<RowProblem> problems;  ///< by ascending row
};

inline constexpr std::size_t kAllRows = static_cast<std::size_t>(-1);

/// Votes whose rows are examples, some rows at a time.
class VotePieces {
 public:
  virtual ~VotePieces() = default;
  /// The next rows, at most `most`; without rows at the end.
  virtual RawVotes read(std::size_t most) = 0;
};

Error to_error(const RowProblem& problem, const std::string& path);
/// The same for a problem in a piece of a file.
Error to_error(RowProblem problem, const VoteFile& piece);
/// The same with the id of the row where it stands on no line of its own.
Error to_error(RowProblem problem, const std::string& path, const RawVotes& raw);

/// Rows of counts or shares, kept as their entries that are not 0.
class MatrixRows {
 public:
  void push(double value) {
    if (value != 0.0) {
      columns_.push_back(column_);
      values_.push_back(value);
    }
    ++column_;
  }
  void end_row(std::size_t line);
  void push_row(std::span<const double> row, std::size_t line);

  std::size_t rows() const { return offsets_.size() - 1; }
  /// Makes room for `all` rows like those so far, so that little is moved while they arrive.
  void expect(std::size_t all);
  struct Row {
    std::span<const std::uint32_t> columns;
    std::span<const double> values;
  };
  Row row(std::size_t i) const {
    const std::size_t first = offsets_[i], count = offsets_[i + 1] - first;
    return {{columns_.data() + first, count}, {values_.data() + first, count}};
  }
  std::size_t line(std::size_t i) const { return lines_.empty() ? 0 : lines_[i]; }
  /// Judges every row and builds the votes; nothing is left here.
  RawVotes finish(std::size_t classes, const std::string& path);

 private:
  void drop_problem_rows(RawVotes& raw);

  std::uint32_t column_ = 0;
  std::vector<std::uint32_t> columns_;
  std::vector<double> values_;
  std::vector<std::size_t> offsets_{0};
  std::vector<std::uint32_t> lines_;  // empty for arrays
};

/// Answers one by one: (example, annotator, label), in any order.
class AnswerRows {
 public:
  static constexpr std::uint32_t kNobody = 0xffffffff;

  explicit AnswerRows(const VoteFile& file) : dropped_(file.drop_labels) {}
  /// Row for an example id, new ids in the order they appear.
  std::uint32_t example(std::string_view id) { return examples_.add(id); }
  /// Declares that rows 0 .. rows - 1 exist, for forms whose rows are examples.
  void set_rows(std::size_t rows) { rows_ = rows; }
  std::uint32_t annotator(std::string_view id) { return annotators_.add(id); }
  /// A label that is to be dropped is only counted.
  void add(std::uint32_t example, std::uint32_t annotator, std::string_view label, std::size_t line,
           double weight = 1.0);
  std::size_t answers() const { return answers_.size(); }
  bool any_dropped() const { return !lost_.empty(); }
  bool has_label(std::string_view label) const { return labels_.contains(label); }
  std::size_t examples() const { return examples_.size(); }
  std::vector<std::string> example_ids() const { return examples_.names(); }
  void set_row_line(std::size_t row, std::size_t line);

  /// An annotator who answers twice for one example is an Error; so is, with `one_each`, a second
  /// label for an example. `voted` makes them majority labels.
  RawVotes finish(const VoteFile& file, bool voted, bool one_each, bool nli_order = false);

 private:
  struct Answer {
    std::uint32_t example, annotator, token, line;
    double weight;
  };
  void check_repeats(const VoteFile& file, bool one_each) const;

  DroppedLabels dropped_;
  std::vector<bool> lost_;  // examples that lost an answer
  Interner examples_, annotators_;
  LabelTokens labels_;
  std::vector<Answer> answers_;
  std::vector<std::uint32_t> row_lines_;
  std::size_t rows_ = 0;
};

}  // namespace credence::io
