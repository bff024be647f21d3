/* Reads a calibrator, prints what it is, and calibrates the logits given as arguments.
 *
 *   cc -std=c99 calibrate.c $(pkg-config --cflags --libs credence_c) -o calibrate
 *   ./calibrate calibrator.json 2.5 0.1 -1.0
 */
#include <credence/credence.h>
#include <stdio.h>
#include <stdlib.h>

static int complain(credence_status status) {
  fprintf(stderr, "calibrate: %s: %s\n", credence_status_text(status), credence_last_error());
  if (credence_last_hint()[0] != '\0') fprintf(stderr, "%s\n", credence_last_hint());
  return 1;
}

static void describe(const credence_calibrator *calibrator) {
  printf("credence %s: method %s, %lu classes, fitted to %lu examples\n", credence_version(),
         credence_method(calibrator), (unsigned long)credence_class_count(calibrator),
         (unsigned long)credence_fitted_rows(calibrator));
}

int main(int argc, char **argv) {
  credence_calibrator *calibrator = NULL;
  credence_status status;
  size_t classes, k;
  double *values;

  if (argc < 3) {
    fprintf(stderr, "usage: calibrate CALIBRATOR.json LOGIT...\n");
    return 2;
  }
  status = credence_load_file(argv[1], &calibrator);
  if (status != CREDENCE_OK) return complain(status);
  describe(calibrator);

  classes = (size_t)(argc - 2);
  values = malloc(classes * sizeof *values);
  if (values == NULL) return 1;
  for (k = 0; k < classes; ++k) values[k] = strtod(argv[2 + k], NULL);

  /* In place: the logits become probabilities. */
  status = credence_apply_row_f64(calibrator, CREDENCE_LOGITS, classes, values, values);
  if (status == CREDENCE_OK) {
    for (k = 0; k < classes; ++k) {
      const char *name = credence_class_name(calibrator, k);
      printf("%s %.6f\n", name != NULL ? name : "class", values[k]);
    }
  }
  free(values);
  credence_free(calibrator);
  return status == CREDENCE_OK ? 0 : complain(status);
}
