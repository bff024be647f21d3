// Calibrated probabilities of rows in memory, some rows to each thread, or of rows that a reader
// gives one block after the other.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calibrator.hpp"
#include "credence/apply_array.hpp"
#include "credence/finite_scores.hpp"
#include "inputs.hpp"
#include "large_array.hpp"
#include "work.hpp"

namespace credence::python {

/// Rows that NumPy takes over.
template <class T>
struct Output {
  LargeArray<T> values;
  std::size_t rows = 0, columns = 0, room = 0;

  MatrixView<T> next(std::size_t more) {
    if (rows + more > room) {
      const std::size_t wanted = std::max(rows + more, 2 * room);
      auto moved = make_large_array<T>(wanted * columns);
      std::copy_n(values.get(), rows * columns, moved.get());
      values = std::move(moved);
      room = wanted;
    }
    rows += more;
    return {values.get() + (rows - more) * columns, more, columns};
  }
};

template <class T>
class Prediction {
 public:
  Prediction(const PyCalibrator& model, const Inputs& inputs, int threads, Monitor& monitor)
      : file_(inputs.files.scores), threads_(threads), monitor_(monitor) {
    reader_ = io::open_scores(file_);
    const auto& given =
        inputs.files.score_classes.empty() ? inputs.files.classes : inputs.files.score_classes;
    std::vector<std::string> notes;
    const auto classes = io::column_names(reader_->classes(), given, file_.path, notes);
    io::check_class_names(classes, file_.path, ErrorCode::data);
    output_.columns = reader_->cols();
    aligned_.emplace(model.loaded, "the calibrator", output_.columns, classes, file_.kind,
                     file_.path);
    if (const auto all = reader_->rows()) {
      total_ = *all;
      output_.values = make_large_array<T>(total_ * output_.columns);
      output_.room = total_;
    }
  }

  Output<T> run() {
    // One column stands for two classes, which are made while it is read.
    if (file_.given && file_.given->array && file_.given->array->cols > 1) {
      run_in_memory(*file_.given->array);
    } else {
      run_by_reader();
    }
    return std::move(output_);
  }

 private:
  /// Numbers between two looks at whether to stop.
  static constexpr std::size_t kRound = std::size_t{1} << 21U;

  void run_in_memory(const io::NumberArray& array) {
    const std::size_t round = std::max<std::size_t>(1, kRound / array.cols);
    for (std::size_t first = 0; first < array.rows; first += round) {
      const std::size_t rows = std::min(round, array.rows - first);
      io::apply_to_array(*aligned_, array, file_.kind, file_.path, first, output_.next(rows),
                         threads_);
      report();
    }
  }

  void run_by_reader() {
    io::FiniteBlock block;
    for (io::FiniteScores blocks(*reader_, file_, io::RowFilter(), threads_); blocks.next(block);) {
      const Scores scores = block.finite.scores.view();
      aligned_->apply(scores, output_.next(scores.rows()), blocks.threads());
      report();
    }
  }

  void report() {
    const double share =
        total_ == 0 ? -1.0 : static_cast<double>(output_.rows) / static_cast<double>(total_);
    if (monitor_.report(share, std::to_string(output_.rows) + " rows")) return;
    throw Error(ErrorCode::cancelled, "stopped");
  }

  const io::ScoreFile& file_;
  int threads_;
  Monitor& monitor_;
  std::unique_ptr<io::ScoreReader> reader_;
  std::optional<io::AlignedCalibrator> aligned_;
  Output<T> output_;
  std::size_t total_ = 0;
};

}  // namespace credence::python
