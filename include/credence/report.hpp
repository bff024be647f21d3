// Results as people and programs read them. Everything here returns text; nothing is written.
#pragma once

#include <string>
#include <vector>

#include "credence/ablate.hpp"
#include "credence/compare.hpp"
#include "credence/io.hpp"
#include "credence/plan.hpp"

namespace credence::report {

/// Where the data came from and how to do it again: what a Comparison cannot know.
struct Provenance {
  std::string program;               ///< name and version
  std::vector<std::string> command;  ///< arguments that give the same results, without threads
  std::string score_kind, joined_by, classes_matched, fingerprint;
  std::vector<std::string> class_names;
  std::vector<std::string> notes;  ///< of reading and joining
};
Provenance provenance_of(const io::LoadedDataset& loaded, ScoreKind kind,
                         std::vector<std::string> command);

/// The answer in plain words, most important first: what to ship, how much better and how sure,
/// how far off its confidence is, what the annotators are like, how it was chosen.
std::vector<std::string> answer(const Comparison& comparison);

/// Everything, with protocol and definitions: the file results.json (see docs/results-file.md).
std::string results_json(const Comparison& comparison, const Provenance& provenance);

/// One line per split, method and metric: value, standard error, interval, differences.
std::string results_csv(const Comparison& comparison);

/// The paper's columns (T, ECE, aECE, cwECE, Br, NLL), best in bold within noise.
std::string table_markdown(const Comparison& comparison);
std::string table_latex(const Comparison& comparison);

/// One line per evaluation example and method of the first split.
std::string examples_csv(const Comparison& comparison, const Dataset& evaluation,
                         const std::vector<std::size_t>& original_rows);

/// One line per study, setting, seed and method.
std::string ablation_csv(const std::vector<AblationResult>& results);
/// Means and standard deviations over the seeds, a table per study.
std::string ablation_markdown(const std::vector<AblationResult>& results);
std::string ablation_json(const std::vector<AblationResult>& results, const AblateOptions& options,
                          const AnnotationSummary& data, const Provenance& provenance);
/// A result as one line of JSON that reads back as the same bits, for resuming.
std::string ablation_line(const AblationResult& result);
AblationResult read_ablation_line(const std::string& line, const std::string& origin);

std::string plan_json(const Plan& plan, const Provenance& provenance);

}  // namespace credence::report
