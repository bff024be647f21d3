// A calibrator meets data: what is recorded of those it was fitted to, and whether others are about
// the same classes, in which order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "credence/error.hpp"
#include "credence/io.hpp"
#include "credence/row_files.hpp"

namespace credence::io {

/// What a calibrator file records of the data it was fitted to.
CalibratorInfo calibrator_info(const Dataset& data, ScoreKind kind, std::uint64_t seed);

CalibratorInfo calibrator_info(const DataFacts& facts, ScoreKind kind, std::uint64_t seed);

/// Votes per example, on average; 0 without votes.
double mean_votes(const Votes& votes);

/// Two data sets of one task must number their classes alike: brings the columns and votes of
/// `data` into the order of `classes`, matching by name. Nothing happens when either side has no
/// names; names that differ are an Error.
void align_classes(Dataset& data, const std::vector<std::string>& classes);

/// Applies a calibrator to scores whose columns may stand in another order. Output columns stay in
/// the order of the input, so that a file never comes back rearranged.
class AlignedCalibrator {
 public:
  /// `classes` are the names of the score columns (may be empty, or the one name of a file with one
  /// column). Another number of classes, other
  /// names, or scores of another kind under the raw gauge are an Error(model).
  AlignedCalibrator(LoadedCalibrator loaded, std::string model_path, std::size_t columns,
                    const std::vector<std::string>& classes, ScoreKind kind,
                    std::string_view score_path);

  void apply(Scores scores, MutRows probabilities, int threads) const;
  /// The same, rounded: not what single precision would give.
  void apply(Scores scores, MatrixView<float> probabilities, int threads) const;

  const Calibrator& calibrator() const { return loaded_.calibrator; }
  const CalibratorInfo& info() const { return loaded_.info; }
  /// "by name", "in the same order", or "assumed".
  std::string_view matched() const { return matched_; }
  /// Names for the output columns: those of the scores, else those of the calibrator.
  const std::vector<std::string>& output_classes() const { return output_classes_; }

 private:
  LoadedCalibrator loaded_;
  std::string_view matched_;
  std::vector<std::string> output_classes_;
  std::vector<std::size_t> column_of_;  ///< score column of the calibrator's class; empty: the same
};

}  // namespace credence::io
