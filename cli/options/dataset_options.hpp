// What every verb that reads data may be told about it.
#pragma once

#include <string>
#include <vector>

#include "credence/error.hpp"
#include "credence/io.hpp"

namespace credence::cli {

struct DatasetOptions {
  std::string logits, log_probs, probs;  ///< exactly one names the score file
  /// Where an option is given again: the scores of further models, by kind.
  std::vector<std::string> more_logits, more_log_probs, more_probs;
  std::string votes, labels;
  std::string scores_field, votes_field, id_field;
  std::string classes, score_classes, vote_classes;  ///< a list "a,b,c" or a file
  std::string votes_format;
  std::vector<std::string> drop_labels;
  std::string groups, by, rows, skip_rows;
  bool allow_unmatched = false;
  bool assume_order = false;
};

/// An Error(usage) when more than one input, a calibrator among them, is "-".
void check_standard_input(const DatasetOptions& options, const std::string& model = {});

/// An Error(usage) when the output is one of the inputs, which it would replace.
void check_output(const std::string& output, const DatasetOptions& options,
                  const std::string& model = {});

bool has_scores(const DatasetOptions& options);
bool has_annotations(const DatasetOptions& options);

/// The score files of several models: logits first, then log-probabilities, then probabilities,
/// each kind in the order given.
std::vector<io::ScoreFile> score_files(const DatasetOptions& options);
/// Whether there are more than one.
bool names_several_models(const DatasetOptions& options);
/// For each of them, what dataset_files() would be if it were alone.
std::vector<io::DatasetFiles> panel_files(const DatasetOptions& options);

/// The score file; none, or more than one, is an Error(usage).
io::ScoreFile score_file(const DatasetOptions& options);
/// Everything, checked for contradictions.
io::DatasetFiles dataset_files(const DatasetOptions& options);
/// The annotations alone, for looking at votes without scores.
io::VoteFile vote_file(const DatasetOptions& options);

/// Reads and joins, with a progress line; the caller prints the notes of `join`.
io::LoadedDataset load(const DatasetOptions& options, const io::LoadOptions& how = {});

}  // namespace credence::cli
