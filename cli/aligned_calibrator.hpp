// A calibrator meets a score file: are they about the same classes, in which order?
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "credence/error.hpp"
#include "credence/io.hpp"

namespace credence::cli {

/// Applies a calibrator to scores whose columns may stand in another order. Output columns stay in
/// the order of the input, so that a file never comes back rearranged.
class AlignedCalibrator {
 public:
  /// `classes` are the names of the score columns (may be empty). Another number of classes, other
  /// names, or scores of another kind under the raw gauge are an Error(model).
  AlignedCalibrator(io::LoadedCalibrator loaded, std::string model_path, std::size_t columns,
                    const std::vector<std::string>& classes, ScoreKind kind,
                    std::string_view score_path);

  void apply(Scores scores, MutRows probabilities, int threads);

  const Calibrator& calibrator() const { return loaded_.calibrator; }
  const io::CalibratorInfo& info() const { return loaded_.info; }
  /// "by name", "in the same order", or "assumed".
  std::string_view matched() const { return matched_; }
  /// Names for the output columns: those of the scores, else those of the calibrator.
  const std::vector<std::string>& output_classes() const { return output_classes_; }

 private:
  io::LoadedCalibrator loaded_;
  std::string_view matched_;
  std::vector<std::string> output_classes_;
  std::vector<std::size_t> column_of_;  ///< score column of the calibrator's class; empty: the same
  std::vector<float> ordered_;
  std::vector<double> result_;
};

}  // namespace credence::cli
