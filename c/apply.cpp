// Scores in, probabilities out: first every row is checked, then every row is written.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "core/lease.hpp"
#include "dataset/finite_logits.hpp"
#include "fit/apply_row.hpp"
#include "handle.hpp"
#include "last_error.hpp"
#include "layout.hpp"

namespace credence::c {
namespace {

/// The leases of one call: gathered scores, probabilities to scatter, and below them a tile, what a
/// map reads, what its features need, and two of the kernels; a pool adds two.
constexpr std::size_t kLeases = 9;

void prepare(const credence_calibrator& handle) {
  if (handle.lease_bytes > 0) core::prepare_scratch(kLeases, handle.lease_bytes);
}

std::optional<ScoreKind> find_kind(credence_score_kind kind) {
  switch (kind) {
    case CREDENCE_LOGITS:
      return ScoreKind::logits;
    case CREDENCE_LOG_PROBS:
      return ScoreKind::log_probs;
    case CREDENCE_PROBS:
      return ScoreKind::probs;
  }
  return std::nullopt;
}

ScoreKind kind_of(credence_score_kind kind) {
  if (const auto found = find_kind(kind)) return *found;
  throw Error(ErrorCode::usage, "unknown kind of scores: " + std::to_string(static_cast<int>(kind)),
              "pass CREDENCE_LOGITS, CREDENCE_LOG_PROBS or CREDENCE_PROBS");
}

/// A map that reads raw scores reads those of the kind it was fitted to.
bool reads(const credence_calibrator& handle, ScoreKind kind) {
  return handle.loaded.calibrator.gauge != Gauge::raw || handle.fitted_kind == kind;
}

void check_fits(const credence_calibrator& handle, ScoreKind kind, std::size_t classes) {
  const Calibrator& calibrator = handle.loaded.calibrator;
  if (classes != calibrator.class_count) {
    throw Error(ErrorCode::model,
                "the calibrator was fitted for " + std::to_string(calibrator.class_count) +
                    " classes, the scores have " + std::to_string(classes),
                "apply it to scores of the model it was fitted for");
  }
  if (!reads(handle, kind)) {
    throw Error(ErrorCode::model,
                "the calibrator was fitted to raw " + handle.loaded.info.score_kind +
                    ", these scores are " + std::string(to_string(kind)),
                "pass scores of the same kind, or fit again without --gauge raw");
  }
}

template <class T>
struct Job {
  const credence_calibrator& handle;
  ScoreKind kind;
  const T* scores;
  Layout in;
  T* probabilities;
  Layout out;
  Sharing sharing = Sharing::none;
};

template <class T>
void check_arrays(Job<T>& job) {
  if (job.scores == nullptr) throw Error(ErrorCode::usage, "no scores: NULL given");
  if (job.probabilities == nullptr) {
    throw Error(ErrorCode::usage, "no place for the probabilities: NULL given");
  }
  if (extent(job.in, sizeof(T)) == 0 || extent(job.out, sizeof(T)) == 0) {
    throw Error(ErrorCode::usage,
                std::to_string(job.in.rows) + " rows with these strides do not fit into memory",
                "strides count elements, not bytes");
  }
  if (!is_free_of_overlap(job.out)) {
    throw Error(ErrorCode::usage,
                "the strides of the probabilities, " + std::to_string(job.out.row) + " and " +
                    std::to_string(job.out.column) + ", put several numbers in one place",
                "a packed array has NULL or {K, 1}, one with the classes first {1, rows}");
  }
  job.sharing = sharing(job.in, reinterpret_cast<std::uintptr_t>(job.scores), job.out,
                        reinterpret_cast<std::uintptr_t>(job.probabilities), sizeof(T));
  if (job.sharing == Sharing::mixed) {
    throw Error(ErrorCode::usage, "scores and probabilities overlap without being the same array",
                "pass the same pointer and strides for both, or an array of its own");
  }
}

/// Row i as K numbers side by side, gathered into `buffer` where they are not.
template <class T>
std::span<const T> row_of(const Job<T>& job, std::size_t i, T* buffer) {
  const T* first = job.scores + i * job.in.row;
  if (job.in.column == 1) return {first, job.in.classes};
  for (std::size_t k = 0; k < job.in.classes; ++k) buffer[k] = first[k * job.in.column];
  return {buffer, job.in.classes};
}

/// Messages of check_scores name row, column and value; its hints name options that C has not.
std::string hint_for(ScoreKind kind) {
  return kind == ScoreKind::probs
             ? "pass CREDENCE_LOGITS or CREDENCE_LOG_PROBS if these are not probabilities; "
               "otherwise divide each row by its sum"
             : "correct the scores or leave out the row; only -inf may stand for an impossible "
               "class";
}

/// Returns how many scores are 0 (or -inf).
template <class T>
std::size_t check_rows(const Job<T>& job) {
  try {
    if (job.in.is_packed()) {
      return check_scores(MatrixView<const T>(job.scores, job.in.rows, job.in.classes), job.kind);
    }
    const core::Lease<T> buffer(job.in.column == 1 ? 0 : job.in.classes);
    std::size_t clipped = 0;
    for (std::size_t i = 0; i < job.in.rows; ++i) {
      const std::span<const T> row = row_of(job, i, buffer.data());
      clipped += check_scores(MatrixView<const T>(row.data(), 1, row.size()), job.kind, {}, i);
    }
    return clipped;
  } catch (const Error& error) {
    throw Error(error.code(), error.what(), hint_for(job.kind));
  }
}

template <class T>
void gather(const Job<T>& job, std::size_t first, std::size_t rows, T* buffer, float* out) {
  const std::size_t classes = job.in.classes;
  for (std::size_t i = 0; i < rows; ++i) {
    finite_logits(row_of(job, first + i, buffer), job.kind, {out + i * classes, classes});
  }
}

template <class T>
void scatter(const Job<T>& job, std::size_t first, std::size_t rows, const T* values) {
  const Layout& out = job.out;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < out.classes; ++k) {
      job.probabilities[out.offset(first + i, k)] = values[i * out.classes + k];
    }
  }
}

/// Block by block through buffers, where the arrays are not what the engine reads and writes.
template <class T>
void apply_blocks(const Job<T>& job) {
  const std::size_t classes = job.in.classes;
  const std::size_t block = std::min(job.handle.block_rows, job.in.rows);
  const core::Lease<float> logits(block * classes);
  const core::Lease<T> probabilities(block * classes);
  for (std::size_t first = 0; first < job.in.rows; first += block) {
    const std::size_t rows = std::min(block, job.in.rows - first);
    // The buffer for the results is free while scores are gathered.
    gather(job, first, rows, probabilities.data(), logits.data());
    T* place = job.out.is_packed() ? job.probabilities + first * classes : probabilities.data();
    job.handle.loaded.calibrator.apply(Scores(logits.data(), rows, classes),
                                       MatrixView<T>(place, rows, classes));
    if (!job.out.is_packed()) scatter(job, first, rows, probabilities.data());
  }
}

/// float32 logits side by side need no copy.
bool apply_directly(const Job<float>& job, std::size_t clipped) {
  const bool alone = job.sharing == Sharing::none || job.in.rows == 1;
  if (job.kind == ScoreKind::probs || clipped != 0 || !alone || !job.in.is_packed() ||
      !job.out.is_packed()) {
    return false;
  }
  job.handle.loaded.calibrator.apply(
      Scores(job.scores, job.in.rows, job.in.classes),
      MatrixView<float>(job.probabilities, job.out.rows, job.out.classes));
  return true;
}
bool apply_directly(const Job<double>&, std::size_t) { return false; }

/// The usual case by the shortest way: a row without anything to object to. Returns false where it
/// is not that, and has then done nothing.
template <class T>
bool apply_usual_row(const credence_calibrator& handle, credence_score_kind given_kind,
                     std::size_t classes, const T* scores, T* probabilities) {
  const Calibrator& calibrator = handle.loaded.calibrator;
  const std::optional<ScoreKind> kind = find_kind(given_kind);
  if (!kind || !reads(handle, *kind) || classes != calibrator.class_count || scores == nullptr ||
      probabilities == nullptr) {
    return false;
  }
  const auto in = reinterpret_cast<std::uintptr_t>(scores);
  const auto out = reinterpret_cast<std::uintptr_t>(probabilities);
  const std::uintptr_t apart = in < out ? out - in : in - out;
  if (apart != 0 && apart < classes * sizeof(T)) return false;
  const std::span<const T> row(scores, classes);
  if (!is_clean(row, *kind)) return false;
  prepare(handle);
  if constexpr (std::is_same_v<T, float>) {
    if (*kind != ScoreKind::probs) {
      fit_detail::apply_row(calibrator, scores, probabilities);
      return true;
    }
  }
  const core::Lease<float> logits(classes);
  finite_logits(row, *kind, logits.span());
  fit_detail::apply_row(calibrator, logits.data(), probabilities);
  return true;
}

bool is_side_by_side(const credence_strides* strides) {
  return strides == nullptr || strides->column == 1;
}

template <class T>
credence_status apply(const credence_calibrator* handle, credence_score_kind kind, std::size_t rows,
                      std::size_t classes, const T* scores, const credence_strides* score_strides,
                      T* probabilities, const credence_strides* probability_strides) noexcept {
  if (handle == nullptr) return fail(CREDENCE_ERROR_USAGE, "no calibrator: NULL given");
  return guarded([&] {
    if (rows == 1 && is_side_by_side(score_strides) && is_side_by_side(probability_strides) &&
        apply_usual_row(*handle, kind, classes, scores, probabilities)) {
      return CREDENCE_OK;
    }
    const ScoreKind score_kind = kind_of(kind);
    check_fits(*handle, score_kind, classes);
    if (rows == 0) return CREDENCE_OK;
    Job<T> job{.handle = *handle,
               .kind = score_kind,
               .scores = scores,
               .in = make_layout(rows, classes, score_strides),
               .probabilities = probabilities,
               .out = make_layout(rows, classes, probability_strides)};
    check_arrays(job);
    prepare(*handle);
    const std::size_t clipped = check_rows(job);
    if (!apply_directly(job, clipped)) apply_blocks(job);
    return CREDENCE_OK;
  });
}

}  // namespace
}  // namespace credence::c

extern "C" {

credence_status credence_apply_f32(const credence_calibrator* calibrator, credence_score_kind kind,
                                   size_t rows, size_t classes, const float* scores,
                                   const credence_strides* score_strides, float* probabilities,
                                   const credence_strides* probability_strides) {
  return credence::c::apply(calibrator, kind, rows, classes, scores, score_strides, probabilities,
                            probability_strides);
}

credence_status credence_apply_f64(const credence_calibrator* calibrator, credence_score_kind kind,
                                   size_t rows, size_t classes, const double* scores,
                                   const credence_strides* score_strides, double* probabilities,
                                   const credence_strides* probability_strides) {
  return credence::c::apply(calibrator, kind, rows, classes, scores, score_strides, probabilities,
                            probability_strides);
}

credence_status credence_apply_row_f32(const credence_calibrator* calibrator,
                                       credence_score_kind kind, size_t classes,
                                       const float* scores, float* probabilities) {
  return credence::c::apply(calibrator, kind, 1, classes, scores, nullptr, probabilities, nullptr);
}

credence_status credence_apply_row_f64(const credence_calibrator* calibrator,
                                       credence_score_kind kind, size_t classes,
                                       const double* scores, double* probabilities) {
  return credence::c::apply(calibrator, kind, 1, classes, scores, nullptr, probabilities, nullptr);
}

}  // extern "C"
