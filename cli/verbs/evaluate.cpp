// `credence evaluate`: the metrics of a calibrator, or of anybody's file of probabilities.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "credence/aligned_calibrator.hpp"
#include "credence/evaluation_report.hpp"
#include "help/help_format.hpp"
#include "large_data.hpp"
#include "options/dataset_options.hpp"
#include "options/option_helpers.hpp"
#include "panel.hpp"
#include "text/json_output.hpp"
#include "text/metric_words.hpp"
#include "text/output.hpp"
#include "text/progress.hpp"
#include "text/subgroup_text.hpp"
#include "text/table.hpp"
#include "text/terminal.hpp"
#include "verbs.hpp"

namespace credence::cli {
namespace {

struct EvaluateOptions {
  std::string model;  ///< empty: score the file as it is
  DatasetOptions data;
  Format format = Format::text;
  MetricOptions metrics;
  BootstrapOptions bootstrap;
  bool resamples_given = false;
  bool reliability = false;
  bool ece_only = false;
  std::string figure;  ///< of the subgroups
  int threads = 0;
  std::string memory;
};

using EvaluateResult = report::EvaluationResult;

/// Why a metric has no value.
std::string missing_reason(const EvaluateResult& result, const EvaluateOptions& options,
                           const Metric& metric) {
  if (metric.monte_carlo && options.metrics.draws == 0) return "no draws were asked for";
  const std::size_t infinite = result.evaluation.infinite_nll_rows;
  const bool logarithmic = metric.name == "nll" || metric.name == "kl" || metric.name == "dm_nll";
  if (logarithmic && infinite > 0) {
    return fmt::format("infinite: {} examples have probability 0 for a class somebody chose",
                       grouped(infinite));
  }
  const bool sorts = metric.name.starts_with("aece_") || metric.name == "smooth_ece";
  if (sorts && !result.evaluation.protocol.list_rows) {
    return "sorts all rows, for which --memory is too small";
  }
  if (result.facts.evidence == Evidence::voted)
    return "majority labels do not tell how annotators differ";
  if (result.facts.are_shares) return "shares do not tell how many annotators there were";
  if ((metric.name == "dm_nll" || metric.name == "predicted_disagreement") &&
      result.evaluation.repeated_rows > 0) {
    return "needs a calibrator fitted with --second-order";
  }
  return "needs examples with two or more counted votes";
}

std::string interval_heading(const EvaluateOptions& options) {
  return fmt::format("{:g} % interval", 100.0 * options.bootstrap.level);
}

TextTable rows_for_people(const EvaluateResult& result, const EvaluateOptions& options) {
  TextTable table({"metric", "value", interval_heading(options), "better", "meaning"}, "lrlll");
  for (std::size_t i = 0; i < result.evaluation.metrics.size(); ++i) {
    const MetricValue& metric = result.evaluation.metrics[i];
    const Metric& known = catalogued(metric.name);
    const Estimate* estimate = report::estimate_of(result, i);
    std::string value = "-", interval = "-", meaning(known.meaning);
    if (metric.value) {
      value = fmt::format("{:.6f}", *metric.value);
    } else {
      const std::string reason = missing_reason(result, options, known);
      if (reason.starts_with("infinite")) value = "infinite";
      meaning = fmt::format("({}) {}", reason, meaning);
    }
    // A binned error does not come down to 0: the number is read beside what chance makes of it.
    if (metric.name == "ece_expected") {
      meaning += fmt::format("; never 0: a perfectly calibrated model would show about {:.6f} here",
                             result.evaluation.ece_by_chance);
    }
    if (estimate) interval = fmt::format("{:.6f} to {:.6f}", *estimate->low, *estimate->high);
    table.row(
        {std::string(metric.name), value, interval, std::string(better(known.better)), meaning});
  }
  return table;
}

TextTable rows_for_programs(const EvaluateResult& result) {
  TextTable table({"metric", "value", "standard_error", "low", "high", "monte_carlo_error",
                   "better", "meaning"},
                  "lrrrrrll");
  const auto number = [](const std::optional<double>& value) {
    return value ? exact_number(*value) : std::string();
  };
  for (std::size_t i = 0; i < result.evaluation.metrics.size(); ++i) {
    const MetricValue& metric = result.evaluation.metrics[i];
    const Metric& known = catalogued(metric.name);
    const Estimate none{};
    const Estimate* estimate = report::estimate_of(result, i);
    const Estimate& interval = estimate ? *estimate : none;
    table.row({std::string(metric.name), number(metric.value), number(interval.standard_error),
               number(interval.low), number(interval.high), number(metric.monte_carlo_error),
               std::string(better(known.better)), std::string(known.meaning)});
  }
  return table;
}

TextTable reliability_rows(const Evaluation& evaluation, bool for_people) {
  TextTable table({"confidence", "examples", "mean confidence", "annotators agree", "voted agree"},
                  "lrrrr");
  const std::size_t bins = evaluation.reliability.size();
  for (std::size_t b = 0; b < bins; ++b) {
    const ReliabilityBin& bin = evaluation.reliability[b];
    const auto number = [&](double value) {
      if (bin.count == 0) return std::string(for_people ? "-" : "");
      return for_people ? fmt::format("{:.4f}", value) : exact_number(value);
    };
    const double width = static_cast<double>(bins);
    table.row({fmt::format("{}{:.3f}, {:.3f}]", b == 0 ? "[" : "(", static_cast<double>(b) / width,
                           static_cast<double>(b + 1) / width),
               std::to_string(bin.count), number(bin.confidence), number(bin.agreement),
               number(bin.accuracy)});
  }
  return table;
}

TextTable disagreement_rows(const Evaluation& evaluation) {
  TextTable table({"examples", "predicted", "observed", "standard error"}, "rrrr");
  for (const DisagreementBin& bin : evaluation.disagreement_bins) {
    table.row({grouped(bin.count), fmt::format("{:.4f}", bin.predicted),
               fmt::format("{:.4f}", bin.observed),
               bin.count > 1 ? fmt::format("{:.4f}", bin.standard_error) : "-"});
  }
  return table;
}

std::string how_intervals(const EvaluateResult& result) {
  if (!result.intervals) return {};
  const BootstrapOptions& how = result.intervals->protocol;
  return fmt::format("\nIntervals: {} bootstrap over {} {}{}, {} resamples, seed {}.\n",
                     how.kind == IntervalKind::percentile ? "percentile" : "studentised",
                     grouped(result.intervals->units),
                     result.facts.groups == 0 ? "examples" : "groups",
                     how.annotators ? " and their annotators" : "",
                     grouped(static_cast<std::size_t>(how.resamples)), how.seed);
}

std::string as_text(const EvaluateResult& result, const EvaluateOptions& options) {
  const Paint paint(stdout);
  std::string out = fmt::format(
      "{}\n{} examples, {} classes, {} ({:.4g} votes per example), {} bins\n\n{}{}",
      paint.bold(printable(result.subject.method)), grouped(result.evaluation.rows),
      result.evaluation.classes, to_string(result.facts.evidence), result.facts.votes_per_example,
      options.metrics.bins, rows_for_people(result, options).text("  "), how_intervals(result));
  if (result.subgroups) out += subgroups_text(*result.subgroups, paint);
  if (!result.evaluation.disagreement_bins.empty()) {
    out += fmt::format("\n{}\n{}", paint.bold("Two annotators disagree"),
                       disagreement_rows(result.evaluation).text("  "));
  }
  if (options.reliability) {
    out += fmt::format("\n{}\n{}", paint.bold("Reliability"),
                       reliability_rows(result.evaluation, true).text("  "));
  }
  return out;
}

std::string as_csv(const EvaluateResult& result, const EvaluateOptions& options) {
  return options.reliability ? reliability_rows(result.evaluation, false).csv()
                             : rows_for_programs(result).csv();
}

EvaluateResult score_in_passes(const io::DatasetFiles& files, std::size_t memory, bool as_stored,
                               std::optional<io::LoadedCalibrator> model,
                               const EvaluateOptions& options, report::EvaluationOptions how) {
  print_notes({note_on_passes(files, memory, as_stored)});
  leave_out_intervals_unless(options.resamples_given, how.bootstrap);
  const auto rows = open_rows(files, memory, as_stored, true);
  Progress progress("scoring");
  const RowRate rate;
  how.rows_done = [&](std::size_t done) {
    progress.update(fmt::format("scoring: {}", rate.text(done, rows->facts().rows)));
    return true;
  };
  return report::evaluate(*rows, files.scores.kind, std::move(model), options.model,
                          files.scores.path, memory, how);
}

EvaluateResult score(const EvaluateOptions& options) {
  if (!has_annotations(options.data)) {
    throw Error(ErrorCode::usage, "no annotations given to score against",
                "name them with --votes FILE, or with --labels FILE when only majority labels are "
                "known");
  }
  report::EvaluationOptions how{
      .metrics = options.metrics, .bootstrap = options.bootstrap, .threads = options.threads};
  std::optional<io::LoadedCalibrator> model;
  if (!options.model.empty()) {
    io::AnyCalibrator any = io::load_any_calibrator(options.model);
    check_models(any, options.data, io::display_name(options.model));
    if (const auto* panel = std::get_if<io::LoadedPanel>(&any)) {
      return evaluate_several(*panel, options.data, io::display_name(options.model), how);
    }
    model = std::get<io::LoadedCalibrator>(std::move(any));
  }
  const io::ScoreFile file = score_file(options.data);
  const bool as_stored = !model && file.kind == ScoreKind::probs;
  const std::size_t memory = memory_of(options.memory);
  if (const auto files = dataset_files(options.data);
      needs_passes(files, options.memory, memory, as_stored)) {
    return score_in_passes(files, memory, as_stored, std::move(model), options, how);
  }
  io::LoadedDataset loaded = load(options.data, {.keep_probabilities = as_stored});
  Progress progress("scoring");
  how.progress = [&progress](double done) {
    progress.update(fmt::format("resampling, {:.0f} %", 100.0 * done));
    return true;
  };
  return report::evaluate(std::move(loaded), file.kind, std::move(model), options.model, file.path,
                          how);
}

/// Empty where the files have to be read row by row after all.
std::optional<TopErrors> straight_from_files(const EvaluateOptions& options) {
  if (!has_annotations(options.data) || names_several_models(options.data)) return std::nullopt;
  std::optional<io::LoadedCalibrator> model;
  if (!options.model.empty()) model = io::load_calibrator(options.model);
  MetricOptions how = options.metrics;
  how.threads = options.threads;
  return report::top_errors(dataset_files(options.data), model ? &model->calibrator : nullptr, how);
}

TopErrors errors_alone(EvaluateOptions options) {
  if (const auto found = straight_from_files(options)) return *found;
  options.bootstrap.resamples = 0;
  options.resamples_given = true;
  const Evaluation all = score(options).evaluation;
  return {.ece_voted = *all["ece_voted"],
          .ece_expected = *all["ece_expected"],
          .ece_true = all["ece_true"],
          .ece_true_error = all.monte_carlo_error("ece_true")};
}

void print_errors(const TopErrors& errors, Format format) {
  const std::vector<std::pair<std::string, std::optional<double>>> named = {
      {"ece_voted", errors.ece_voted},
      {"ece_expected", errors.ece_expected},
      {"ece_true", errors.ece_true}};
  if (format == Format::json) {
    Json metrics = Json::object();
    for (const auto& [name, value] : named) metrics[name] = optional_json(value);
    return print(to_text(Json{{"metrics", metrics}}));
  }
  TextTable table({"metric", "value", "meaning"}, "lrl");
  for (const auto& [name, value] : named) {
    const bool text = format == Format::text;
    std::string shown = text ? "-" : "";
    if (value) shown = text ? fmt::format("{:.6f}", *value) : exact_number(*value);
    table.row({name, shown, std::string(catalogued(name).meaning)});
  }
  print(format == Format::csv ? table.csv() : table.text("  "));
}

void refuse_beside_ece_only(const EvaluateOptions& options) {
  const char* const other = options.reliability        ? "--reliability"
                            : !options.data.by.empty() ? "--by"
                                                       : nullptr;
  if (other == nullptr) return;
  throw Error(ErrorCode::usage,
              fmt::format("--ece-only computes three numbers, and {} asks for more", other),
              "leave out one of the two");
}

void run_evaluate(const EvaluateOptions& options) {
  if (options.ece_only) {
    refuse_beside_ece_only(options);
    return print_errors(errors_alone(options), options.format);
  }
  if (!options.figure.empty()) {
    if (options.data.by.empty()) {
      throw Error(ErrorCode::usage, "--figure draws subgroups, and none are named",
                  "name them with --by FILE");
    }
    if (!options.figure.ends_with(".svg")) {
      throw Error(ErrorCode::usage, fmt::format("--figure {} does not end in .svg", options.figure),
                  "the figure is SVG; rsvg-convert makes PNG and PDF of it");
    }
    io::check_writable(options.figure);
  }
  const EvaluateResult result = score(options);
  print_notes(report::cautions(result));
  if (!options.figure.empty()) io::write_text(options.figure, report::subgroups_figure(result));
  switch (options.format) {
    case Format::json:
      return print(report::evaluation_json(result));
    case Format::csv:
      return print(as_csv(result, options));
    default:
      return print(as_text(result, options));
  }
}

}  // namespace

Action declare_evaluate(CLI::App& verb) {
  verb.description("Score a calibrator, or anybody's probabilities, against annotations");
  verb.footer(
      "Examples:\n"
      "  credence evaluate model.json --logits test.npy --votes test-votes.csv\n"
      "  credence evaluate --probs theirs.csv --votes test-votes.csv --reliability\n"
      "  credence evaluate --logits test.npy --votes test-votes.csv --format json   uncalibrated\n"
      "  credence evaluate model.json --logits test.npy --votes test-votes.csv --by hospital.csv\n"
      "Choose between calibrators by nll, not by ece: ece can be small for useless confidences.");
  const auto options = std::make_shared<EvaluateOptions>();
  verb.add_option(
          "calibrator", options->model,
          "calibrator written by 'credence fit'; without it the scores are judged as they are")
      ->group(kMayBeLeftOut)
      ->type_name("FILE");
  format_option(verb, options->format, {"text", "json", "csv"});
  add_switch(verb, Option::reliability, options->reliability, kResult);
  add_switch(verb, Option::ece_only, options->ece_only, kResult);
  add_option(verb, Option::by, options->data.by, kResult);
  add_option(verb, Option::subgroup_figure, options->figure, kResult);
  dataset_options(verb, options->data);
  metric_options(verb, options->metrics);
  add_option(verb, Option::resample_seed, options->bootstrap.seed, kTuning);
  const CLI::Option* resamples = bootstrap_options(verb, options->bootstrap, "Intervals");
  threads_option(verb, options->threads);
  add_option(verb, Option::memory, options->memory, kTuning);
  return [options, resamples] {
    options->resamples_given = resamples->count() > 0;
    check_standard_input(options->data, options->model);
    run_evaluate(*options);
  };
}

}  // namespace credence::cli
