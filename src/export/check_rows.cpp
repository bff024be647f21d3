// Rows that prove a graph where it runs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/half.hpp"
#include "core/random.hpp"
#include "credence/error.hpp"
#include "credence/export.hpp"
#include "io/write/npz_write.hpp"

namespace credence::exporter {
namespace {

constexpr std::uint64_t kSeed = 20;

/// Roughly normal: the sum of four uniform numbers, scaled.
double noise(std::size_t row, std::size_t k) {
  double sum = -2.0;
  for (std::uint64_t s = 0; s < 4; ++s) sum += core::uniform(kSeed, row, k * 4 + s);
  return sum * std::sqrt(3.0);
}

/// Rows 0 .. 59 grow more certain; the last four are the cases that go wrong first.
void fill_logits(Matrix<double>& scores) {
  const std::size_t classes = scores.cols();
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    const double spread = 0.25 * std::pow(1.08, static_cast<double>(i));  // 0.25 .. 25
    for (std::size_t k = 0; k < classes; ++k) scores(i, k) = spread * noise(i, k);
  }
  const std::size_t last = scores.rows() - 1;
  for (std::size_t k = 0; k < classes; ++k) {
    scores(last, k) = 0.0;                                // all classes alike
    scores(last - 1, k) = k < 2 ? 3.0 : -1.0;             // two share the top
    scores(last - 2, k) = k + 1 == classes ? 60.0 : 0.0;  // certain
  }
  scores(last - 3, 0) = -std::numeric_limits<double>::infinity();  // one class impossible
}

void to_probabilities(std::span<double> row) {
  const double top = *std::ranges::max_element(row);
  double sum = 0.0;
  for (double& x : row) sum += x = std::exp(x - top);
  for (double& x : row) x /= sum;
}

double rounded(double x, Precision precision) {
  const float f = static_cast<float>(x);
  return precision == Precision::float16 ? core::from_half(core::to_half(f)) : double{f};
}

template <class T>
void append_bytes(std::string& out, T value) {
  const auto raw = std::bit_cast<std::array<char, sizeof(T)>>(value);
  out.append(raw.data(), raw.size());
}

void append_number(std::string& out, double x, Precision precision) {
  if (precision == Precision::float64) {
    append_bytes(out, x);
  } else if (precision == Precision::float32) {
    append_bytes(out, static_cast<float>(x));
  } else {
    append_bytes(out, core::to_half(static_cast<float>(x)));
  }
}

/// NumPy's name of the type.
std::string descr(Precision precision) {
  const char* type = precision == Precision::float64   ? "f8"
                     : precision == Precision::float32 ? "f4"
                                                       : "f2";
  return (std::endian::native == std::endian::little ? "<" : ">") + std::string(type);
}

}  // namespace

Matrix<double> made_up_scores(std::size_t classes, ScoreKind kind) {
  Matrix<double> scores(kCheckRows, classes);
  fill_logits(scores);
  if (kind == ScoreKind::logits) return scores;
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    to_probabilities(scores.row(i));
    if (kind == ScoreKind::log_probs) {
      for (double& x : scores.row(i)) x = std::log(x);
    }
  }
  return scores;
}

CheckRows check_rows(const Calibrator& calibrator, Matrix<double> scores, ScoreKind kind,
                     Precision precision) {
  // The engine reads float32; so the rows hold no more than that even for a float64 graph.
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    for (double& x : scores.row(i)) {
      const double before = x;
      x = rounded(x, precision);
      if (std::isinf(x) && !std::isinf(before)) {
        throw Error(ErrorCode::data,
                    fmt::format("a score of {} is beyond {}", before, to_string(precision)),
                    "check with other scores, or export in float32");
      }
    }
  }
  CheckRows result{std::move(scores), {}};
  const Matrix<double>& rows = result.scores;
  result.probabilities = Matrix<double>(rows.rows(), rows.cols());
  const Conversion finite = to_finite_logits(rows.view(), kind);
  calibrator.apply(finite.scores.view(), result.probabilities.view());
  return result;
}

std::string check_archive(const CheckRows& rows, Precision precision,
                          const std::vector<std::size_t>& shape, std::size_t class_axis) {
  const std::size_t classes = rows.scores.cols();
  assert(class_axis < shape.size() && shape[class_axis] == classes);
  std::size_t inner = 1, size = 1;  // entries between neighbouring classes, and in all
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    size *= shape[axis];
    if (axis > class_axis) inner *= shape[axis];
  }
  std::string scores, probabilities;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t k = i / inner % classes;
    const std::size_t row = (i / inner / classes * inner + i % inner) % rows.scores.rows();
    append_number(scores, rows.scores(row, k), precision);
    append_number(probabilities, rows.probabilities(row, k), Precision::float64);
  }
  return io::npz_file(
      {{"scores", io::npy_file(descr(precision), shape, scores)},
       {"probabilities", io::npy_file(descr(Precision::float64), shape, probabilities)}});
}

}  // namespace credence::exporter
