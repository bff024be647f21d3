// Every option of the program and of the Python package: what it is called, what it accepts, what
// it means. Messages name options by their ids, and each front end says them in its own words.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace credence {

/// One for each meaning: `--bins` of `fit` are not those of `evaluate`.
enum class Option : std::uint8_t {
  logits,
  log_probs,
  probs,
  scores_field,
  id_field,
  score_classes,
  classes,
  votes,
  labels,
  votes_field,
  vote_classes,
  votes_format,
  drop_labels,
  assume_order,
  allow_unmatched,
  rows,
  skip_rows,
  groups,
  by,
  test_logits,
  test_log_probs,
  test_probs,
  test_votes,
  test_labels,
  test_groups,
  calibration_rows,
  method,
  methods,
  reference,
  oracle,
  keep_predictions,
  final_fit,
  share,
  seeds,
  folds,
  refits,
  examples,
  report,
  report_examples,
  study,
  study_seeds,
  shares,
  study_votes,
  study_draws,
  planned_examples,
  planned_votes,
  bins,
  entropy_bins,
  draws,
  draw_seed,
  resamples,
  level,
  interval,
  resample_annotators,
  resample_seed,
  gauge,
  fit_seed,
  target_draws,
  epsilon,
  lambda,
  tau,
  mu,
  histogram_bins,
  step_prior,
  second_order,
  max_passes,
  threads,
  chunk_rows,
  memory,
  checkpoint,
  full,
  reliability,
  ece_only,
  subgroup_figure,
  evidence,
  format,
  output_format,
  dtype,
  add_second_order,
  next_votes,
  next_level,
  embed_examples,
  figures,
  figure_format,
  input_kind,
  result,
  precision,
  arithmetic,
  opset,
  rank,
  append_to,
  mode,
  output_name,
  class_axis,
  copy_data,
  check_with,
  card,
  card_results,
  demo_rows,
  demo_seed,
  consensus,
  matrix_classes,
  confusion,
  normalise,
  annotators,
  answer_seed,
  long_table,
  points,
  epochs,
  toy_annotators,
  toy_seed,
  results_folder,
  calibrator_output,
  probabilities_output,
  plan_output,
  page_output,
  model_output,
  votes_output,
  data_folder,
  manual_folder,
};

/// What an option accepts.
struct Values {
  enum class Kind : std::uint8_t { anything, whole, real, choice };
  Kind kind = Kind::anything;
  std::uint64_t least = 0, most = 0;  ///< of whole numbers
  double low = 0.0, high = 0.0;       ///< of real ones
  std::string_view words{};  ///< "a number from 0 to 1"; of a choice "percentile|studentised"
};

struct OptionInfo {
  Option option;
  std::string_view id;      ///< in messages, and for C++ and C
  std::string_view flag;    ///< of the program, without dashes
  std::string_view value;   ///< FILE, N, LIST, ...; empty for a switch
  std::string_view python;  ///< keyword, or `input="logits"`, `save()`; empty where there is none
  std::string_view help;    ///< one line; may name other options as messages do
  Values values{};
  std::string_view usual{};  ///< what holds when it is not given; empty where help says enough
  char letter = 0;           ///< short form of the flag
};

/// All of them, in the order of the enumeration.
std::span<const OptionInfo> all_options();
const OptionInfo& info(Option option);

/// Whether a whole or a real option accepts the number.
bool accepts(Option option, double value);
/// "a whole number from 1 to 100000", "a number from 0 to 1".
std::string accepted_values(Option option);

/// Verbs of the program that are functions of the Python package too.
std::span<const std::string_view> shared_verbs();

/// The option as messages of the library name it: `‹skip_rows›`. Written out in a message,
/// `‹skip_rows=FILE›` adds the value, and `‹compare()›` names a verb.
std::string mention(Option option);
std::string mention(Option option, std::string_view value);

enum class Speech : std::uint8_t {
  command_line,  ///< --skip-rows FILE, 'credence compare'
  python,        ///< skip_rows=, credence.compare()
  plain,         ///< skip_rows, compare(): for C++ and C
};

/// The text with its mentions in words that the reader can use.
std::string render(std::string_view text, Speech speech);
std::vector<std::string> render(std::span<const std::string> texts, Speech speech);

}  // namespace credence
