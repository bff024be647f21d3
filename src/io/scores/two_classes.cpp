#include "io/scores/two_classes.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "credence/error.hpp"
#include "io/votes/vote_names.hpp"

namespace credence::io {
namespace {

// Rounding in somebody's logarithm of a sum; as much as is forgiven above a probability of 1.
constexpr double kAboveZero = 1e-6;

class TwoClassScores : public ScoreReader {
 public:
  TwoClassScores(std::unique_ptr<ScoreReader> reader, const ScoreFile& file)
      : reader_(std::move(reader)), kind_(file.kind), path_(display_name(file.path)) {}

  std::size_t cols() const override { return 2; }
  std::optional<std::size_t> rows() const override { return reader_->rows(); }
  const std::vector<std::string>& classes() const override { return reader_->classes(); }
  bool has_ids() const override { return reader_->has_ids(); }
  bool ids_are_unnamed() const override { return reader_->ids_are_unnamed(); }
  bool is_one_column() const override { return true; }
  std::string_view form() const override { return reader_->form(); }

  std::vector<std::string> notes() const override {
    std::vector<std::string> notes = reader_->notes();
    notes.push_back(fmt::format("{} has one column of scores: {}", path_, reading()));
    return notes;
  }

  std::size_t read(MatrixView<double> out, std::vector<std::string>* ids) override {
    column_.resize(out.rows());
    const std::size_t count = reader_->read({column_.data(), out.rows(), 1}, ids);
    for (std::size_t i = 0; i < count; ++i) {
      if (kind_ == ScoreKind::log_probs) check_log_probability(column_[i], rows_ + i);
      out(i, 0) = first_class(column_[i]);
      out(i, 1) = column_[i];
    }
    rows_ += count;
    return count;
  }

 private:
  std::string_view reading() const {
    switch (kind_) {
      case ScoreKind::logits:
        return "they are read as logits of the second of two classes, with 0 for the first";
      case ScoreKind::log_probs:
        return "they are read as log-probabilities of the second of two classes, which give that "
               "of the first";
      case ScoreKind::probs:
        return "they are read as probabilities p of the second of two classes, with 1 - p for the "
               "first";
    }
    return {};
  }

  // Among several columns a sum above 1 is told and goes on; here it would leave the other class
  // less than nothing.
  void check_log_probability(double score, std::size_t row) const {
    if (!(score > kAboveZero) || std::isinf(score)) return;
    throw Error(
        ErrorCode::data,
        fmt::format("{}: row {}: log-probability is {}; it cannot be above 0", path_, row, score),
        "if these are logits use ‹logits›");
  }

  // What cannot be a score is left to the check of the row, which may not be wanted; it must find
  // fault with the column that is in the file.
  double first_class(double score) const {
    switch (kind_) {
      case ScoreKind::logits:
        return 0.0;
      case ScoreKind::probs:
        return score >= 0.0 && score <= 1.0 ? 1.0 - score : 0.0;
      case ScoreKind::log_probs:
        break;
    }
    if (std::isnan(score) || score == std::numeric_limits<double>::infinity()) return 0.0;
    if (score >= 0.0) return -std::numeric_limits<double>::infinity();
    // log(1 - exp(l)) without cancellation: expm1 is exact near 0, log1p far from it.
    return score > -0.6931471805599453 ? std::log(-std::expm1(score))
                                       : std::log1p(-std::exp(score));
  }

  std::unique_ptr<ScoreReader> reader_;
  ScoreKind kind_;
  std::string path_;
  std::vector<double> column_;
  std::size_t rows_ = 0;
};

}  // namespace

std::unique_ptr<ScoreReader> with_two_classes(std::unique_ptr<ScoreReader> reader,
                                              const ScoreFile& file) {
  if (reader->cols() != 1) return reader;
  return std::make_unique<TwoClassScores>(std::move(reader), file);
}

std::vector<std::string> two_names(const std::vector<std::string>& single,
                                   const std::vector<std::string>& known) {
  if (!is_single_name(single) || known.size() != 2) return {};
  const auto found = find_name(known, single[0]);
  if (!found) return {};
  return {known[1 - *found], known[*found]};
}

std::string single_name_note(const std::vector<std::string>& names, const std::string& path) {
  return fmt::format(
      "the column of {} is named '{}': its scores are those of that class, and '{}' "
      "is the other",
      path, names[1], names[0]);
}

}  // namespace credence::io
