/* The header as a C99 compiler sees it. */
#include "credence/credence.h"

int c99_layout_is_kept(void);

int c99_layout_is_kept(void) {
  credence_strides strides = {3, 1};
  return sizeof strides == 2 * sizeof(size_t) && CREDENCE_OK == 0 && CREDENCE_ERROR_USAGE == 1 &&
         CREDENCE_ERROR_IO == 2 && CREDENCE_ERROR_FORMAT == 3 && CREDENCE_ERROR_DATA == 4 &&
         CREDENCE_ERROR_MODEL == 5 && CREDENCE_ERROR_MEMORY == 6 && CREDENCE_ERROR_INTERNAL == 7 &&
         CREDENCE_LOGITS == 1 && CREDENCE_LOG_PROBS == 2 && CREDENCE_PROBS == 3 &&
         CREDENCE_GAUGE_LOG_PROBS == 1 && CREDENCE_GAUGE_RAW == 2;
}
