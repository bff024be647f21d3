#include "credence/apply_array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/parallel.hpp"
#include "credence/error.hpp"

namespace credence::io {
namespace {

/// Numbers that stay in a near cache while they are checked and used.
constexpr std::size_t kPiece = std::size_t{1} << 16U;

/// Checks rows and calls use(finite scores).
template <class Use>
void check_rows(const NumberArray& array, ScoreKind kind, const std::string& path,
                std::size_t first, std::size_t rows, const Use& use) {
  if (array.is_plain(NumberType::f32) && kind != ScoreKind::probs) {
    const Scores all(reinterpret_cast<const float*>(array.data), array.rows, array.cols);
    const Scores part = all.block(first, rows);
    if (check_scores(part, kind, path, first) == 0) return use(part);
    const Conversion finite = to_finite_logits(part, kind);
    return use(finite.scores.view());
  }
  Matrix<double> values(rows, array.cols);
  array.read_rows(first, values.view());
  const Rows part = std::as_const(values).view();
  check_scores(part, kind, path, first);
  const Conversion finite = to_finite_logits(part, kind);
  use(finite.scores.view());
}

template <class T>
void apply_to_rows(const AlignedCalibrator& calibrator, const NumberArray& array, ScoreKind kind,
                   const std::string& path, std::size_t first, MatrixView<T> out, int threads) {
  if (array.cols < 2 || array.cols != out.cols() || first > array.rows ||
      out.rows() > array.rows - first) {
    throw Error(ErrorCode::usage,
                fmt::format("room for {} x {} probabilities from row {} of {} x {} scores on",
                            out.rows(), out.cols(), first, array.rows, array.cols),
                "as many columns as the scores have, two at least, and no more rows");
  }
  const std::size_t rows = out.rows(), piece = std::max<std::size_t>(1, kPiece / array.cols);
  const auto work = [&](std::size_t i, bool applied) {
    const std::size_t begin = i * piece, count = std::min(piece, rows - begin);
    check_rows(array, kind, path, first + begin, count, [&](Scores scores) {
      if (applied) calibrator.apply(scores, out.block(begin, count), 1);
    });
  };
  const std::size_t pieces = (rows + piece - 1) / piece;
  try {
    core::parallel_for(core::threads_for(out.size(), threads), pieces,
                       [&](std::size_t i) { work(i, true); });
  } catch (const Error&) {
    // Whichever bad row a thread came upon, the first is named.
    for (std::size_t i = 0; i < pieces; ++i) work(i, false);
    throw;
  }
}

}  // namespace

void apply_to_array(const AlignedCalibrator& calibrator, const NumberArray& scores, ScoreKind kind,
                    const std::string& path, std::size_t first, MatrixView<double> out,
                    int threads) {
  apply_to_rows(calibrator, scores, kind, path, first, out, threads);
}
void apply_to_array(const AlignedCalibrator& calibrator, const NumberArray& scores, ScoreKind kind,
                    const std::string& path, std::size_t first, MatrixView<float> out,
                    int threads) {
  apply_to_rows(calibrator, scores, kind, path, first, out, threads);
}

}  // namespace credence::io
