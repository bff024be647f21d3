#include <memory>

#include "commands/commands.hpp"
#include "option_helpers.hpp"
#include "verbs.hpp"

namespace credence::cli {
namespace {

constexpr const char* kSplit = "Calibration and test split";
constexpr const char* kSureness = "Uncertainty";

void test_options(CLI::App& verb, DatasetOptions& test) {
  file_option(verb, "--test-logits", test.logits, kSplit,
              "evaluate on these scores instead of splitting; also --test-log-probs, --test-probs");
  file_option(verb, "--test-log-probs", test.log_probs, kSplit,
              "the same, holding log-probabilities");
  file_option(verb, "--test-probs", test.probs, kSplit, "the same, holding probabilities");
  file_option(verb, "--test-votes", test.votes, kSplit, "their annotations");
  file_option(verb, "--test-labels", test.labels, kSplit, "their voted labels");
  file_option(verb, "--test-groups", test.groups, kSplit, "their groups");
}

}  // namespace

Action declare_compare(CLI::App& verb) {
  verb.description("Fit every method, score them on other rows, recommend one");
  verb.footer(
      "Examples:\n"
      "  credence compare --logits logits.npy --votes votes.csv -o results\n"
      "  credence compare --logits logits.npy --votes votes.csv --groups patients.csv --seeds "
      "42..46\n"
      "  credence compare --logits val.npy --votes val.csv --test-logits test.npy --test-votes "
      "test.csv\n"
      "  credence compare --logits logits.npy --votes votes.csv --methods ts,slts,'dirichlet-soft "
      "then ts'\n"
      "The recommendation is made by cross-validation on the calibration rows alone. With -o the\n"
      "folder gets results.json, results.csv, table.md, table.tex and the recommended "
      "calibrator.json.");
  const auto options = std::make_shared<CompareCommandOptions>();
  dataset_options(verb, options->data);
  verb.add_option("-m,--methods", options->methods,
                  "methods to compare, separated by commas (all that the annotations allow)")
      ->type_name("LIST")
      ->delimiter(',')
      ->group(kResult);
  verb.add_option("--reference", options->reference,
                  "method that paired differences are taken against, besides uncalibrated (ts)")
      ->type_name("METHOD")
      ->group(kResult);
  verb.add_option("-o,--output", options->output, "folder for the results")
      ->type_name("DIR")
      ->group(kResult);
  verb.add_flag("--examples", options->examples,
                "write evaluation.csv too: every evaluation example under every method")
      ->group(kResult);
  CLI::Option* report =
      verb.add_option("--report", options->report_file,
                      "write the report too: to this file, or to report.html in the folder of -o")
          ->type_name("FILE")
          ->expected(0, 1)
          ->group(kResult);
  verb.add_option("--embed-examples", options->embed_examples,
                  "with --report: embed up to N examples in the page (0)")
      ->type_name("N")
      ->check(whole_number(0, 1'000'000))
      ->group(kResult);
  format_option(verb, options->format, {"text", "json", "csv", "markdown"});
  verb.add_flag("--oracle", options->oracle,
                "add oracle-ts, a temperature fitted on the evaluation rows: a bound, no candidate")
      ->group(kResult);
  verb.add_option("--share", options->share, "share of the rows that calibrates (0.5)")
      ->type_name("X")
      ->check(number(0.0, 1.0, "a number between 0 and 1"))
      ->group(kSplit);
  verb.add_option("--seeds", options->seeds,
                  "one split per seed: 42, 42..46 or 1,2,3; more than one gives means and standard "
                  "deviations (42)")
      ->type_name("LIST")
      ->group(kSplit);
  file_option(verb, "--calibration-rows", options->calibration_rows, kSplit,
              "calibrate on the rows listed here (0-based), evaluate on all others");
  test_options(verb, options->test);
  verb.add_option("--folds", options->folds, "folds of the cross-validation that recommends (5)")
      ->type_name("N")
      ->check(whole_number(2, 1000))
      ->group(kSplit);
  bootstrap_options(verb, options->bootstrap, kSureness);
  verb.add_option("--refit", options->refits,
                  "also resample the calibration rows and refit every method, so many times (0)")
      ->type_name("N")
      ->check(whole_number(0, 100000))
      ->group(kSureness);
  metric_options(verb, options->metrics);
  gauge_option(verb, options->gauge);
  threads_option(verb, options->threads);
  return [options, report] {
    options->report = report->count() > 0;
    run_compare(*options);
  };
}

}  // namespace credence::cli
