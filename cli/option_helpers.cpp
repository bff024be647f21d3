#include "option_helpers.hpp"

#include <fmt/format.h>

#include <charconv>

namespace credence::cli {
namespace {

constexpr const char* kScores = "Scores (exactly one of the first three)";
constexpr const char* kAnnotations = "Annotations";
constexpr const char* kRows = "Rows";

}  // namespace

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  return CLI::Validator(
      [least, most](std::string& text) -> std::string {
        std::uint64_t value = 0;
        const char* end = text.data() + text.size();
        const auto [stop, failure] = std::from_chars(text.data(), end, value);
        if (failure == std::errc{} && stop == end && value >= least && value <= most) return {};
        return fmt::format("'{}' is not a whole number from {} to {}", text, least, most);
      },
      "");
}

CLI::Validator number(double least, double most, const char* words) {
  return CLI::Validator(
      [least, most, words](std::string& text) -> std::string {
        double value = 0.0;
        const bool parsed = CLI::detail::lexical_cast(text, value);
        if (parsed && value >= least && value <= most) return {};
        return fmt::format("'{}' is not {}", text, words);
      },
      "");
}

void file_option(CLI::App& verb, const std::string& name, std::string& value, const char* group,
                 const std::string& help) {
  verb.add_option(name, value, help)->type_name("FILE")->group(group);
}

void format_option(CLI::App& verb, Format& format, const std::vector<std::string>& names) {
  verb.add_option_function<std::string>(
          "--format",
          [&format](const std::string& name) {
            format = name == "json"       ? Format::json
                     : name == "csv"      ? Format::csv
                     : name == "markdown" ? Format::markdown
                                          : Format::text;
          },
          "how to print the result (text)")
      ->type_name("FORMAT")
      ->check(CLI::IsMember(names))
      ->group(kResult);
}

void threads_option(CLI::App& verb, int& threads) {
  verb.add_option("--threads", threads, "threads to use; 0: as many as the machine has (0)")
      ->type_name("N")
      ->check(whole_number(0, 4096))
      ->group(kTuning);
}

void gauge_option(CLI::App& verb, Gauge& gauge) {
  verb.add_option_function<std::string>(
          "--gauge",
          [&gauge](const std::string& name) {
            gauge = name == "raw" ? Gauge::raw : Gauge::log_probs;
          },
          "what the map reads: log-probs, the same answer for logits and probabilities; or raw, "
          "the "
          "scores as given (log-probs)")
      ->type_name("GAUGE")
      ->check(CLI::IsMember({"log-probs", "raw"}))
      ->group(kTuning);
}

void metric_options(CLI::App& verb, MetricOptions& metrics) {
  verb.add_option("--bins", metrics.bins, "bins of confidence (15)")
      ->type_name("N")
      ->check(whole_number(1, 100000))
      ->group(kTuning);
  verb.add_option("--entropy-bins", metrics.entropy_bins,
                  "bins of annotation entropy for the pointwise error (10)")
      ->type_name("N")
      ->check(whole_number(1, 100000))
      ->group(kTuning);
  verb.add_option("--draws", metrics.draws,
                  "annotators drawn per example for ece_true and its kin (100)")
      ->type_name("N")
      ->check(whole_number(0, kMaxDraws))
      ->group(kTuning);
  verb.add_option("--draw-seed", metrics.seed, "of those draws (42)")
      ->type_name("N")
      ->check(whole_number(0, UINT64_MAX))
      ->group(kTuning);
}

void bootstrap_options(CLI::App& verb, BootstrapOptions& bootstrap, const char* group) {
  verb.add_option("--resamples", bootstrap.resamples,
                  "bootstrap resamples behind the intervals; 0: no intervals (1000)")
      ->type_name("N")
      ->check(whole_number(0, 1000000))
      ->group(group);
  verb.add_option("--level", bootstrap.level, "level of the intervals (0.95)")
      ->type_name("X")
      ->check(number(0.5, 0.9999, "a number from 0.5 to 0.9999"))
      ->group(group);
  verb.add_option_function<std::string>(
          "--interval",
          [&bootstrap](const std::string& name) {
            bootstrap.kind =
                name == "studentised" ? IntervalKind::studentised : IntervalKind::percentile;
          },
          "percentile or studentised (percentile)")
      ->type_name("KIND")
      ->check(CLI::IsMember({"percentile", "studentised"}))
      ->group(group);
  verb.add_flag("--resample-annotators", bootstrap.annotators,
                "redraw the votes of every example too")
      ->group(group);
}

void score_options(CLI::App& verb, DatasetOptions& data) {
  file_option(verb, "--logits", data.logits, kScores,
              "n x K logits: .npy, .npz (file.npz:name), .csv, .tsv or .jsonl, also gzip'd text; "
              "'-' reads any of them but .npz from standard input");
  file_option(verb, "--log-probs", data.log_probs, kScores, "the same, holding log-probabilities");
  file_option(verb, "--probs", data.probs, kScores, "the same, holding probabilities");
  verb.add_option("--scores-field", data.scores_field, "field of a .jsonl file with the K scores")
      ->type_name("NAME")
      ->group(kScores);
  verb.add_option("--id-field", data.id_field, "field or column with the example's id")
      ->type_name("NAME")
      ->group(kScores);
  verb.add_option("--score-classes", data.score_classes,
                  "names of the score columns: a,b,c or a file")
      ->type_name("LIST|FILE")
      ->group(kScores);
}

void classes_option(CLI::App& verb, DatasetOptions& data) {
  verb.add_option("--classes", data.classes,
                  "names of the classes, of scores and votes alike: a,b,c or a file")
      ->type_name("LIST|FILE")
      ->group(kScores);
}

void row_options(CLI::App& verb, DatasetOptions& data) {
  file_option(verb, "--rows", data.rows, kRows, "use only the rows listed here (0-based)");
  file_option(verb, "--skip-rows", data.skip_rows, kRows, "leave out the rows listed here");
}

void dataset_options(CLI::App& verb, DatasetOptions& data) {
  score_options(verb, data);
  classes_option(verb, data);
  file_option(verb, "--votes", data.votes, kAnnotations,
              "counts or shares per class, a table of (example, annotator, label), one column per "
              "annotator, ChaosNLI .jsonl or peerannot answers.json");
  file_option(verb, "--labels", data.labels, kAnnotations, "voted labels alone, one per example");
  verb.add_option("--votes-field", data.votes_field, "field of a .jsonl file with the votes")
      ->type_name("NAME")
      ->group(kAnnotations);
  verb.add_option("--vote-classes", data.vote_classes,
                  "names of the classes of the votes: a,b,c or a file")
      ->type_name("LIST|FILE")
      ->group(kAnnotations);
  verb.add_flag("--allow-unmatched", data.allow_unmatched,
                "leave out examples that only one side knows, instead of refusing")
      ->group(kAnnotations);
  row_options(verb, data);
  file_option(verb, "--groups", data.groups, kRows,
              "a group per example (patient, recording), kept together where rows are split");
}

}  // namespace credence::cli
