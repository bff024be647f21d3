// From stored scores to what a stage reads, and from what it reads to what it gives.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "credence/calibrator.hpp"
#include "credence/matrix.hpp"

namespace credence::map {

/// Whether a map that reads what another stage gives ignores what is added to a row (ignores_shift
/// in map/about.hpp for the first stage): then the log-sum-exp, half the work of such maps, need
/// not be taken off.
bool ignores_shift_behind_a_stage(const MapSpec& map);

/// Tile of inputs u -> tile of probabilities, in place.
void stage_probabilities(const Stage& stage, Gauge gauge, std::size_t classes, double* tile);

/// The inputs of a stage, tile by tile: scores in the chosen gauge, passed through earlier stages.
class StageInput {
 public:
  /// `front` are the stages before the one that reads; they must outlive this object. Inputs of a
  /// `reader` that ignores their shift come with any; without a reader they come as they are
  /// defined.
  StageInput(Scores scores, Gauge gauge, std::span<const Stage> front,
             const MapSpec* reader = nullptr);

  /// The same stages reading other scores.
  StageInput over(Scores scores) const { return StageInput(scores, gauge_, front_, reader_); }

  std::size_t rows() const { return scores_.rows(); }
  std::size_t classes() const { return scores_.cols(); }
  Scores scores() const { return scores_; }
  bool is_plain() const { return front_.empty(); }
  /// The inputs are the scores themselves.
  bool reads_scores() const { return is_plain() && !shift_matters_; }
  /// What the inputs are: a stage in front gives log-probabilities.
  Gauge gauge() const { return is_plain() ? gauge_ : Gauge::log_probs; }
  /// Computes the log-sum-exp of every row once, for callers that make many passes.
  void remember_shifts(int threads);
  /// Rows first .. first + rows - 1 (at most one tile) as a class-major tile.
  void load(std::size_t first, std::size_t rows, double* tile) const;
  /// Any number of rows as row-major float32, `stride` apart.
  void load_rows(std::size_t first, std::size_t rows, float* out, std::size_t stride) const;

 private:
  Scores scores_;
  Gauge gauge_;
  std::span<const Stage> front_;
  const MapSpec* reader_;
  bool shift_matters_;  ///< to the first stage
  std::vector<double> shifts_;
};

}  // namespace credence::map
