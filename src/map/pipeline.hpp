// From stored scores to what a stage reads, and from what it reads to what it gives.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "credence/calibrator.hpp"
#include "credence/matrix.hpp"

namespace credence::map {

/// Tile of inputs u -> tile of probabilities, in place. The stride is core::tile_rows(K), or 1 for
/// a single row; the bits do not depend on it.
void stage_probabilities(const MapSpec& map, Params theta, std::size_t classes, std::size_t stride,
                         double* tile);
/// The same as log-probabilities, which is what a following stage reads. A probability of 0 becomes
/// the smallest normal float32, as it does in score files.
void stage_log_probs(const MapSpec& map, Params theta, std::size_t classes, std::size_t stride,
                     double* tile);

/// The gauge in which a map that asks for `gauge` may read the scores: as they are, where adding a
/// number to a row changes nothing, since the log-sum-exp is half the work of such maps.
Gauge gauge_read_by(const MapSpec& map, Gauge gauge);

/// One row of scores as the stage behind `front` reads it: a tile of stride 1.
void load_row(const float* scores, std::size_t classes, Gauge gauge, std::span<const Stage> front,
              double* u);

/// The inputs of a stage, tile by tile: scores in the chosen gauge, passed through earlier stages.
class StageInput {
 public:
  /// `front` are the stages before the one that reads; they must outlive this object.
  StageInput(Scores scores, Gauge gauge, std::span<const Stage> front);

  /// The same stages reading other scores.
  StageInput over(Scores scores) const { return StageInput(scores, gauge_, front_); }

  std::size_t rows() const { return scores_.rows(); }
  std::size_t classes() const { return scores_.cols(); }
  Scores scores() const { return scores_; }
  bool is_plain() const { return front_.empty(); }
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
  std::vector<double> shifts_;
};

}  // namespace credence::map
