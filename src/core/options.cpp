// The table of options.
#include "credence/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace credence {
namespace {

constexpr std::uint64_t kThousand = 1000, kMillion = 1000000;
constexpr std::uint64_t kMostExamples = kMillion * kMillion;
constexpr std::uint64_t kMostBins = 100000, kMostAnnotators = 100000;

constexpr Values kAnything{};

constexpr Values whole(std::uint64_t least, std::uint64_t most) {
  return {.kind = Values::Kind::whole, .least = least, .most = most, .words = {}};
}
constexpr Values real(double low, double high, std::string_view words) {
  return {.kind = Values::Kind::real, .low = low, .high = high, .words = words};
}
constexpr Values one_of(std::string_view names) {
  return {.kind = Values::Kind::choice, .words = names};
}

constexpr Values kBins = whole(1, kMostBins), kUpToAMillion = whole(1, kMillion);
constexpr Values kSeed = whole(0, std::numeric_limits<std::uint64_t>::max());
constexpr Values kPenalty = real(0.0, 1e300, "a number of 0 or more");
constexpr Values kShareOfRows = real(1e-6, 1.0, "a share above 0 and up to 1");
// Both parts of a split need a row.
constexpr Values kPart = real(1e-9, 1.0 - 1e-9, "a number between 0 and 1");

constexpr auto kOptions = std::to_array<OptionInfo>({
    // Scores and annotations.
    {Option::logits, "logits", "logits", "FILE", "input=\"logits\"",
     "n x K logits, or one column for two classes: .npy, .npz (file.npz:name), .csv, .tsv or "
     ".jsonl, also gzip'd text, .parquet (file.parquet:column); "
     "'-' reads any of them but .npz and .parquet from standard input"},
    {Option::log_probs, "log_probs", "log-probs", "FILE", "input=\"log_probs\"",
     "the same, holding log-probabilities"},
    {Option::probs, "probs", "probs", "FILE", "input=\"probs\"", "the same, holding probabilities"},
    {Option::scores_field, "scores_field", "scores-field", "NAME", "scores_field",
     "field of a .jsonl file, or column of a .parquet file, with the K scores"},
    {Option::id_field, "id_field", "id-field", "NAME", "id_field",
     "field or column with the example's id"},
    {Option::score_classes, "score_classes", "score-classes", "LIST|FILE", "score_classes",
     "names of the score columns: a,b,c or a file"},
    {Option::classes, "classes", "classes", "LIST|FILE", "classes",
     "names of the classes, of scores and votes alike: a,b,c or a file"},
    {Option::votes, "votes", "votes", "FILE", "votes",
     "counts or shares per class, a table of (example, annotator, label), one column per "
     "annotator, JSON lines with counts or labels, or what annotation tools and data sets write "
     "(ChaosNLI, LeWiDi, DICES, Argilla, Label Studio, Prodigy, ...)"},
    {Option::labels, "labels", "labels", "FILE", "labels",
     "majority labels alone, one per example"},
    {Option::votes_field, "votes_field", "votes-field", "NAME", "votes_field",
     "field or question with the votes, or column with the labels"},
    {Option::vote_classes, "vote_classes", "vote-classes", "LIST|FILE", "vote_classes",
     "names of the classes of the votes: a,b,c or a file"},
    {Option::votes_format, "votes_format", "votes-format", "FORMAT", "votes_format",
     "how to read the votes where their content leaves a doubt: counts per class, labels by "
     "annotators, or a layout of JSON",
     one_of("auto|counts|annotators|lewidi|argilla|label-studio|prodigy|preferences"), "auto"},
    {Option::drop_labels, "drop_labels", "drop-labels", "LIST", "drop_labels",
     "labels that are no votes, such as unsure,skip: left out and counted"},
    {Option::assume_order, "assume_order", "assume-order", "", "assume_order",
     "keep an assumed order of the classes, even where another one agrees better with the "
     "annotators"},
    {Option::allow_unmatched, "allow_unmatched", "allow-unmatched", "", "allow_unmatched",
     "leave out examples that only one side knows, instead of refusing"},
    {Option::rows, "rows", "rows", "FILE", "rows", "use only the rows listed here (0-based)"},
    {Option::skip_rows, "skip_rows", "skip-rows", "FILE", "skip_rows",
     "leave out the rows listed here"},
    {Option::groups, "groups", "groups", "FILE", "groups",
     "a group per example (patient, recording), kept together where rows are split"},
    {Option::by, "by", "by", "FILE", "by",
     "score these parts of the rows apart too: a name per example (hospital, language), in the "
     "forms of ‹groups›"},
    {Option::test_logits, "test_logits", "test-logits", "FILE", "test",
     "evaluate on these scores instead of splitting; also ‹test_log_probs›, ‹test_probs›"},
    {Option::test_log_probs, "test_log_probs", "test-log-probs", "FILE", "test",
     "the same, holding log-probabilities"},
    {Option::test_probs, "test_probs", "test-probs", "FILE", "test",
     "the same, holding probabilities"},
    {Option::test_votes, "test_votes", "test-votes", "FILE", "test", "their annotations"},
    {Option::test_labels, "test_labels", "test-labels", "FILE", "test", "their majority labels"},
    {Option::test_groups, "test_groups", "test-groups", "FILE", "test_groups", "their groups"},
    {Option::calibration_rows, "calibration_rows", "calibration-rows", "FILE", "calibration_rows",
     "calibrate on the rows listed here (0-based), evaluate on all others"},
    // Methods and how they are compared.
    {Option::method, "method", "method", "METHOD", "method",
     "a method, TARGET+MAP, or 'A then B' (‹methods()› lists all)", kAnything, "", 'm'},
    {Option::methods, "methods", "methods", "LIST", "methods",
     "methods to compare, separated by commas; auto is many fits and takes most of the time: name "
     "others to leave it out",
     kAnything, "all that the annotations allow", 'm'},
    {Option::reference, "reference", "reference", "METHOD", "reference",
     "method that paired differences are taken against, besides uncalibrated", kAnything, "ts"},
    {Option::oracle, "oracle", "oracle", "", "oracle",
     "add oracle-ts, a temperature fitted on the evaluation rows: a bound, no candidate"},
    {Option::keep_predictions, "keep_predictions", "keep-predictions", "", "keep_predictions",
     "choose only among methods that never change the predicted class"},
    {Option::final_fit, "final_fit", "final", "yes|no", "final",
     "fit the recommended method again, on all rows, for calibrator.json; with ‹results_folder›, "
     "and "
     "where the rows are split here: test rows given apart stay apart",
     one_of("yes|no"), "yes"},
    {Option::share, "share", "share", "X", "share", "share of the rows that calibrates", kPart,
     "0.5"},
    {Option::seeds, "seeds", "seeds", "LIST", "seeds",
     "one split per seed: 42, 42..46 or 1,2,3; more than one gives means and standard deviations",
     kSeed, "42"},
    {Option::folds, "folds", "folds", "N", "folds", "folds of the cross-validation that recommends",
     whole(2, kThousand), "5"},
    {Option::refits, "refits", "refit", "N", "refits",
     "also refit every method on this many resamples of the calibration rows", whole(0, kMillion),
     "0"},
    {Option::examples, "examples", "examples", "", "examples",
     "write evaluation.csv too: every evaluation example under every method"},
    {Option::report, "report", "report", "FILE", "report()",
     "write the report too: to this file, or to report.html in the folder of ‹results_folder›"},
    {Option::report_examples, "report_examples", "embed-examples", "N", "embed_examples",
     "with ‹report›: embed up to N examples in the page", whole(0, kMillion), "0"},
    {Option::study, "study", "study", "LIST", "studies",
     "size, votes, draws, smoothing, separated by commas", kAnything, "all that the votes allow"},
    {Option::study_seeds, "study_seeds", "seeds", "LIST", "seeds", "one split per seed", kSeed,
     "42..46"},
    {Option::shares, "shares", "shares", "LIST", "shares", "shares of the calibration rows",
     kShareOfRows, "0.05,0.1,0.2,0.3,0.5,0.7,1"},
    {Option::study_votes, "study_votes", "votes-per-example", "LIST", "votes_per_example",
     "numbers of votes", kUpToAMillion, "1,2,3,5,10,20,50,... up to all"},
    {Option::study_draws, "study_draws", "draws-per-example", "LIST", "draws_per_example",
     "annotations drawn by mcts", kUpToAMillion, "1,5,20,50,200"},
    {Option::planned_examples, "planned_examples", "examples", "LIST", "examples",
     "numbers of examples to plan for", whole(1, kMostExamples),
     "a quarter to four times the pilot"},
    {Option::planned_votes, "planned_votes", "votes-per-example", "LIST", "votes_per_example",
     "votes per example to plan for", kUpToAMillion, "1,2,3,5,10"},
    // Metrics and their intervals.
    {Option::bins, "bins", "bins", "N", "bins", "bins of confidence", kBins, "15"},
    {Option::entropy_bins, "entropy_bins", "entropy-bins", "N", "entropy_bins",
     "bins of annotation entropy for the pointwise error", kBins, "10"},
    {Option::draws, "draws", "draws", "N", "draws",
     "annotators drawn per example for ece_true and its kin", whole(0, kMillion), "100"},
    {Option::draw_seed, "draw_seed", "draw-seed", "N", "draw_seed", "of those draws", kSeed, "42"},
    {Option::resamples, "resamples", "resamples", "N", "resamples",
     "bootstrap resamples behind the intervals; 0: no intervals. Data read in passes get none "
     "unless this is given",
     whole(0, kMillion), "1000"},
    {Option::level, "level", "level", "X", "level", "level of the intervals",
     real(0.5, 0.9999, "a number from 0.5 to 0.9999"), "0.95"},
    {Option::interval, "interval", "interval", "KIND", "interval", "percentile or studentised",
     one_of("percentile|studentised"), "percentile"},
    {Option::resample_annotators, "resample_annotators", "resample-annotators", "",
     "resample_annotators", "redraw the votes of every example too"},
    {Option::resample_seed, "resample_seed", "seed", "N", "seed", "of the resamples", kSeed, "42"},
    // Fitting.
    {Option::gauge, "gauge", "gauge", "GAUGE", "gauge",
     "what the map reads: log-probs, the same answer for logits and probabilities; or raw, the "
     "scores as given",
     one_of("log-probs|raw"), "log-probs"},
    {Option::fit_seed, "fit_seed", "seed", "N", "seed", "of the sampled target", kSeed, "42"},
    {Option::target_draws, "target_draws", "draws", "N", "draws",
     "annotations drawn per example, sampled target", kUpToAMillion, "1"},
    {Option::epsilon, "epsilon", "epsilon", "X", "epsilon", "smoothing weight of fixed-ls",
     real(0.0, 1.0, "a number from 0 to 1"), "0.1"},
    {Option::lambda, "lambda", "lambda", "X", "lambda_",
     "penalty on off-diagonal weights, matrix map", kPenalty, "0.001"},
    {Option::tau, "tau", "tau", "X", "tau", "penalty on the weights of the ridge maps, in examples",
     kPenalty, "100"},
    {Option::mu, "mu", "mu", "X", "mu", "penalty on biases, matrix map", kPenalty, "0.001"},
    {Option::histogram_bins, "histogram_bins", "bins", "N", "bins", "bins of the histogram map",
     kBins, "15"},
    {Option::step_prior, "step_prior", "step-prior", "X", "step_prior",
     "examples that each step of the isotonic and histogram maps is given besides its own, half of "
     "them wrong; above 0 no class gets probability 0",
     kPenalty, "0"},
    {Option::second_order, "second_order", "second-order", "", "second_order",
     "also fit how sure the predictions are: how far annotators scatter about them, and how often "
     "two annotators of an example disagree; needs examples with two votes or more"},
    {Option::max_passes, "max_passes", "max-passes", "N", "max_passes",
     "stop after this many passes over the rows", kUpToAMillion, "500"},
    {Option::threads, "threads", "threads", "N", "threads",
     "threads to use; 0: as many as the machine has", whole(0, 4096), "0"},
    {Option::chunk_rows, "chunk_rows", "chunk-rows", "N", "",
     "rows a thread takes at a time; 0: choose", whole(0, std::uint64_t{1} << 40), "0"},
    {Option::memory, "memory", "memory", "SIZE", "",
     "memory for the data, such as 500M or 2G; larger files are read again in every pass",
     kAnything, "what is free on this machine"},
    {Option::checkpoint, "checkpoint", "checkpoint", "FILE", "",
     "keep the state of the fit here after every pass; a fit that was interrupted continues from "
     "it, and one that is done removes it"},
    // How results are printed and drawn.
    {Option::full, "full", "full", "", "",
     "print every method, the splits and the reliability diagram too"},
    {Option::reliability, "reliability", "reliability", "", "",
     "print the bins of the reliability diagram too"},
    {Option::ece_only, "ece_only", "ece-only", "", "",
     "compute the calibration errors of the predicted class alone, without intervals; plain .npy "
     "files are read once, at about the speed of the disk"},
    {Option::subgroup_figure, "subgroup_figure", "figure", "FILE", "subgroup_figure()",
     "with ‹by›: draw how far confidence is off in each part (.svg)"},
    {Option::evidence, "evidence", "evidence", "KIND", "",
     "list only what this much evidence allows", one_of("none|voted|annotations|distributions")},
    {Option::format, "format", "format", "FORMAT", "", "how to print the result",
     one_of("text|json|csv|markdown"), "text"},
    {Option::output_format, "output_format", "output-format", "FORMAT", "",
     "format of the output when its name does not tell", one_of("npy|csv|jsonl|parquet")},
    {Option::dtype, "dtype", "dtype", "TYPE", "dtype", "precision of the output",
     one_of("float32|float64"), "float32"},
    {Option::add_second_order, "add_second_order", "second-order", "", "predict_second_order()",
     "add columns that say how sure each prediction is: 'concentration', and 'disagreement', the "
     "probability that two annotators disagree; for calibrators fitted with ‹second_order›"},
    {Option::next_votes, "next_votes", "next-votes", "N", "next_votes",
     "with ‹add_second_order›: add columns low_CLASS and high_CLASS, between which the share of "
     "the next N votes will lie",
     whole(1, 10000)},
    {Option::next_level, "next_level", "level", "X", "level", "level of these intervals",
     real(1e-9, 1.0 - 1e-9, "a number between 0 and 1"), "0.9"},
    {Option::embed_examples, "embed_examples", "embed-examples", "N", "embed_examples",
     "embed up to N examples in the page, ids included, so that bins list them and can be "
     "changed; needs evaluation.csv, which ‹compare()› writes with ‹examples›",
     whole(0, kMillion), "0"},
    {Option::figures, "figures", "figures", "DIR", "figures",
     "write every figure to this folder too"},
    {Option::figure_format, "figure_format", "figure-format", "LIST", "figure_formats",
     "svg, pdf or png, separated by commas; pdf and png need rsvg-convert", kAnything, "svg"},
    // ONNX.
    {Option::input_kind, "input_kind", "input-kind", "KIND", "input",
     "what the graph will be given", one_of("logits|log-probs|probs"),
     "what the calibrator was fitted to"},
    {Option::result, "result", "result", "KIND", "result",
     "what it gives; log-probs suit code that applies a softmax itself", one_of("probs|log-probs"),
     "probs"},
    {Option::precision, "precision", "precision", "TYPE", "precision",
     "type of its input and output", one_of("float16|float32|float64"), "float32"},
    {Option::arithmetic, "arithmetic", "arithmetic", "TYPE", "arithmetic",
     "type in which it computes; auto takes float32 where that is within 1e-6 of the "
     "engine for all scores, else float64",
     one_of("auto|float32|float64"), "auto"},
    {Option::opset, "opset", "opset", "N", "opset", "version of the ONNX operators, 11 to 21",
     whole(11, 21), "13"},
    {Option::rank, "rank", "rank", "N", "rank",
     "2: [batch, classes]; 3: [batch, positions, classes]", whole(2, 3), "2"},
    {Option::append_to, "append_to", "append-to", "FILE", "",
     "ONNX network whose scores are to be calibrated; it is read, never changed"},
    {Option::mode, "mode", "mode", "MODE", "",
     "replace: the output keeps its name; add: one more output", one_of("replace|add"), "replace"},
    {Option::output_name, "output_name", "output-name", "NAME", "",
     "output with the scores, where several could be meant"},
    {Option::class_axis, "class_axis", "class-axis", "N", "",
     "axis of the classes, from 0, where several have their number", whole(0, 15)},
    {Option::copy_data, "copy_data", "copy-data", "", "",
     "copy the network's external data beside a result in another folder"},
    {Option::check_with, "check_with", "check-with", "FILE", "",
     "scores of your own for the check, of the kind that the graph is given"},
    {Option::card, "card", "card", "FILE", "", "write a model card for a registry, in Markdown"},
    {Option::card_results, "card_results", "results", "FILE", "",
     "results.json that ‹compare()› wrote with the calibrator: the card's scores"},
    // Generated data.
    {Option::demo_rows, "demo_rows", "rows", "N", "rows", "examples to make",
     whole(1, 10 * kMillion), "4000"},
    {Option::demo_seed, "demo_seed", "seed", "N", "seed", "of the data", kSeed, "42"},
    {Option::consensus, "consensus", "labels", "FILE", "labels",
     "the consensus, one label per example; '-' reads standard input"},
    {Option::matrix_classes, "matrix_classes", "vote-classes", "LIST|FILE", "",
     "the matrix's own names in the order wanted; or other names that the labels use, in "
     "the order of its rows: a,b,c or a file"},
    {Option::confusion, "confusion", "confusion", "isic|FILE|DIR", "confusion",
     "isic (dermatologists on eight conditions), or a file with a row and a column per "
     "class; again, or a folder, for a matrix per annotator"},
    {Option::normalise, "normalise", "normalise", "", "normalise",
     "divide each row of a matrix by its sum: for counts and rounded shares"},
    {Option::annotators, "annotators", "annotators", "N", "annotators", "answers per example",
     whole(1, kMostAnnotators), "9, or as many as there are matrices"},
    {Option::answer_seed, "answer_seed", "seed", "N", "seed", "of the answers", kSeed, "42"},
    {Option::long_table, "long_table", "long", "", "",
     "write one line per answer (example, annotator, label) instead of counts"},
    {Option::points, "points", "points", "N", "points",
     "per cluster, in each of training, calibration and evaluation", whole(10, kMillion), "300"},
    {Option::epochs, "epochs", "epochs", "N", "epochs", "steps of the network's training",
     whole(0, kMillion), "110"},
    {Option::toy_annotators, "toy_annotators", "annotators", "N", "annotators",
     "answers drawn per example; 0: the shares themselves", whole(0, kMostAnnotators), "0"},
    {Option::toy_seed, "toy_seed", "seed", "N", "seed", "of points, votes and network", kSeed,
     "42"},
    // Where results go.
    {Option::results_folder, "results_folder", "output", "DIR", "save()", "folder for the results",
     kAnything, "", 'o'},
    {Option::calibrator_output, "calibrator_output", "output", "FILE", "save()",
     "where the calibrator goes; '-': standard output", kAnything, "", 'o'},
    {Option::probabilities_output, "probabilities_output", "output", "FILE", "",
     "where the probabilities go: .npy, .csv, .jsonl or .parquet; '-': standard output", kAnything,
     "", 'o'},
    {Option::plan_output, "plan_output", "output", "FILE", "",
     "write the plan as JSON; '-': standard output", kAnything, "", 'o'},
    {Option::page_output, "page_output", "output", "FILE", "path",
     "the page (report.html beside the results; '-' for standard output)", kAnything, "", 'o'},
    {Option::model_output, "model_output", "output", "FILE", "", "where the ONNX model goes",
     kAnything, "", 'o'},
    {Option::votes_output, "votes_output", "output", "FILE", "",
     "where the votes go (.csv); '-': standard output", kAnything, "", 'o'},
    {Option::data_folder, "data_folder", "output", "DIR", "", "folder to write the data to",
     kAnything, "", 'o'},
    {Option::manual_folder, "manual_folder", "output", "DIR", "", "folder to write every page to",
     kAnything, "", 'o'},
});

constexpr bool in_order() {
  for (std::size_t i = 0; i < kOptions.size(); ++i) {
    if (static_cast<std::size_t>(kOptions[i].option) != i) return false;
  }
  return true;
}
constexpr bool ids_differ() {
  for (std::size_t i = 0; i < kOptions.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (kOptions[i].id == kOptions[j].id) return false;
    }
  }
  return true;
}
static_assert(in_order() && kOptions.back().option == Option::manual_folder,
              "a row for each option, in the order of the enumeration");
static_assert(ids_differ());

}  // namespace

std::span<const OptionInfo> all_options() { return kOptions; }

const OptionInfo& info(Option option) { return kOptions[static_cast<std::size_t>(option)]; }

bool accepts(Option option, double value) {
  const Values& values = info(option).values;
  if (values.kind == Values::Kind::real) return value >= values.low && value <= values.high;
  return value >= static_cast<double>(values.least) && value <= static_cast<double>(values.most);
}

std::string accepted_values(Option option) {
  const Values& values = info(option).values;
  if (values.kind != Values::Kind::whole) return std::string(values.words);
  return fmt::format("a whole number from {} to {}", values.least, values.most);
}

}  // namespace credence
