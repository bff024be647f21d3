// Results as people and programs read them. Everything here returns text; nothing is written.
#pragma once

#include <string>
#include <vector>

#include "credence/ablate.hpp"
#include "credence/compare.hpp"
#include "credence/io.hpp"
#include "credence/plan.hpp"
#include "credence/results.hpp"

namespace credence::report {

Provenance provenance_of(const io::JoinReport& join, std::string fingerprint,
                         std::vector<std::string> class_names, ScoreKind kind,
                         std::vector<std::string> command);
Provenance provenance_of(const io::LoadedDataset& loaded, ScoreKind kind,
                         std::vector<std::string> command);

/// The answer in plain words, most important first: what to ship, how much better and how sure,
/// how far off its confidence is, what the annotators are like, how it was chosen.
std::vector<std::string> answer(const Results& results);

/// What a choice among candidates is made of, in a sentence: "auto is the weighted mean of ...".
std::string selection_in_words(const MethodRecord& method);
/// Where the nll of the candidate comes from, or why that is not known; empty for older files.
std::string loss_in_words(const Results& results);

/// One line per split, method and metric: value, standard error, interval, differences.
std::string results_csv(const Results& results);

/// The paper's columns (T, ECE, aECE, cwECE, Br, NLL), best in bold within noise.
std::string table_markdown(const Results& results);
std::string table_latex(const Results& results);

/// One line per evaluation example and method of the first split.
std::string examples_csv(const Comparison& comparison, const Dataset& evaluation,
                         const std::vector<std::size_t>& original_rows);
/// The same examples for a page.
ExampleRecords example_records(const Comparison& comparison, const Dataset& evaluation,
                               const std::vector<std::size_t>& original_rows);
/// At most `most` of them, evenly spaced.
ExampleRecords thinned(const ExampleRecords& examples, std::size_t most);

AblationRecord ablation_record(const std::vector<AblationResult>& results,
                               const AblateOptions& options, const AnnotationSummary& data,
                               const Provenance& provenance);
std::string ablation_json(const AblationRecord& ablation);
/// One line per study, setting, seed and method.
std::string ablation_csv(const AblationRecord& ablation);
/// Means and standard deviations over the seeds, a table per study.
std::string ablation_markdown(const AblationRecord& ablation);
/// A result as one line of JSON that reads back as the same bits, for resuming.
std::string ablation_line(const AblationResult& result);
AblationResult read_ablation_line(const std::string& line, const std::string& origin);

std::string plan_json(const Plan& plan, const Provenance& provenance);

}  // namespace credence::report
