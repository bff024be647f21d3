#include "io/join/join_scores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "credence/error.hpp"
#include "dataset/finite_logits.hpp"
#include "dataset/score_trace.hpp"
#include "io/bytes/file_handle.hpp"

namespace credence::io {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 21;

bool sums_to_one(std::span<const float> row) {
  double sum = 0.0;
  for (const float p : row) {
    if (!(p >= 0.0f && p <= 1.0f)) return false;
    sum += static_cast<double>(p);
  }
  return std::abs(sum - 1.0) <= 1e-3;
}

void note_doubts(CheckedScores& scores, ScoreKind kind, const RowFilter& filter) {
  ScoreDoubts doubts(kind, scores.one_column);
  for (std::size_t i = 0; i < scores.view.rows() && !doubts.settled(); ++i) {
    if (filter.keeps(i)) doubts.add(scores.view.row(i));
  }
  for (std::string& note : doubts.notes()) scores.notes.push_back(std::move(note));
}

CheckedScores read_logits(const ScoreFile& file, const RowFilter& filter,
                          const LoadOptions& options) {
  const std::string path = display_name(file.path);
  ScoreTable table = load_scores(file, LoadAs::float32);
  check_score_shape(table.rows, table.cols, path);
  filter.check_range(table.rows, path);
  CheckedScores scores;
  scores.view = table.f32;
  scores.owner = std::move(table.owner);
  scores.ids = std::move(table.ids);
  scores.classes = std::move(table.classes);
  scores.notes = std::move(table.notes);
  scores.form = std::move(table.form);
  scores.unnamed_ids = table.unnamed_ids;
  scores.one_column = table.one_column;

  std::size_t to_clip = 0;
  if (options.trace && filter.keeps_all()) {
    scores.trace = trace_finite_scores(scores.view, options.first_look, options.threads);
  }
  if (scores.trace) {
    // Nothing to object to.
  } else if (filter.keeps_all()) {
    to_clip = check_scores(scores.view, file.kind, path);
  } else {
    for (std::size_t i = 0; i < table.rows; ++i) {
      if (filter.keeps(i)) {
        to_clip += check_scores(scores.view.block(i, 1), file.kind, path, i);
      }
    }
  }
  note_doubts(scores, file.kind, filter);
  if (to_clip != 0) {
    scores.clipped.resize(table.rows, 0);
    for (std::size_t i = 0; i < table.rows; ++i) {
      scores.clipped[i] = static_cast<std::uint32_t>(
          std::ranges::count(scores.view.row(i), -std::numeric_limits<float>::infinity()));
    }
    auto finite = std::make_shared<Matrix<float>>(to_finite_logits(scores.view, file.kind).scores);
    scores.view = std::as_const(*finite).view();
    scores.owner = std::move(finite);
  }
  return scores;
}

template <class T>
CheckedScores take_probabilities(MatrixView<const T> p, const std::string& path, bool keep) {
  CheckedScores scores;
  const std::size_t size = p.rows() * p.cols();
  const auto logs = std::make_shared_for_overwrite<float[]>(size);
  logs_of_probabilities(p, path, logs.get(), scores.clipped);
  scores.view = Scores(logs.get(), p.rows(), p.cols());
  scores.owner = logs;
  if (keep) {
    scores.probabilities =
        Matrix<double>(std::vector<double>(p.data(), p.data() + size), p.rows(), p.cols());
  }
  return scores;
}

CheckedScores leave_as_given(Scores p, const std::string& path) {
  CheckedScores scores;
  check_probability_rows(p, path, scores.clipped);
  scores.view = p;
  scores.are_probabilities = true;
  return scores;
}

/// Probabilities in an array that can be used where it is; empty for all others.
std::optional<CheckedScores> read_in_place(const ScoreFile& file, const RowFilter& filter,
                                           bool keep, Probabilities wanted) {
  if (!file.given || !file.given->array || !filter.keeps_all()) return std::nullopt;
  const NumberArray& array = *file.given->array;
  if (array.rows == 0 || array.cols < 2) return std::nullopt;
  const std::string path = display_name(file.path);
  const auto reader = open_scores(file);  // checks what comes with the array
  CheckedScores scores;
  if (array.is_plain(NumberType::f32)) {
    const Scores p(reinterpret_cast<const float*>(array.data), array.rows, array.cols);
    scores = wanted == Probabilities::as_given && !keep ? leave_as_given(p, path)
                                                        : take_probabilities(p, path, keep);
  } else if (array.is_plain(NumberType::f64)) {
    const Rows p(reinterpret_cast<const double*>(array.data), array.rows, array.cols);
    scores = take_probabilities(p, path, keep);
  } else {
    return std::nullopt;
  }
  scores.ids = file.given->ids;
  scores.form = reader->form();
  return scores;
}

CheckedScores read_probabilities(const ScoreFile& file, const RowFilter& filter, bool keep,
                                 Probabilities wanted) {
  if (auto scores = read_in_place(file, filter, keep, wanted)) return std::move(*scores);
  const std::string path = display_name(file.path);
  const auto reader = open_scores(file);
  const std::size_t cols = reader->cols();
  check_score_shape(1, cols, path);
  const std::size_t block = std::max<std::size_t>(kBlockBytes / (cols * sizeof(double)), 1);
  Matrix<double> buffer(block, cols);
  std::vector<float> logs;
  std::vector<double> stored;
  if (const auto rows = reader->rows()) {
    logs.reserve(*rows * cols);
    if (keep) stored.reserve(*rows * cols);
  }
  CheckedScores scores;
  std::vector<std::string> ids;
  std::size_t rows = 0;
  bool any_clipped = false;
  while (const std::size_t got = reader->read(buffer.view(), &ids)) {
    const Rows read = std::as_const(buffer).view().block(0, got);
    for (std::size_t i = 0; i < got; ++i) {
      std::size_t clipped = 0;
      if (filter.keeps(rows + i)) {
        clipped = check_scores(read.block(i, 1), file.kind, path, rows + i);
      }
      scores.clipped.push_back(static_cast<std::uint32_t>(clipped));
      any_clipped = any_clipped || clipped != 0;
    }
    const Conversion converted = to_finite_logits(read, file.kind);
    logs.insert(logs.end(), converted.scores.data(), converted.scores.data() + got * cols);
    if (keep) stored.insert(stored.end(), read.data(), read.data() + got * cols);
    if (reader->has_ids()) std::ranges::move(ids, std::back_inserter(scores.ids));
    ids.clear();
    rows += got;
  }
  check_score_shape(rows, cols, path);
  filter.check_range(rows, path);
  if (!any_clipped) scores.clipped = {};
  scores.classes = reader->classes();
  scores.notes = reader->notes();
  scores.form = reader->form();
  scores.unnamed_ids = reader->ids_are_unnamed();
  scores.one_column = reader->is_one_column();
  auto finite = std::make_shared<Matrix<float>>(std::move(logs), rows, cols);
  scores.view = std::as_const(*finite).view();
  scores.owner = std::move(finite);
  if (keep) scores.probabilities = Matrix<double>(std::move(stored), rows, cols);
  return scores;
}

}  // namespace

void ScoreDoubts::add(std::span<const float> row) {
  if (all_probabilities_) {
    all_probabilities_ = one_column_ ? row[1] >= 0.0f && row[1] <= 1.0f : sums_to_one(row);
  }
  if (log_probs_ && !above_zero_) above_zero_ = *std::ranges::max_element(row) > 1e-3f;
}

std::vector<std::string> ScoreDoubts::notes() const {
  if (all_probabilities_) {
    return {"these logits look like probabilities; if they are, use ‹probs›"};
  }
  if (above_zero_) {
    return {"some log-probabilities are above 0; if these are logits, use ‹logits›"};
  }
  return {};
}

void check_score_shape(std::size_t rows, std::size_t cols, const std::string& path) {
  if (rows == 0) throw Error(ErrorCode::data, path + ": no rows of scores");
  if (cols >= 2) return;
  throw Error(ErrorCode::data, fmt::format("{}: no columns of scores", path));
}

CheckedScores read_checked_scores(const ScoreFile& file, const RowFilter& filter,
                                  const LoadOptions& options) {
  if (options.keep_probabilities && file.kind != ScoreKind::probs) {
    throw Error(ErrorCode::usage, "probabilities can be kept only when the scores are some",
                "give them with ‹probs›");
  }
  return file.kind == ScoreKind::probs
             ? read_probabilities(file, filter, options.keep_probabilities, options.probabilities)
             : read_logits(file, filter, options);
}

}  // namespace credence::io
