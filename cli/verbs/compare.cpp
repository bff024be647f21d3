#include <memory>

#include "commands/commands.hpp"
#include "option_helpers.hpp"
#include "verbs.hpp"

namespace credence::cli {
namespace {

constexpr const char* kSplit = "Calibration and test split";
constexpr const char* kSureness = "Uncertainty";

void test_options(CLI::App& verb, DatasetOptions& test) {
  add_option(verb, Option::test_logits, test.logits, kSplit);
  add_option(verb, Option::test_log_probs, test.log_probs, kSplit);
  add_option(verb, Option::test_probs, test.probs, kSplit);
  add_option(verb, Option::test_votes, test.votes, kSplit);
  add_option(verb, Option::test_labels, test.labels, kSplit);
  add_option(verb, Option::test_groups, test.groups, kSplit);
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
  add_option(verb, Option::methods, options->methods, kResult);
  add_option(verb, Option::reference, options->reference, kResult);
  add_option(verb, Option::results_folder, options->output, kResult);
  add_switch(verb, Option::examples, options->examples, kResult);
  CLI::Option* report = add_option(verb, Option::report, options->report_file, kResult);
  report->expected(0, 1);
  add_option(verb, Option::report_examples, options->embed_examples, kResult);
  format_option(verb, options->format, {"text", "json", "csv", "markdown"});
  add_switch(verb, Option::oracle, options->oracle, kResult);
  add_option(verb, Option::share, options->share, kSplit);
  add_option(verb, Option::seeds, options->seeds, kSplit);
  add_option(verb, Option::calibration_rows, options->calibration_rows, kSplit);
  test_options(verb, options->test);
  add_option(verb, Option::folds, options->folds, kSplit);
  bootstrap_options(verb, options->bootstrap, kSureness);
  add_option(verb, Option::refits, options->refits, kSureness);
  metric_options(verb, options->metrics);
  gauge_option(verb, options->gauge);
  threads_option(verb, options->threads);
  return [options, report] {
    options->report = report->count() > 0;
    run_compare(*options);
  };
}

}  // namespace credence::cli
