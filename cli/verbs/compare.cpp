// `credence compare`: the main job.
#include "credence/compare.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "credence/comparison_run.hpp"
#include "credence/io.hpp"
#include "credence/output.hpp"
#include "credence/report.hpp"
#include "invocation.hpp"
#include "large_data.hpp"
#include "options/dataset_options.hpp"
#include "options/option_helpers.hpp"
#include "options/seed_list.hpp"
#include "provenance.hpp"
#include "text/compare_text.hpp"
#include "text/output.hpp"
#include "text/page_words.hpp"
#include "text/progress.hpp"
#include "verbs.hpp"

namespace credence::cli {
namespace {

struct CompareCommandOptions {
  DatasetOptions data;
  DatasetOptions test;  ///< evaluation files of their own; of which only files matter
  std::vector<std::string> methods;
  std::string reference = "ts";
  std::string output;
  bool examples = false;
  bool report = false;
  std::string report_file;  ///< empty: report.html in the folder of the results
  std::size_t embed_examples = 0;
  Format format = Format::text;
  bool oracle = false;
  bool second_order = false;
  bool keep_predictions = false;
  bool final_fit = true;
  bool full = false;
  double share = 0.5;
  std::string seeds = "42";
  std::string calibration_rows;
  std::uint32_t folds = 5;
  int refits = 0;
  MetricOptions metrics;
  BootstrapOptions bootstrap;
  bool resamples_given = false;
  Gauge gauge = Gauge::log_probs;
  std::string memory;
  int threads = 0;
};

bool has_test(const CompareCommandOptions& options) {
  return has_scores(options.test) || has_annotations(options.test);
}

void check_options(const CompareCommandOptions& options) {
  if (!has_annotations(options.data)) {
    throw Error(ErrorCode::usage, "no annotations given to compare against",
                "name them with --votes FILE, or with --labels FILE when only majority labels are "
                "known");
  }
  if (options.share <= 0.0 || options.share >= 1.0) {
    throw Error(ErrorCode::usage, fmt::format("--share {} leaves one part empty", options.share),
                "choose a share between 0 and 1, for example 0.5");
  }
  if (options.embed_examples > 0 && !options.report) {
    throw Error(ErrorCode::usage,
                "--embed-examples puts examples into a report, and none is asked for",
                "add --report; for a file of all examples use --examples");
  }
  if (options.calibration_rows.empty()) return;
  const char* other = has_test(options)                 ? "--test-..."
                      : !options.data.rows.empty()      ? "--rows"
                      : !options.data.skip_rows.empty() ? "--skip-rows"
                                                        : nullptr;
  if (other != nullptr) {
    throw Error(ErrorCode::usage,
                fmt::format("--calibration-rows and {} contradict each other", other),
                "--calibration-rows already says which rows calibrate and which test");
  }
}

/// Everything about the test files that is not given for them is as for the others.
DatasetOptions test_files(const CompareCommandOptions& options) {
  DatasetOptions test = options.data;
  test.logits = options.test.logits;
  test.log_probs = options.test.log_probs;
  test.probs = options.test.probs;
  test.votes = options.test.votes;
  test.labels = options.test.labels;
  test.groups = options.test.groups;
  test.rows.clear();
  test.skip_rows.clear();
  if (!has_scores(test) || !has_annotations(test)) {
    throw Error(ErrorCode::usage, "test data need both scores and annotations",
                "give --test-logits (or --test-log-probs, --test-probs) and --test-votes (or "
                "--test-labels)");
  }
  return test;
}

report::ComparisonData load_data(const CompareCommandOptions& options) {
  if (!options.calibration_rows.empty()) {
    DatasetOptions listed = options.data;
    listed.rows = options.calibration_rows;
    const io::DatasetFiles files = dataset_files(listed);
    const Progress progress(fmt::format("reading {}", io::display_name(files.scores.path)));
    return report::load_by_calibration_rows(files, options.calibration_rows);
  }
  auto data = std::make_shared<const io::LoadedDataset>(load(options.data));
  return has_test(options) ? report::comparison_data(std::move(data), load(test_files(options)))
                           : report::comparison_data(std::move(data));
}

CompareOptions compare_options(const CompareCommandOptions& options) {
  CompareOptions result;
  result.methods = options.methods;
  result.reference = options.reference;
  result.calibration_share = options.share;
  result.seeds = read_seeds(options.seeds);
  result.folds = options.folds;
  result.oracle = options.oracle;
  result.keep_predictions = options.keep_predictions;
  result.second_order = options.second_order;
  result.final_fit = options.final_fit && !options.output.empty();
  result.refits = options.refits;
  result.gauge = options.gauge;
  result.metrics = options.metrics;
  result.bootstrap = options.bootstrap;
  result.threads = options.threads;
  return result;
}

report::ComparisonRun run(const CompareCommandOptions& options,
                          const report::ComparisonData& data) {
  Progress progress("comparing");
  CompareOptions work = compare_options(options);
  work.progress = [&progress](double share, const std::string& what) {
    progress.update(share, what);
    return true;
  };
  return report::run_comparison(data, work, provenance(options.data, *data.data));
}

/// The last lines: what was written, or how to have it written.
std::string where_it_is(const CompareCommandOptions& options, const report::ComparisonRun& run,
                        std::size_t rows, const std::optional<io::OutputFolder>& folder,
                        const report::Page& page) {
  std::string out = options.full ? "" : "--full shows every method and the reliability diagram. ";
  out += "Add -o DIR to keep the tables and the calibrator.\n";
  if (folder) {
    out = fmt::format("Written to {}: {}\n{}", printable(options.output),
                      fmt::join(folder->names(), ", "), calibrators_in_words(run, rows));
  }
  if (options.report) {
    const std::string path =
        options.report_file.empty() ? folder->path_of("report.html") : options.report_file;
    out += fmt::format("Report: {}\n", page_in_words(path, page));
  }
  return out;
}

/// A comparison and everything that is written of it.
struct Done {
  report::ComparisonRun run;
  report::Page page;
  std::vector<report::NamedText> files;
  std::string examples;
  std::size_t rows = 0;
};

Done compare_in_memory(const CompareCommandOptions& options) {
  const report::ComparisonData data = load_data(options);
  print_notes(data.data->join.notes);
  if (data.test != nullptr && options.calibration_rows.empty()) print_notes(data.test->join.notes);
  Done done;
  done.rows = data.data->data.rows();
  print_notes(cautions_before(compare_options(options).methods, done.rows,
                              data.data->data.classes_count()));
  done.run = run(options, data);
  if (options.report) {
    if (options.embed_examples > 0) {
      done.run.results.examples =
          report::thinned(report::example_records(done.run, data), options.embed_examples);
    }
    done.page = report::page(done.run.results);
  }
  if (options.examples) done.examples = report::examples_csv(done.run, data);
  if (!options.output.empty()) {
    done.files = report::comparison_files(done.run, data, score_file(options.data).kind);
  }
  return done;
}

/// Rows to split that do not fit: read again in every pass. Test rows of their own, and what is
/// asked for row by row, need all rows at once, and refuse where a limit was given.
bool reads_in_passes(const CompareCommandOptions& options) {
  const bool by_row = has_test(options) || !options.calibration_rows.empty() || options.examples ||
                      options.embed_examples > 0 || options.refits > 0;
  if (by_row && options.memory.empty()) return false;
  const io::DatasetFiles files = dataset_files(options.data);
  if (!needs_passes(files, options.memory, memory_of(options.memory), false)) return false;
  if (!by_row) return true;
  throw Error(
      ErrorCode::usage,
      "test data of their own, given calibration rows, examples and refits need all rows at "
      "once, and these data do not fit in the memory allowed",
      "allow more with --memory SIZE, or leave them out");
}

Done compare_in_passes(const CompareCommandOptions& options) {
  const io::DatasetFiles files = dataset_files(options.data);
  const std::size_t memory = memory_of(options.memory);
  print_notes({note_on_passes(files, memory, false)});
  const auto rows = open_rows(files, memory, false);
  print_notes(rows->join().notes);
  Progress progress("comparing");
  WatchedRows watched(*rows, progress, "comparing");
  CompareOptions work = compare_options(options);
  leave_out_intervals_unless(options.resamples_given, work.bootstrap);
  print_notes(cautions_before(work.methods, rows->facts().rows, rows->info().classes));
  work.progress = [&watched](double, const std::string& what) {
    watched.say(what);
    return true;
  };
  const report::ComparisonInPasses found = report::run_comparison(
      *rows, watched, memory, work,
      report::provenance_of(rows->join(), rows->facts().fingerprint, rows->facts().class_names,
                            files.scores.kind, invocation()));
  Done done;
  done.rows = rows->facts().rows;
  if (!options.output.empty()) {
    done.files = report::comparison_files(found, rows->facts(), files.scores.kind);
  }
  done.run = found.run;
  if (options.report) done.page = report::page(done.run.results);
  return done;
}

void run_compare(const CompareCommandOptions& options) {
  check_options(options);
  if (options.examples && options.output.empty()) {
    throw Error(ErrorCode::usage, "--examples needs a folder to write evaluation.csv to",
                "add -o DIR");
  }
  if (options.report && options.report_file.empty() && options.output.empty()) {
    throw Error(ErrorCode::usage, "--report needs a place for the page",
                "add -o DIR, or name the file: --report report.html");
  }
  if (!options.report_file.empty()) io::check_writable(options.report_file);
  read_seeds(options.seeds);
  std::optional<io::OutputFolder> folder;
  if (!options.output.empty()) folder.emplace(options.output);
  const Done done =
      reads_in_passes(options) ? compare_in_passes(options) : compare_in_memory(options);
  const report::ComparisonRun& found = done.run;
  io::OutputFiles page_file;
  if (!options.report_file.empty()) page_file.add(options.report_file, done.page.html);
  if (folder) {
    if (options.report && options.report_file.empty()) folder->add("report.html", done.page.html);
    if (options.examples) folder->add("evaluation.csv", done.examples);
    for (const auto& [name, text] : done.files) folder->add(name, text);
    for (const std::string& name : report::optional_comparison_files()) folder->replace(name);
  }
  switch (options.format) {
    case Format::json:
      print(report::results_json(found.results, options.threads));
      break;
    case Format::csv:
      print(report::results_csv(found.results));
      break;
    case Format::markdown:
      print(report::table_markdown(found.results));
      break;
    case Format::text:
      print(fitted_text(found, options.full) +
            where_it_is(options, found, done.rows, folder, done.page));
  }
  folder ? publish(*folder, page_file) : publish(page_file);
}

}  // namespace

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
      "The method is chosen by cross-validation on the calibration rows alone; the test rows then\n"
      "say whether it clearly beats the model as it is. With -o the folder gets results.json,\n"
      "results.csv, table.md, table.tex and calibrator.json: what to use, fitted again on all "
      "rows\n"
      "(--final no: on the calibration rows alone).");
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
  add_switch(verb, Option::full, options->full, kResult);
  add_switch(verb, Option::oracle, options->oracle, kResult);
  add_switch(verb, Option::keep_predictions, options->keep_predictions, kResult);
  add_switch(verb, Option::second_order, options->second_order, kResult);
  const auto take_final = [options](const std::string& answer) {
    options->final_fit = answer != "no";
  };
  add_named(verb, Option::final_fit, take_final, kResult)->expected(0, 1);
  add_option(verb, Option::share, options->share, kSplit);
  add_option(verb, Option::seeds, options->seeds, kSplit);
  add_option(verb, Option::calibration_rows, options->calibration_rows, kSplit);
  test_options(verb, options->test);
  add_option(verb, Option::folds, options->folds, kSplit);
  const CLI::Option* resamples = bootstrap_options(verb, options->bootstrap, kSureness);
  add_option(verb, Option::refits, options->refits, kSureness);
  metric_options(verb, options->metrics);
  gauge_option(verb, options->gauge);
  add_option(verb, Option::memory, options->memory, kTuning);
  threads_option(verb, options->threads);
  return [options, report, resamples] {
    options->resamples_given = resamples->count() > 0;
    options->report = report->count() > 0;
    run_compare(*options);
  };
}

}  // namespace credence::cli
