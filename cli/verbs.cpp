#include "verbs.hpp"

#include <fmt/format.h>

#include <charconv>

#include "completion.hpp"
#include "help_format.hpp"
#include "output.hpp"

namespace credence::cli {
namespace {

constexpr const char* kScores = "Scores (exactly one of the first three)";
constexpr const char* kAnnotations = "Annotations";
constexpr const char* kRows = "Rows";
constexpr const char* kResult = "Result";
constexpr const char* kIntervals = "Intervals";
constexpr const char* kTuning = "Tuning";

/// A whole number in a range, refused with words that name the range.
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

void score_options(CLI::App& verb, DatasetOptions& data) {
  file_option(verb, "--logits", data.logits, kScores,
              "n x K logits: .npy, .npz (file.npz:name), .csv, .tsv or .jsonl, also gzip'd text; "
              "'-' reads text from standard input");
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

CLI::App& add_verb(CLI::App& app, const std::string& name, const std::string& description,
                   const std::string& footer) {
  CLI::App* verb = app.add_subcommand(name, description);
  verb->footer(footer);
  verb->group("Verbs");
  return *verb;
}

void declare_methods(CLI::App& app, MethodsOptions& options) {
  CLI::App& verb =
      add_verb(app, "methods", "List the methods and what each needs",
               "Examples:\n"
               "  credence methods\n"
               "  credence methods --evidence voted      when only voted labels are known\n"
               "  credence methods --format json | jq -r '.methods[].id'");
  format_option(verb, options.format, {"text", "json", "csv", "markdown"});
  verb.add_option("--evidence", options.evidence, "list only what this much evidence allows")
      ->type_name("KIND")
      ->check(CLI::IsMember({"none", "voted", "annotations", "distributions"}))
      ->group(kResult);
}

void declare_metrics(CLI::App& app, MetricsOptions& options) {
  CLI::App& verb = add_verb(app, "metrics", "List the metrics, what they mean and what each needs",
                            "Examples:\n"
                            "  credence metrics\n"
                            "  credence metrics --format markdown     with their definitions");
  format_option(verb, options.format, {"text", "json", "csv", "markdown"});
}

void declare_inspect(CLI::App& app, InspectOptions& options) {
  CLI::App& verb =
      add_verb(app, "inspect", "Show what was understood of scores and votes",
               "Examples:\n"
               "  credence inspect --logits logits.npy --votes votes.csv\n"
               "  credence inspect --votes annotations.csv                  votes alone\n"
               "  credence inspect --logits pred.jsonl --votes chaosNLI_mnli_m.jsonl "
               "--score-classes e,c,n \\\n"
               "    --allow-unmatched --format json");
  dataset_options(verb, options.data);
  format_option(verb, options.format, {"text", "json"});
}

void declare_fit(CLI::App& app, FitCommandOptions& options) {
  CLI::App& verb = add_verb(
      app, "fit", "Fit a calibrator to scores and annotations",
      "Examples:\n"
      "  credence fit --method slts --logits logits.npy --votes votes.csv -o model.json\n"
      "  credence fit --method 'dirichlet-soft then ts' --probs probs.csv --votes votes.csv "
      "-o model.json\n"
      "  credence fit --method ls-ts --logits logits.npy --labels labels.csv -o - > model.json\n"
      "The file depends on the data and the method alone, not on --threads or --chunk-rows.");
  verb.add_option("-m,--method", options.method,
                  "a method, TARGET+MAP, or 'A then B' ('credence methods' lists all)")
      ->type_name("METHOD")
      ->group(kResult);
  verb.add_option("-o,--output", options.output, "where the calibrator goes; '-': standard output")
      ->type_name("FILE")
      ->group(kResult);
  format_option(verb, options.format, {"text", "json"});
  dataset_options(verb, options.data);
  verb.add_option("--gauge", options.gauge,
                  "what the map reads: log-probs, the same answer for logits and probabilities; or "
                  "raw, the scores as given (log-probs)")
      ->type_name("GAUGE")
      ->check(CLI::IsMember({"log-probs", "raw"}))
      ->group(kTuning);
  verb.add_option("--seed", options.seed, "of the sampled target (42)")
      ->type_name("N")
      ->check(whole_number(0, UINT64_MAX))
      ->group(kTuning);
  verb.add_option("--draws", options.draws, "annotations drawn per example, sampled target (1)")
      ->type_name("N")
      ->check(whole_number(1, 1000000))
      ->group(kTuning);
  verb.add_option("--epsilon", options.epsilon, "smoothing weight of fixed-ls (0.1)")
      ->type_name("X")
      ->check(number(0.0, 1.0, "a number from 0 to 1"))
      ->group(kTuning);
  const auto penalty = number(0.0, 1e300, "a number of 0 or more");
  verb.add_option("--lambda", options.lambda, "penalty on off-diagonal weights, matrix map (0.001)")
      ->type_name("X")
      ->check(penalty)
      ->group(kTuning);
  verb.add_option("--mu", options.mu, "penalty on biases, matrix map (0.001)")
      ->type_name("X")
      ->check(penalty)
      ->group(kTuning);
  verb.add_option("--bins", options.bins, "bins of the histogram map (15)")
      ->type_name("N")
      ->check(whole_number(1, 100000))
      ->group(kTuning);
  verb.add_option("--max-passes", options.max_passes, "stop after so many passes (500)")
      ->type_name("N")
      ->check(whole_number(1, 1000000))
      ->group(kTuning);
  threads_option(verb, options.threads);
  verb.add_option("--chunk-rows", options.chunk_rows,
                  "rows a thread takes at a time; 0: choose (0)")
      ->type_name("N")
      ->check(whole_number(0, std::uint64_t{1} << 40))
      ->group(kTuning);
}

void declare_apply(CLI::App& app, ApplyOptions& options) {
  CLI::App& verb =
      add_verb(app, "apply", "Write calibrated probabilities for a score file of any size",
               "Examples:\n"
               "  credence apply model.json --logits new.npy -o calibrated.npy\n"
               "  zcat new.csv.gz | credence apply model.json --logits - -o - | head\n"
               "Memory does not grow with the file. Columns keep the order of the input.");
  verb.add_option("model", options.model, "calibrator written by 'credence fit'")
      ->type_name("FILE");
  verb.add_option("-o,--output", options.output,
                  "where the probabilities go: .npy, .csv or .jsonl; '-': standard output")
      ->type_name("FILE")
      ->group(kResult);
  verb.add_option("--output-format", options.output_format,
                  "format of the output when its name does not tell")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"npy", "csv", "jsonl"}))
      ->group(kResult);
  verb.add_option("--dtype", options.dtype, "precision of the output (float32)")
      ->type_name("TYPE")
      ->check(CLI::IsMember({"float32", "float64"}))
      ->group(kResult);
  score_options(verb, options.data);
  classes_option(verb, options.data);
  row_options(verb, options.data);
  threads_option(verb, options.threads);
}

void interval_options(CLI::App& verb, EvaluateOptions& options) {
  verb.add_option("--resamples", options.resamples,
                  "bootstrap resamples, of examples or of --groups; 0: no intervals (1000)")
      ->type_name("N")
      ->check(whole_number(0, 1000000))
      ->group(kIntervals);
  verb.add_option("--level", options.level, "of the intervals (0.95)")
      ->type_name("X")
      ->check(number(0.01, 0.9999, "a number from 0.01 to 0.9999"))
      ->group(kIntervals);
  verb.add_option("--interval", options.interval,
                  "percentile, or studentised: by the spread of each resample (percentile)")
      ->type_name("KIND")
      ->check(CLI::IsMember({"percentile", "studentised"}))
      ->group(kIntervals);
  verb.add_flag("--resample-annotators", options.resample_annotators,
                "redraw the votes of every example as well; needs counted votes")
      ->group(kIntervals);
}

void declare_evaluate(CLI::App& app, EvaluateOptions& options) {
  CLI::App& verb = add_verb(
      app, "evaluate", "Score a calibrator, or anybody's probabilities, against annotations",
      "Examples:\n"
      "  credence evaluate model.json --logits test.npy --votes test-votes.csv\n"
      "  credence evaluate --probs theirs.csv --votes test-votes.csv --reliability\n"
      "  credence evaluate --logits test.npy --votes test-votes.csv --format json   uncalibrated\n"
      "Choose between calibrators by nll, not by ece: ece can be small for useless confidences.");
  verb.add_option(
          "model", options.model,
          "calibrator written by 'credence fit'; without it the scores are judged as they are")
      ->type_name("FILE");
  format_option(verb, options.format, {"text", "json", "csv"});
  verb.add_flag("--reliability", options.reliability,
                "print the bins of the reliability diagram too")
      ->group(kResult);
  dataset_options(verb, options.data);
  verb.add_option("--bins", options.bins, "bins of confidence (15)")
      ->type_name("N")
      ->check(whole_number(1, 100000))
      ->group(kTuning);
  verb.add_option("--entropy-bins", options.entropy_bins,
                  "bins of annotation entropy for the pointwise error (10)")
      ->type_name("N")
      ->check(whole_number(1, 100000))
      ->group(kTuning);
  verb.add_option("--draws", options.draws,
                  "annotators drawn per example for the ..._true metrics; 0: leave them out (100)")
      ->type_name("N")
      ->check(whole_number(0, 1000000))
      ->group(kTuning);
  verb.add_option("--seed", options.seed, "of draws and resamples (42)")
      ->type_name("N")
      ->check(whole_number(0, UINT64_MAX))
      ->group(kTuning);
  interval_options(verb, options);
  threads_option(verb, options.threads);
}

void declare_demo(CLI::App& app, DemoCommandOptions& options) {
  CLI::App& verb = add_verb(app, "demo", "Fit and score on data the program makes itself",
                            "Examples:\n"
                            "  credence demo\n"
                            "  credence demo -o demo    write the data too, to try every verb on");
  verb.add_option("-o,--output", options.output, "folder to write the data to")->type_name("DIR");
  verb.add_option("--rows", options.rows, "examples to make (4000)")
      ->type_name("N")
      ->check(whole_number(1, 10000000));
  verb.add_option("--seed", options.seed, "of the data (42)")
      ->type_name("N")
      ->check(whole_number(0, UINT64_MAX));
}

void declare_completion(CLI::App& app, std::string& shell) {
  CLI::App& verb =
      add_verb(app, "completion", "Print a completion script for a shell",
               "Examples:\n"
               "  source <(credence completion bash)\n"
               "  credence completion zsh > ~/.zfunc/_credence\n"
               "  credence completion fish > ~/.config/fish/completions/credence.fish");
  verb.add_option("shell", shell, "the shell to complete for")
      ->type_name("SHELL")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
}

}  // namespace

void declare_program(CLI::App& app, Choices& choices) {
  app.name("credence");
  app.description(
      "Honest confidence for classifiers when annotators disagree: fits a calibrator to scores "
      "and\n"
      "annotations, applies it, and says how far confidence is from what annotators think");
  app.footer(
      "Start here:\n"
      "  credence demo                                                     see it work\n"
      "  credence inspect --logits logits.npy --votes votes.csv            look at your data\n"
      "  credence fit --method slts --logits logits.npy --votes votes.csv -o model.json\n"
      "  credence evaluate model.json --logits test.npy --votes test-votes.csv\n"
      "  credence apply model.json --logits new.npy -o calibrated.csv\n"
      "'credence VERB --help' explains a verb. Exit codes: 0 done, 1 bad data or failure, 2 "
      "usage.");
  app.set_help_flag("-h,--help", "print this help");
  app.set_version_flag("--version", std::string("credence ") + CREDENCE_VERSION);
  app.get_version_ptr()->description("print the version");
  app.formatter(std::make_shared<HelpFormatter>());
  app.require_subcommand(0, 1);
  declare_demo(app, choices.demo);
  declare_methods(app, choices.methods);
  declare_metrics(app, choices.metrics);
  declare_inspect(app, choices.inspect);
  declare_fit(app, choices.fit);
  declare_apply(app, choices.apply);
  declare_evaluate(app, choices.evaluate);
  declare_completion(app, choices.shell);
}

std::function<void()> chosen_action(const CLI::App& app, const Choices& choices) {
  if (app.got_subcommand("methods")) return [&] { run_methods(choices.methods); };
  if (app.got_subcommand("metrics")) return [&] { run_metrics(choices.metrics); };
  if (app.got_subcommand("inspect")) return [&] { run_inspect(choices.inspect); };
  if (app.got_subcommand("fit")) return [&] { run_fit(choices.fit); };
  if (app.got_subcommand("apply")) return [&] { run_apply(choices.apply); };
  if (app.got_subcommand("evaluate")) return [&] { run_evaluate(choices.evaluate); };
  if (app.got_subcommand("demo")) return [&] { run_demo(choices.demo); };
  if (app.got_subcommand("completion")) {
    return [&] {
      if (choices.shell.empty()) {
        throw Error(ErrorCode::usage, "no shell named", "credence completion bash|zsh|fish");
      }
      print(completion_script(app, choices.shell));
    };
  }
  return {};
}

}  // namespace credence::cli
