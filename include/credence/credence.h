/* Credence from C, and from every language that can call C: load a calibrator that `credence fit`
 * wrote, and turn the scores of a model into calibrated probabilities.
 *
 *   credence_calibrator *calibrator = NULL;
 *   if (credence_load_file("calibrator.json", &calibrator) != CREDENCE_OK) {
 *     fprintf(stderr, "%s\n%s\n", credence_last_error(), credence_last_hint());
 *     return 1;
 *   }
 *   credence_apply_f32(calibrator, CREDENCE_LOGITS, rows, classes, logits, NULL, probabilities, NULL);
 *   credence_free(calibrator);
 *
 * Rules
 * - A loaded calibrator never changes: any number of threads may use it at once. Loading and freeing
 *   are calls like any other; free it once, when nobody uses it any more.
 * - Functions that can fail return a credence_status. The message and the hint of the last failure
 *   belong to the thread it happened in and stay until the next failure in that thread.
 * - Nothing is written to the output unless every row of the input is good.
 * - Strings that a function returns are UTF-8, end in 0, and live as long as the calibrator.
 * - After a thread's first call, applying a calibrator for up to 8,192 classes takes no memory from
 *   the heap, whatever the number of rows.
 * - Scores are rounded to float32. Results in double are those of the program `credence apply`, bit
 *   by bit. So are results in float, but for a single temperature and for scores left as they are:
 *   these are computed in float, within 1e-6 of them (up to 1,000 classes). A row gives the same bits alone and among others.
 */
#ifndef CREDENCE_CREDENCE_H
#define CREDENCE_CREDENCE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CREDENCE_API __attribute__((visibility("default")))
#else
#define CREDENCE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct credence_calibrator credence_calibrator;

typedef enum credence_status {
  CREDENCE_OK = 0,
  CREDENCE_ERROR_USAGE = 1,    /* the call makes no sense: NULL, overlapping arrays, unknown kind */
  CREDENCE_ERROR_IO = 2,       /* the operating system refused: missing file, no permission */
  CREDENCE_ERROR_FORMAT = 3,   /* bytes that are not a calibrator file */
  CREDENCE_ERROR_DATA = 4,     /* scores that no calibrator can use: NaN, +inf, a sum that is not 1 */
  CREDENCE_ERROR_MODEL = 5,    /* a calibrator that is wrong or does not fit the scores */
  CREDENCE_ERROR_MEMORY = 6,   /* no memory left */
  CREDENCE_ERROR_INTERNAL = 7  /* a mistake in the library */
} credence_status;

/* What the numbers of a score array are. The caller says; it is never guessed. */
typedef enum credence_score_kind {
  CREDENCE_LOGITS = 1,
  CREDENCE_LOG_PROBS = 2, /* logarithms of probabilities; -inf is allowed */
  CREDENCE_PROBS = 3      /* probabilities; rows sum to 1 within 1e-3 */
} credence_score_kind;

/* What the maps of a calibrator read. */
typedef enum credence_gauge {
  CREDENCE_GAUGE_LOG_PROBS = 1, /* scores of any kind: they are brought to log-probabilities first */
  CREDENCE_GAUGE_RAW = 2        /* only scores of the kind it was fitted to */
} credence_gauge;

/* Where element (i, k), example i and class k, of an array lies: data[i * row + k * column].
 * Both count elements, not bytes. NULL in place of a pointer to this means packed: {K, 1}. */
typedef struct credence_strides {
  size_t row;
  size_t column;
} credence_strides;

/* ---- Version ---- */

/* The version of the library, for example "0.1.0". */
CREDENCE_API const char *credence_version(void);
/* The newest version of the calibrator file that this library reads; it reads all earlier ones. */
CREDENCE_API uint32_t credence_format_version(void);

/* ---- Errors ---- */

/* What went wrong last in this thread, and the way out; never NULL, "" when there is nothing to say.
 * Messages about scores name row and column, counted from 0. */
CREDENCE_API const char *credence_last_error(void);
CREDENCE_API const char *credence_last_hint(void);
/* A status in a few words: "ok", "wrong use", ... */
CREDENCE_API const char *credence_status_text(credence_status status);

/* ---- Calibrators ---- */

/* Reads a calibrator file, or its text in memory (JSON, `size` bytes, no terminating 0 needed).
 * *calibrator is NULL after a failure. */
CREDENCE_API credence_status credence_load_file(const char *path, credence_calibrator **calibrator);
CREDENCE_API credence_status credence_load_memory(const void *text, size_t size,
                                                  credence_calibrator **calibrator);
/* NULL is allowed. */
CREDENCE_API void credence_free(credence_calibrator *calibrator);

/* Queries. For NULL they return 0, NULL or the first value of the enum, whichever fits. */
CREDENCE_API size_t credence_class_count(const credence_calibrator *calibrator);
/* The name of class k, in the order of the columns; NULL when classes have no names or k >= K. */
CREDENCE_API const char *credence_class_name(const credence_calibrator *calibrator, size_t k);
CREDENCE_API const char *credence_method(const credence_calibrator *calibrator);
CREDENCE_API credence_gauge credence_get_gauge(const credence_calibrator *calibrator);
/* The kind of scores it was fitted to, or 0 when the file names none of the three. Scores of another
 * kind may be applied as well unless the gauge is raw. */
CREDENCE_API int credence_fitted_kind(const credence_calibrator *calibrator);
/* Hash of the data it was fitted to, 32 hexadecimal digits. */
CREDENCE_API const char *credence_fingerprint(const credence_calibrator *calibrator);
/* How many examples it was fitted to, with how many annotations each in the mean. */
CREDENCE_API uint64_t credence_fitted_rows(const credence_calibrator *calibrator);
CREDENCE_API double credence_votes_per_example(const credence_calibrator *calibrator);
/* The temperature when the calibrator is a single one, otherwise 0. */
CREDENCE_API double credence_temperature(const credence_calibrator *calibrator);

/* ---- Probabilities ---- */

/* Calibrated probabilities of `rows` examples. `classes` is K as the caller knows it and must be that
 * of the calibrator. Logits and log-probabilities may be -inf for an impossible class. The arrays may
 * be the same with the same strides (in place), or column ranges of the rows of one table; any other
 * overlap is refused. Runs in the calling thread. */
CREDENCE_API credence_status credence_apply_f32(const credence_calibrator *calibrator,
                                                credence_score_kind kind, size_t rows,
                                                size_t classes, const float *scores,
                                                const credence_strides *score_strides,
                                                float *probabilities,
                                                const credence_strides *probability_strides);
CREDENCE_API credence_status credence_apply_f64(const credence_calibrator *calibrator,
                                                credence_score_kind kind, size_t rows,
                                                size_t classes, const double *scores,
                                                const credence_strides *score_strides,
                                                double *probabilities,
                                                const credence_strides *probability_strides);

/* One example of `classes` numbers, in place when both pointers are equal. */
CREDENCE_API credence_status credence_apply_row_f32(const credence_calibrator *calibrator,
                                                    credence_score_kind kind, size_t classes,
                                                    const float *scores, float *probabilities);
CREDENCE_API credence_status credence_apply_row_f64(const credence_calibrator *calibrator,
                                                    credence_score_kind kind, size_t classes,
                                                    const double *scores, double *probabilities);

#ifdef __cplusplus
}
#endif

#endif
