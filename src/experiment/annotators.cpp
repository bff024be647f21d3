#include <fmt/format.h>

#include "core/random.hpp"
#include "credence/error.hpp"
#include "credence/simulate.hpp"
#include "experiment/draw.hpp"

namespace credence {

Matrix<std::uint32_t> simulate_annotators(std::span<const std::uint32_t> consensus,
                                          std::span<const ConfusionMatrix> matrices,
                                          const AnnotatorOptions& options) {
  if (options.annotators < 1) {
    throw Error(ErrorCode::usage, "votes need at least one annotator per example");
  }
  const auto annotators = static_cast<std::size_t>(options.annotators);
  if (matrices.size() != 1 && matrices.size() != annotators) {
    throw Error(ErrorCode::usage,
                fmt::format("{} confusion matrices for {} annotators", matrices.size(), annotators),
                "give one matrix for all annotators, or one for each");
  }
  const std::size_t classes = matrices.front().class_count();
  for (const ConfusionMatrix& matrix : matrices) {
    if (matrix.class_count() == classes) continue;
    throw Error(ErrorCode::data, fmt::format("confusion matrices of {} and of {} classes", classes,
                                             matrix.class_count()));
  }
  // A stream apart: whoever draws from these votes with the same seed must get fresh numbers.
  const std::uint64_t seed = core::mix64(options.seed ^ 0x616e6e6f7461746fULL);
  Matrix<std::uint32_t> answers(consensus.size(), annotators);
  for (std::size_t i = 0; i < consensus.size(); ++i) {
    if (consensus[i] >= classes) {
      throw Error(ErrorCode::data, fmt::format("row {}: consensus is class {}, but the confusion "
                                               "matrix knows classes 0 to {}",
                                               i, consensus[i], classes - 1));
    }
    for (std::size_t a = 0; a < annotators; ++a) {
      const ConfusionMatrix& matrix = matrices[matrices.size() == 1 ? 0 : a];
      answers(i, a) =
          experiment::draw_class(matrix.probabilities.row(consensus[i]), core::uniform(seed, i, a));
    }
  }
  return answers;
}

}  // namespace credence
