// `credence compare`: the main job.
#include "credence/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "credence/comparison_run.hpp"
#include "credence/io.hpp"
#include "credence/output.hpp"
#include "credence/report.hpp"
#include "dataset_options.hpp"
#include "option_helpers.hpp"
#include "output.hpp"
#include "page_words.hpp"
#include "progress.hpp"
#include "provenance.hpp"
#include "seed_list.hpp"
#include "table.hpp"
#include "terminal.hpp"
#include "text_reliability.hpp"
#include "verbs.hpp"

namespace credence::cli {
namespace {

constexpr std::size_t kWideTable = 102;  // columns that the whole table takes
constexpr std::size_t kTopMethods = 5, kTopWords = 4, kTopWarnings = 2;  // on one screen

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
  Gauge gauge = Gauge::log_probs;
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

std::string value(const MethodResult& method, std::string_view metric, double scale, int digits) {
  const auto found = method.evaluation[metric];
  return found ? fmt::format("{:.{}f}", scale * *found, digits) : "infinite";
}

/// The best methods, and always what the answer speaks of: the recommended one, the candidate, the
/// model as it is and the reference.
std::vector<const MethodResult*> table_rows(const Comparison& comparison, bool full) {
  const SplitResult& split = comparison.splits.front();
  std::vector<const MethodResult*> rows;
  for (const MethodResult& method : split.methods) {
    const bool spoken_of = method.name == split.recommended || method.name == split.candidate ||
                           method.name == "uncalibrated" ||
                           method.name == split.references.front() || method.oracle;
    if (full || spoken_of || rows.size() < kTopMethods) rows.push_back(&method);
  }
  return rows;
}

/// Narrow terminals get the columns that decide; files and `full` have the others.
TextTable summary_table(const Comparison& comparison, bool full) {
  const bool wide = full || terminal_columns(stdout) >= kWideTable;
  TextTable table =
      wide ? TextTable({"", "method", "T", "nll", "ece_expected %", "ece_true %", "ece_voted %",
                        "brier_reader", "accuracy %"},
                       "llrrrrrrr")
           : TextTable({"", "method", "T", "nll", "ece_expected %", "accuracy %"}, "llrrrr");
  const SplitResult& split = comparison.splits.front();
  for (const MethodResult* method : table_rows(comparison, full)) {
    const double temperature = method->calibrator.temperature();
    std::vector<std::string> cells{
        method->name == split.recommended ? "->"
        : method->oracle                  ? "(*)"
                                          : "",
        method->name, temperature > 0.0 ? fmt::format("{:.3f}", temperature) : "-",
        value(*method, "nll", 1.0, 4), value(*method, "ece_expected", 100.0, 2)};
    if (wide) {
      cells.push_back(value(*method, "ece_true", 100.0, 2));
      cells.push_back(value(*method, "ece_voted", 100.0, 2));
      cells.push_back(value(*method, "brier_reader", 1.0, 4));
    }
    cells.push_back(value(*method, "accuracy", 100.0, 2));
    table.row(cells);
  }
  return table;
}

/// The table with the recommended line standing out.
std::string summary_text(const Comparison& comparison, bool full, const Paint& paint) {
  const std::string table = summary_table(comparison, full).text("  ");
  std::string out;
  for (std::size_t at = 0; at < table.size();) {
    const std::size_t end = table.find('\n', at);
    const std::string line = table.substr(at, end - at);
    out += (line.starts_with("  ->") ? paint.bold(line) : line) + "\n";
    at = end + 1;
  }
  return out;
}

TextTable spread_table(const Comparison& comparison, bool full) {
  TextTable table({"method", "chosen", "nll", "ece_expected %", "ece_true %", "brier_reader"},
                  "lrrrrr");
  const auto cell = [&](const MethodSpread& method, std::string_view metric, double scale,
                        int digits) {
    const auto found = std::ranges::find(method.metrics, metric, &Spread::metric);
    if (found == method.metrics.end()) return std::string("-");
    if (found->splits != comparison.splits.size()) {
      // A mean over the others would flatter it.
      return fmt::format("{} on {} of {}", metric == "nll" ? "infinite" : "none",
                         comparison.splits.size() - found->splits, comparison.splits.size());
    }
    return fmt::format("{:.{}f} ± {:.{}f}", scale * *found->mean, digits,
                       scale * found->deviation.value_or(0.0), digits);
  };
  const auto shown = table_rows(comparison, full);
  for (const MethodSpread& method : comparison.spread) {
    if (std::ranges::none_of(shown, [&](const auto* one) { return one->name == method.name; })) {
      continue;
    }
    table.row({method.name,
               fmt::format("{}/{}", method.times_recommended, comparison.splits.size()),
               cell(method, "nll", 1.0, 4), cell(method, "ece_expected", 100.0, 2),
               cell(method, "ece_true", 100.0, 2), cell(method, "brier_reader", 1.0, 4)});
  }
  return table;
}

/// The first are read on every screen; `full` has the others too.
std::string list_warnings(const std::vector<std::string>& warnings, std::size_t most,
                          const Paint& paint) {
  if (warnings.empty()) return {};
  const std::size_t shown = std::min(warnings.size(), most);
  std::string out = paint.bold("Read before you rely on it") + "\n";
  for (std::size_t i = 0; i < shown; ++i) out += "  - " + printable(warnings[i]) + "\n";
  if (shown < warnings.size()) {
    const std::size_t rest = warnings.size() - shown;
    const std::string_view what = shown > 0 ? "more" : rest == 1 ? "warning" : "warnings";
    out += fmt::format("  - {} {}: add --full\n", rest, what);
  }
  return out + "\n";
}

/// How much is printed: sentences of the answer, and warnings.
struct Amount {
  std::size_t words, warnings;
};

/// The headline, how sure it is and what decisions change come before how far confidence is off,
/// which the table shows too.
bool is_wanted(std::size_t word, std::size_t most) {
  constexpr std::array<std::size_t, 4> kRank{0, 1, 3, 2};
  return word < kRank.size() ? kRank[word] < most : word < most;
}

std::string as_text(const report::ComparisonRun& run, bool full, Amount amount) {
  const Comparison& comparison = run.comparison;
  const std::vector<std::string>& words = run.results.words;
  const Paint paint(stdout);
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_wanted(i, amount.words)) continue;
    const std::string line = printable(words[i]);
    out += (i == 0 ? paint.bold(line) : line) + "\n";
  }
  out += fmt::format("\n{}\n", summary_text(comparison, full, paint));
  if (comparison.protocol.oracle) {
    out += "(*) fitted on the test rows: a bound, not a candidate\n\n";
  }
  if (comparison.splits.size() > 1) {
    out += fmt::format("{}\n{}\n",
                       paint.bold(fmt::format("Over {} splits (mean ± standard deviation)",
                                              comparison.splits.size())),
                       spread_table(comparison, full).text("  "));
  }
  if (full) {
    const std::string diagram = text_reliability(comparison.splits.front(), paint);
    if (!diagram.empty()) {
      out += fmt::format("{}\n{}\n", paint.bold("Confidence and agreement"), diagram);
    }
  }
  return out + list_warnings(run.results.warnings, amount.warnings, paint);
}

std::size_t screen_lines(const std::string& text, std::size_t columns) {
  std::size_t lines = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines += std::max<std::size_t>(1, (end - at) / columns + ((end - at) % columns != 0 ? 1 : 0));
    at = end + 1;
  }
  return lines;
}

/// As much as fits the screen; everything that is usual where there is none.
std::string fitted_text(const report::ComparisonRun& run, bool full) {
  constexpr std::size_t kBelow = 4;  // what is said of files, and the next prompt
  const std::size_t all = std::numeric_limits<std::size_t>::max();
  if (full) return as_text(run, true, {all, all});
  std::string text;
  for (const Amount amount : {Amount{kTopWords, kTopWarnings}, Amount{3, 1}, Amount{3, 0}}) {
    text = as_text(run, false, amount);
    const std::size_t rows = terminal_rows(stdout);
    if (rows == all || screen_lines(text, terminal_columns(stdout)) + kBelow <= rows) break;
  }
  return text;
}

/// Which calibrator is which.
std::string calibrators_in_words(const report::ComparisonRun& run, std::size_t rows) {
  const SplitResult& first = run.comparison.splits.front();
  std::string out = first.recommended == "uncalibrated"
                        ? std::string("calibrator.json leaves your scores as they are")
                        : fmt::format("calibrator.json is {}", first.recommended);
  if (run.comparison.final_calibrators.empty()) {
    out += first.recommended == "uncalibrated" ? "" : ", fitted on the calibration rows";
  } else if (first.recommended != "uncalibrated") {
    out += fmt::format(
        ", fitted again on all {} rows; calibrator-as-scored.json is the one that was scored",
        grouped(rows));
  }
  if (first.candidate != first.recommended) {
    out += fmt::format("; candidate.json is {}", first.candidate);
  }
  return out + ".\n";
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
  const report::ComparisonData data = load_data(options);
  print_notes(data.data->join.notes);
  if (data.test != nullptr && options.calibration_rows.empty()) print_notes(data.test->join.notes);

  report::ComparisonRun found = run(options, data);
  report::Page page;
  if (options.report) {
    if (options.embed_examples > 0) {
      found.results.examples =
          report::thinned(report::example_records(found, data), options.embed_examples);
    }
    page = report::page(found.results);
  }
  io::OutputFiles page_file;
  if (!options.report_file.empty()) page_file.add(options.report_file, page.html);
  if (folder) {
    if (options.report && options.report_file.empty()) folder->add("report.html", page.html);
    if (options.examples) folder->add("evaluation.csv", report::examples_csv(found, data));
    const ScoreKind kind = score_file(options.data).kind;
    for (const auto& [name, text] : report::comparison_files(found, data, kind)) {
      folder->add(name, text);
    }
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
            where_it_is(options, found, data.data->data.rows(), folder, page));
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
  const auto take_final = [options](const std::string& answer) {
    options->final_fit = answer != "no";
  };
  add_named(verb, Option::final_fit, take_final, kResult)->expected(0, 1);
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
