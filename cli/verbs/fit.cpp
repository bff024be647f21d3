// `credence fit`: scores and votes in, a calibrator file out.
#include "credence/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "credence/aligned_calibrator.hpp"
#include "credence/files.hpp"
#include "credence/io.hpp"
#include "credence/settings.hpp"
#include "dataset_options.hpp"
#include "json_output.hpp"
#include "option_helpers.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace credence::cli {
namespace {

struct FitCommandOptions {
  DatasetOptions data;
  std::string method;
  std::string output;
  Format format = Format::text;
  std::string gauge = "log-probs";
  std::uint64_t seed = 42;
  int threads = 0;
  std::size_t chunk_rows = 0;
  int max_passes = 500;
  std::optional<int> draws;
  std::optional<double> epsilon;
  std::optional<double> lambda, mu;
  std::optional<int> bins;
};

MethodSpec method_of(const FitCommandOptions& options) {
  if (options.method.empty()) {
    throw Error(
        ErrorCode::usage, "no method given",
        "choose one with --method, for example --method slts; 'credence methods' lists all");
  }
  return with_settings(parse_method(options.method), {.draws = options.draws,
                                                      .epsilon = options.epsilon,
                                                      .lambda = options.lambda,
                                                      .mu = options.mu,
                                                      .bins = options.bins});
}

Calibrator fit_with_progress(const MethodSpec& method, const Dataset& data,
                             const FitCommandOptions& options) {
  Progress progress(fmt::format("fitting {}", method.name));
  FitOptions fit_options;
  fit_options.gauge = options.gauge == "raw" ? Gauge::raw : Gauge::log_probs;
  fit_options.seed = options.seed;
  fit_options.threads = options.threads;
  fit_options.chunk_rows = options.chunk_rows;
  fit_options.max_passes = options.max_passes;
  fit_options.progress = [&progress](const FitProgress& state) {
    progress.update(fmt::format("pass {}  loss {:.7f}  gradient {:.0e}", state.pass, state.loss,
                                state.gradient_norm));
    return true;
  };
  return fit(method, data, fit_options);
}

/// T of a stage that is a single temperature.
std::optional<double> temperature_of(const Stage& stage) {
  if (!std::holds_alternative<Temperature>(stage.map) || stage.theta.size() != 1) return {};
  return 1.0 / stage.theta[0];
}

std::string as_text(const Calibrator& calibrator, const io::LoadedDataset& loaded,
                    const std::string& output) {
  const Dataset& data = loaded.data;
  std::string out = fmt::format("{}: {} examples, {} classes", calibrator.method,
                                grouped(data.rows()), calibrator.class_count);
  if (data.evidence() != Evidence::none) {
    out += fmt::format(", {} ({:.4g} votes per example)", to_string(data.evidence()),
                       io::mean_votes(data.votes));
  }
  out += "\n";
  for (const Stage& stage : calibrator.stages) {
    out += fmt::format("  {} map fitted to {}: ", map_name(stage.map), target_name(stage.target));
    if (const auto temperature = temperature_of(stage)) {
      out += fmt::format("T = {:.8g}", *temperature);
    } else {
      out += fmt::format("{} parameter{}", grouped(stage.theta.size()),
                         stage.theta.size() == 1 ? "" : "s");
    }
    out += "\n";
    const FitReport& report = stage.report;
    out += fmt::format("  {} after {} pass{}, loss {:.8g}", in_words(report.stop), report.passes,
                       report.passes == 1 ? "" : "es", report.loss);
    if (report.stop != Stop::direct) out += fmt::format(", gradient {:.1e}", report.gradient_norm);
    out += "\n";
  }
  return out +
         fmt::format("  written to {}\n", output == "-" ? "standard output" : printable(output));
}

std::string as_json(const Calibrator& calibrator, const io::LoadedDataset& loaded,
                    const io::CalibratorInfo& info, const std::string& output) {
  Json stages = Json::array();
  for (const Stage& stage : calibrator.stages) {
    stages.push_back({{"target", target_name(stage.target)},
                      {"map", map_name(stage.map)},
                      {"parameters", stage.theta.size()},
                      {"temperature", optional_json(temperature_of(stage))},
                      {"stop", in_words(stage.report.stop)},
                      {"passes", stage.report.passes},
                      {"loss", stage.report.loss},
                      {"gradient_norm", stage.report.gradient_norm},
                      {"notes", stage.report.notes}});
  }
  return to_text({{"method", calibrator.method},
                  {"rows", info.rows},
                  {"classes", calibrator.class_count},
                  {"class_names", calibrator.classes},
                  {"gauge", to_string(calibrator.gauge)},
                  {"score_kind", info.score_kind},
                  {"evidence", info.evidence},
                  {"votes_per_example", info.votes_per_example},
                  {"seed", info.seed},
                  {"fingerprint", info.fingerprint},
                  {"stages", stages},
                  {"joined_by", loaded.join.joined_by},
                  {"classes_matched", loaded.join.classes_matched},
                  {"notes", render(loaded.join.notes, Speech::command_line)},
                  {"output", output}});
}

void require_annotations(const MethodSpec& method, const DatasetOptions& data) {
  if (has_annotations(data) || method.needs() == Evidence::none) return;
  throw Error(
      ErrorCode::usage,
      fmt::format("method '{}' learns from annotations and none were given", method.name),
      "name them with --votes FILE, or with --labels FILE when only majority labels are known");
}

void run_fit(const FitCommandOptions& options) {
  const MethodSpec method = method_of(options);
  if (options.output.empty()) {
    throw Error(ErrorCode::usage, "no output given: where should the calibrator go?",
                "-o model.json writes a file, -o - writes to standard output");
  }
  require_annotations(method, options.data);
  check_output(options.output, options.data);
  if (options.output != "-") io::check_writable(options.output);

  const io::LoadedDataset loaded = load(options.data);
  require_evidence(method, loaded.data,
                   options.data.votes.empty() ? options.data.labels : options.data.votes);
  print_notes(loaded.join.notes);
  const Calibrator calibrator = fit_with_progress(method, loaded.data, options);
  for (const Stage& stage : calibrator.stages) print_notes(stage.report.notes);

  const io::CalibratorInfo info =
      io::calibrator_info(loaded.data, score_file(options.data).kind, options.seed);
  io::OutputFiles files;
  files.add(options.output, io::calibrator_to_json(calibrator, info));

  const std::string summary = options.format == Format::json
                                  ? as_json(calibrator, loaded, info, options.output)
                                  : as_text(calibrator, loaded, options.output);
  if (options.output == "-") {
    std::fputs(summary.c_str(), stderr);
  } else {
    print(summary);
  }
  publish(files);
}

}  // namespace

Action declare_fit(CLI::App& verb) {
  verb.description("Fit a calibrator to scores and annotations");
  verb.footer(
      "Examples:\n"
      "  credence fit --method slts --logits logits.npy --votes votes.csv -o model.json\n"
      "  credence fit --method 'dirichlet-soft then ts' --probs probs.csv --votes votes.csv "
      "-o model.json\n"
      "  credence fit --method ls-ts --logits logits.npy --labels labels.csv -o - > model.json\n"
      "The file depends on the data and the method alone, not on --threads or --chunk-rows.");
  const auto options = std::make_shared<FitCommandOptions>();
  add_option(verb, Option::method, options->method, kResult);
  add_option(verb, Option::calibrator_output, options->output, kResult);
  format_option(verb, options->format, {"text", "json"});
  dataset_options(verb, options->data);
  add_option(verb, Option::gauge, options->gauge, kTuning);
  add_option(verb, Option::fit_seed, options->seed, kTuning);
  add_option(verb, Option::target_draws, options->draws, kTuning);
  add_option(verb, Option::epsilon, options->epsilon, kTuning);
  add_option(verb, Option::lambda, options->lambda, kTuning);
  add_option(verb, Option::mu, options->mu, kTuning);
  add_option(verb, Option::histogram_bins, options->bins, kTuning);
  add_option(verb, Option::max_passes, options->max_passes, kTuning);
  threads_option(verb, options->threads);
  add_option(verb, Option::chunk_rows, options->chunk_rows, kTuning);
  return [options] { run_fit(*options); };
}

}  // namespace credence::cli
