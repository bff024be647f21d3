#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <type_traits>

#include "core/array_kernels.hpp"
#include "core/kernels.hpp"
#include "credence/dataset.hpp"
#include "credence/error.hpp"
#include "dataset/finite_logits.hpp"
#include "dataset/place.hpp"

namespace credence {
namespace {

// Rounding in somebody's softmax or average; more than that is another kind of number.
constexpr double kAboveOne = 1e-6;
constexpr double kRowSum = 1e-3;

struct LogitFacts {
  bool bad = false;         // NaN, +inf, or beyond float32
  std::size_t clipped = 0;  // -inf, to be raised
};

template <class T>
LogitFacts scan_logits(std::span<const T> row) {
  // A double that float32 cannot hold would turn into an infinity later.
  constexpr T kLargest = static_cast<T>(FLT_MAX);
  std::size_t bad = 0, minus_inf = 0;
  for (const T x : row) {
    const bool is_minus_inf = x == -std::numeric_limits<T>::infinity();
    minus_inf += is_minus_inf ? 1 : 0;
    bad += (std::abs(x) <= kLargest) || is_minus_inf ? 0 : 1;
  }
  return {bad != 0, minus_inf};
}

/// What nearly all scores are, found out at the speed of memory: finite, and small enough.
bool all_usable(std::span<const float> values) {
  return core::kernels().all_finite(values.data(), values.size());
}
bool all_usable(std::span<const double> values) {
  std::uint64_t bad = 0;
  for (const double x : values) bad |= std::abs(x) <= static_cast<double>(FLT_MAX) ? 0u : 1u;
  return bad == 0;
}

template <class T>
[[noreturn]] void fail_logit(std::span<const T> row, ScoreKind kind, std::string_view origin,
                             std::size_t i) {
  const std::string_view noun = kind == ScoreKind::logits ? "logit" : "log-probability";
  for (std::size_t k = 0; k < row.size(); ++k) {
    const T x = row[k];
    if (scan_logits(std::span<const T>(&x, 1)).bad) {
      const bool too_large = std::isfinite(x);
      throw Error(
          ErrorCode::data,
          fmt::format("{}: {} is {}; {}", place(origin, "scores", i, k), noun, x,
                      too_large ? "float32 holds at most 3.4e38" : "it must be a finite number"),
          "correct the scores, or drop the row with ‹skip_rows=FILE›");
    }
  }
  throw Error(ErrorCode::data,
              fmt::format("{}: every {} is -inf; at least one class must be possible",
                          place(origin, "scores", i), noun),
              "correct the scores, or drop the row with ‹skip_rows=FILE›");
}

template <class T>
std::size_t check_logits(MatrixView<const T> scores, ScoreKind kind, std::string_view origin,
                         std::size_t first_row) {
  if (all_usable(std::span<const T>(scores.data(), scores.size()))) return 0;
  std::size_t clipped = 0;
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    const LogitFacts facts = scan_logits(scores.row(i));
    if (facts.bad || facts.clipped == scores.cols()) {
      fail_logit(scores.row(i), kind, origin, first_row + i);
    }
    clipped += facts.clipped;
  }
  return clipped;
}

template <class T>
[[noreturn]] void fail_probability(std::span<const T> row, std::string_view origin, std::size_t i) {
  double sum = 0.0;
  for (std::size_t k = 0; k < row.size(); ++k) {
    const double p = static_cast<double>(row[k]);
    if (!(p >= 0.0 && p <= 1.0 + kAboveOne)) {
      throw Error(ErrorCode::data,
                  fmt::format("{}: probability is {}; probabilities lie between 0 and 1",
                              place(origin, "scores", i, k), row[k]),
                  "if these are logits use ‹logits›, if log-probabilities ‹log_probs›");
    }
    sum += p;
  }
  throw Error(ErrorCode::data,
              fmt::format("{}: probabilities sum to {:.6g}; a row must sum to 1 within 1e-3",
                          place(origin, "scores", i), sum),
              "if these are logits use ‹logits›; otherwise divide each row by its sum");
}

struct ProbabilityFacts {
  bool bad = false;       // outside [0, 1], or another sum than 1
  std::size_t zeros = 0;  // to be raised
};

template <class T>
ProbabilityFacts scan_probabilities(std::span<const T> row) {
  double sum = 0.0;
  std::size_t outside = 0, zeros = 0;
  for (const T p : row) {
    const double x = static_cast<double>(p);
    sum += x;
    outside += x >= 0.0 && x <= 1.0 + kAboveOne ? 0 : 1;
    zeros += x == 0.0 ? 1 : 0;
  }
  return {outside != 0 || !(std::abs(sum - 1.0) <= kRowSum), zeros};
}

template <class T>
std::size_t check_probabilities(MatrixView<const T> scores, std::string_view origin,
                                std::size_t first_row) {
  std::size_t clipped = 0;
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    const ProbabilityFacts facts = scan_probabilities(scores.row(i));
    if (facts.bad) fail_probability(scores.row(i), origin, first_row + i);
    clipped += facts.zeros;
  }
  return clipped;
}

template <class T>
bool is_clean_row(std::span<const T> row, ScoreKind kind) {
  if (kind != ScoreKind::probs) return all_usable(row);
  const ProbabilityFacts facts = scan_probabilities(row);
  return !facts.bad && facts.zeros == 0;
}

template <class T>
std::size_t check(MatrixView<const T> scores, ScoreKind kind, std::string_view origin,
                  std::size_t first_row) {
  return kind == ScoreKind::probs ? check_probabilities(scores, origin, first_row)
                                  : check_logits(scores, kind, origin, first_row);
}

constexpr double kLogSmallest = -126.0 * std::numbers::ln2;  // log FLT_MIN

void logs_of(std::span<const float> p, float* out) {
  core::kernels().log_row_f32(p.data(), p.size(), out);
}
void logs_of(std::span<const double> p, float* out) {
  core::kernels().log_row_f64(p.data(), p.size(), out);
}

template <class T>
std::size_t log_row(std::span<const T> row, std::span<float> out) {
  std::size_t clipped = 0, tiny = 0;
  for (const T p : row) {
    clipped += p == T(0) ? 1 : 0;
    tiny += static_cast<double>(p) < DBL_MIN ? 1 : 0;
  }
  if (tiny == 0) {
    logs_of(row, out.data());
    return 0;
  }
  // Smaller than any normal double is a slip of somebody's arithmetic, but it is above 0.
  constexpr std::size_t kPart = 64;
  double raised[kPart];
  for (std::size_t first = 0; first < row.size(); first += kPart) {
    const std::size_t count = std::min(kPart, row.size() - first);
    for (std::size_t k = 0; k < count; ++k) {
      const double p = static_cast<double>(row[first + k]);
      raised[k] = p == 0.0 ? static_cast<double>(FLT_MIN) : std::max(p, DBL_MIN);
    }
    logs_of(std::span<const double>(raised, count), out.data() + first);
  }
  return clipped;
}

unsigned facts_of(Scores p, double* confidence, std::uint32_t* top) {
  return core::array_kernels().top_probability_f32(p.data(), p.rows(), p.cols(), confidence, top);
}
unsigned facts_of(Rows p, double* confidence, std::uint32_t* top) {
  return core::array_kernels().top_probability_f64(p.data(), p.rows(), p.cols(), confidence, top);
}

/// Checks probabilities and calls body(first row, block of rows, facts). Rows at a time: what was
/// checked is still in the nearest cache when something is made of it.
template <class T, class Body>
void for_each_checked_block(MatrixView<const T> p, std::string_view origin, const Body& body) {
  constexpr std::size_t kPartRows = 64, kPartNumbers = 2048;
  const std::size_t most = std::clamp<std::size_t>(kPartNumbers / p.cols(), 1, kPartRows);
  double confidence[kPartRows];
  std::uint32_t top[kPartRows];
  for (std::size_t first = 0; first < p.rows(); first += most) {
    const MatrixView<const T> block = p.block(first, std::min(most, p.rows() - first));
    const unsigned facts = facts_of(block, confidence, top);
    if ((facts & core::kOddProbabilities) != 0) check_probabilities(block, origin, first);
    body(first, block, facts);
  }
}

/// How many entries of each row are raised; empty until one is.
void note_raised(std::size_t row, std::size_t rows, std::size_t raised,
                 std::vector<std::uint32_t>& clipped) {
  if (raised == 0) return;
  clipped.resize(rows, 0);
  clipped[row] = static_cast<std::uint32_t>(raised);
}

template <class T>
void convert_probabilities(MatrixView<const T> p, std::string_view origin, float* out,
                           std::vector<std::uint32_t>& clipped) {
  clipped.clear();
  for_each_checked_block(p, origin,
                         [&](std::size_t first, MatrixView<const T> block, unsigned facts) {
                           float* const logs = out + first * p.cols();
                           if (facts == 0) {
                             logs_of(std::span<const T>(block.data(), block.size()), logs);
                             return;
                           }
                           for (std::size_t i = 0; i < block.rows(); ++i) {
                             const std::span<float> row(logs + i * p.cols(), p.cols());
                             note_raised(first + i, p.rows(), log_row(block.row(i), row), clipped);
                           }
                         });
}

// -inf becomes log(FLT_MIN) on the scale where the row's probabilities sum to 1, so that logits,
// log-probabilities and probabilities of one model are clipped alike.
template <class T>
std::size_t raise_row(std::span<const T> row, std::span<float> out) {
  std::size_t clipped = 0;
  for (std::size_t k = 0; k < row.size(); ++k) {
    clipped += row[k] == -std::numeric_limits<T>::infinity() ? 1 : 0;
    out[k] = static_cast<float>(row[k]);
  }
  if (clipped == 0 || clipped == row.size()) return clipped;
  double log_sum = 0.0;
  core::kernels().log_sum_exp(out.data(), 1, out.size(), &log_sum);
  const double raised = log_sum + kLogSmallest;
  const float value = static_cast<float>(std::max(raised, -static_cast<double>(FLT_MAX)));
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (row[k] == -std::numeric_limits<T>::infinity()) out[k] = value;
  }
  return clipped;
}

template <class T>
Conversion convert(MatrixView<const T> scores, ScoreKind kind) {
  Conversion result{Matrix<float>(scores.rows(), scores.cols()), 0};
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    result.clipped += finite_logits(scores.row(i), kind, result.scores.row(i));
  }
  return result;
}

}  // namespace

bool is_clean(std::span<const float> row, ScoreKind kind) { return is_clean_row(row, kind); }
bool is_clean(std::span<const double> row, ScoreKind kind) { return is_clean_row(row, kind); }

std::size_t finite_logits(std::span<const float> row, ScoreKind kind, std::span<float> out) {
  return kind == ScoreKind::probs ? log_row(row, out) : raise_row(row, out);
}

std::size_t finite_logits(std::span<const double> row, ScoreKind kind, std::span<float> out) {
  return kind == ScoreKind::probs ? log_row(row, out) : raise_row(row, out);
}

void logs_of_probabilities(Scores p, std::string_view origin, float* out,
                           std::vector<std::uint32_t>& clipped) {
  convert_probabilities(p, origin, out, clipped);
}

void logs_of_probabilities(Rows p, std::string_view origin, float* out,
                           std::vector<std::uint32_t>& clipped) {
  convert_probabilities(p, origin, out, clipped);
}

void check_probability_rows(Scores p, std::string_view origin,
                            std::vector<std::uint32_t>& clipped) {
  clipped.clear();
  for_each_checked_block(p, origin, [&](std::size_t first, Scores block, unsigned facts) {
    for (std::size_t i = 0; facts != 0 && i < block.rows(); ++i) {
      const std::size_t zeros = scan_probabilities(block.row(i)).zeros;
      note_raised(first + i, p.rows(), zeros, clipped);
    }
  });
}

std::size_t check_scores(Scores scores, ScoreKind kind, std::string_view origin,
                         std::size_t first_row) {
  return check(scores, kind, origin, first_row);
}

std::size_t check_scores(Rows scores, ScoreKind kind, std::string_view origin,
                         std::size_t first_row) {
  return check(scores, kind, origin, first_row);
}

Conversion to_finite_logits(Scores scores, ScoreKind kind) { return convert(scores, kind); }

Conversion to_finite_logits(Rows scores, ScoreKind kind) { return convert(scores, kind); }

}  // namespace credence
