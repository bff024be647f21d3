// `credence fit`: scores and votes in, a calibrator file out.
#include "credence/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "credence/aligned_calibrator.hpp"
#include "credence/auto_fit.hpp"
#include "credence/checkpoint.hpp"
#include "credence/files.hpp"
#include "credence/io.hpp"
#include "credence/second_order.hpp"
#include "credence/settings.hpp"
#include "large_data.hpp"
#include "options/dataset_options.hpp"
#include "options/option_helpers.hpp"
#include "panel.hpp"
#include "text/json_output.hpp"
#include "text/output.hpp"
#include "text/progress.hpp"
#include "text/table.hpp"
#include "text/terminal.hpp"
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
  std::string memory, checkpoint;
  std::optional<int> draws;
  std::optional<double> epsilon;
  std::optional<double> lambda, mu, tau, step_prior;
  std::optional<int> bins;
  bool second_order = false;
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
                                                      .tau = options.tau,
                                                      .bins = options.bins,
                                                      .step_prior = options.step_prior});
}

/// A calibrator, and what is known of the data behind it.
struct Fitted {
  Calibrator calibrator;
  io::DataFacts facts;
  io::JoinReport join;
};

FitOptions fit_options(const FitCommandOptions& options) {
  FitOptions how;
  how.gauge = options.gauge == "raw" ? Gauge::raw : Gauge::log_probs;
  how.seed = options.seed;
  how.threads = options.threads;
  how.chunk_rows = options.chunk_rows;
  how.max_passes = options.max_passes;
  return how;
}

Calibrator fit_with_progress(const MethodSpec& method, const Dataset& data,
                             const FitCommandOptions& options) {
  Progress progress(fmt::format("fitting {}", method.name));
  FitOptions how = fit_options(options);
  if (method.automatic != Automatic::no) {
    return fit_auto(method, data, how,
                    [&progress](double share) {
                      progress.update(fmt::format("{:.0f} %", 100.0 * share));
                      return true;
                    })
        .calibrator;
  }
  how.progress = [&progress](const FitProgress& state) {
    progress.update(fmt::format("pass {}  loss {:.7f}  gradient {:.0e}", state.pass, state.loss,
                                state.gradient_norm));
    return true;
  };
  return fit(method, data, how);
}

/// Pass by pass, with the state of the fit on disk after each where that is wanted.
Calibrator fit_in_passes(const MethodSpec& method, RowSource& rows, const std::string& fingerprint,
                         const FitCommandOptions& options) {
  const std::string what = fmt::format("fitting {}", method.name);
  Progress progress(what);
  WatchedRows watched(rows, progress, what);
  const FitOptions how = fit_options(options);
  if (options.checkpoint.empty() && method.automatic != Automatic::no) {
    SourceWorker worker(watched, how.threads);
    return fit_auto(method, worker, how).calibrator;
  }
  if (options.checkpoint.empty()) return fit({&method, 1}, watched, how).front();

  io::Checkpoint checkpoint(options.checkpoint, fingerprint);
  Solver solver = checkpoint.open(method, rows.info(), how);
  if (checkpoint.passes() > 0) {
    print_notes({fmt::format("continued from {}, after {} pass{}", options.checkpoint,
                             checkpoint.passes(), checkpoint.passes() == 1 ? "" : "es")});
  }
  watched.continue_after(checkpoint.passes());
  Solver* const asked = &solver;
  while (pass({&asked, 1}, watched, how.threads)) checkpoint.save(solver);
  return solver.result();
}

void add_second_order(Calibrator& calibrator, RowSource& rows, const FitCommandOptions& options) {
  if (!options.second_order) return;
  const std::string what = "fitting the second order";
  Progress progress(what);
  WatchedRows watched(rows, progress, what);
  calibrator.second_order = fit_second_order(calibrator, watched, fit_options(options));
}

std::string line_as_text(std::string_view what, const LogLine& line, const FitReport& report) {
  return fmt::format("    {} = {:.4g} {} {:.4g} log D, {} after {} passes\n", what, line.intercept,
                     line.slope < 0.0 ? "-" : "+", std::abs(line.slope), in_words(report.stop),
                     report.passes);
}

std::string second_order_as_text(const SecondOrder& model) {
  return fmt::format(
             "  second order, {} examples with two votes or more: {:.4f} nats per example for all "
             "its votes ({:.4f} if the predictions were certain); two annotators disagree in "
             "{:.2f} % of pairs\n",
             grouped(model.rows), model.dm_nll, model.multinomial_nll,
             100.0 * model.observed_disagreement) +
         line_as_text("log concentration", model.concentration, model.concentration_report) +
         line_as_text("log odds of disagreement", model.disagreement, model.disagreement_report);
}

Json line_as_json(const LogLine& line, const FitReport& report) {
  return {{"intercept", line.intercept},
          {"slope", line.slope},
          {"stop", in_words(report.stop)},
          {"passes", report.passes},
          {"gradient_norm", report.gradient_norm}};
}

Json second_order_as_json(const std::optional<SecondOrder>& model) {
  if (!model) return nullptr;
  return {{"concentration", line_as_json(model->concentration, model->concentration_report)},
          {"disagreement", line_as_json(model->disagreement, model->disagreement_report)},
          {"rows", model->rows},
          {"dm_nll", model->dm_nll},
          {"multinomial_nll", model->multinomial_nll},
          {"observed_disagreement", model->observed_disagreement}};
}

/// T of a stage that is a single temperature.
std::optional<double> temperature_of(const Stage& stage) {
  if (!std::holds_alternative<Temperature>(stage.map) || stage.theta.size() != 1) return {};
  return 1.0 / stage.theta[0];
}

std::string stage_as_text(const Stage& stage) {
  std::string out =
      fmt::format("  {} map fitted to {}: ", map_name(stage.map), target_name(stage.target));
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
  return out + "\n";
}

/// What `auto` is made of, and how sure it is.
std::string selection_as_text(const Selection& selection) {
  constexpr double kInterval = 1.96;  // standard errors on each side of a 95 % interval
  std::string out;
  if (selection.folds > 0) {
    TextTable table({"candidate", "parameters", "held-out nll", "behind the best", "weight"},
                    "lrrrr");
    for (const CandidateReport& one : selection.candidates) {
      table.row(
          {one.method, grouped(one.parameters),
           one.nll ? fmt::format("{:.4f} ± {:.4f}", *one.nll, kInterval * one.standard_error) : "-",
           one.nll ? fmt::format("{:.4f} ± {:.4f}", one.behind, kInterval * one.behind_error) : "-",
           one.weight > 0.0 ? fmt::format("{:.3f}", one.weight) : "-"});
    }
    out += table.text("  ");
  }
  if (selection.nll) {
    out += fmt::format(
        "  held-out nll {:.4f} ± {:.4f}, {:.4f} ± {:.4f} below {}; the probability that it is "
        "worse is {:.2g}\n",
        *selection.nll, kInterval * selection.standard_error, selection.gain,
        kInterval * selection.gain_error, selection.baseline, selection.harm);
  }
  for (const CandidateReport& one : selection.candidates) {
    if (!one.problem.empty()) out += fmt::format("  {}: {}\n", one.method, one.problem);
  }
  for (const std::string& note : selection.notes) out += fmt::format("  {}\n", note);
  return out;
}

Json selection_as_json(const Selection& selection) {
  Json candidates = Json::array();
  for (const CandidateReport& one : selection.candidates) {
    candidates.push_back({{"method", one.method},
                          {"parameters", one.parameters},
                          {"nll", optional_json(one.nll)},
                          {"standard_error", one.standard_error},
                          {"behind", one.behind},
                          {"behind_standard_error", one.behind_error},
                          {"weight", one.weight},
                          {"problem", one.problem}});
  }
  return {{"folds", selection.folds},
          {"nll", optional_json(selection.nll)},
          {"standard_error", selection.standard_error},
          {"baseline", selection.baseline},
          {"gain", selection.gain},
          {"gain_standard_error", selection.gain_error},
          {"harm_probability", selection.harm},
          {"notes", selection.notes},
          {"candidates", candidates}};
}

std::string as_text(const Fitted& fitted, const std::string& output) {
  const Calibrator& calibrator = fitted.calibrator;
  const io::DataFacts& facts = fitted.facts;
  std::string out = fmt::format("{}: {} examples, {} classes", calibrator.method,
                                grouped(facts.rows), calibrator.class_count);
  if (facts.evidence != Evidence::none) {
    out += fmt::format(", {} ({:.4g} votes per example)", to_string(facts.evidence),
                       facts.votes_per_example);
  }
  out += "\n";
  if (calibrator.is_pool()) {
    out += fmt::format("  the mean of {} maps, weighted\n", calibrator.members.size());
  } else {
    for (const Stage& stage : calibrator.stages) out += stage_as_text(stage);
  }
  if (calibrator.selection) out += selection_as_text(*calibrator.selection);
  if (calibrator.second_order) out += second_order_as_text(*calibrator.second_order);
  return out +
         fmt::format("  written to {}\n", output == "-" ? "standard output" : printable(output));
}

std::string as_json(const Fitted& fitted, const io::CalibratorInfo& info,
                    const std::string& output) {
  const Calibrator& calibrator = fitted.calibrator;
  Json stages = Json::array();
  for (const Stage* each : calibrator.all_stages()) {
    const Stage& stage = *each;
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
                  {"selection",
                   calibrator.selection ? selection_as_json(*calibrator.selection) : Json(nullptr)},
                  {"second_order", second_order_as_json(calibrator.second_order)},
                  {"joined_by", fitted.join.joined_by},
                  {"classes_matched", fitted.join.classes_matched},
                  {"notes", render(fitted.join.notes, Speech::command_line)},
                  {"output", output}});
}

void require_annotations(const MethodSpec& method, const DatasetOptions& data) {
  if (has_annotations(data) || method.needs() == Evidence::none) return;
  throw Error(
      ErrorCode::usage,
      fmt::format("method '{}' learns from annotations and none were given", method.name),
      "name them with --votes FILE, or with --labels FILE when only majority labels are known");
}

/// The one answer that grows with the rows: two numbers for each.
void refuse_isotonic_beyond(std::size_t memory, const MethodSpec& method, std::size_t rows) {
  const bool isotonic = std::ranges::any_of(method.stages, [](const MethodSpec::StageSpec& stage) {
    return std::holds_alternative<TopLabelIsotonic>(stage.map);
  });
  const double bytes = 2.0 * sizeof(double) * static_cast<double>(rows);
  // Listed, then sorted.
  if (!isotonic || 2.0 * bytes <= static_cast<double>(memory)) return;
  throw Error(ErrorCode::usage,
              fmt::format("isotonic steps are fitted to 2 numbers for each of {} rows, {:.1f} GB "
                          "and as much again to sort them: more than --memory allows",
                          grouped(rows), 1e-9 * bytes),
              "allow more, fit a part of the rows, or choose another map, such as histogram");
}

Fitted fit_files_in_passes(const MethodSpec& method, const io::DatasetFiles& files,
                           std::size_t memory, const FitCommandOptions& options) {
  print_notes({note_on_passes(files, memory, false)});
  const auto rows = open_rows(files, memory, false);
  require_evidence(method, rows->facts().evidence,
                   files.votes.empty() ? files.labels : files.votes);
  refuse_isotonic_beyond(memory, method, rows->facts().rows);
  print_notes(rows->join().notes);
  print_notes(cautions_before(method, rows->facts().rows, rows->info().classes));
  Calibrator calibrator = fit_in_passes(method, *rows, rows->facts().fingerprint, options);
  add_second_order(calibrator, *rows, options);
  return {std::move(calibrator), rows->facts(), rows->join()};
}

Fitted fit_files_in_memory(const MethodSpec& method, const FitCommandOptions& options) {
  io::LoadedDataset loaded =
      load(options.data,
           {.trace = true, .first_look = wants_first_look(method), .threads = options.threads});
  require_evidence(method, loaded.data,
                   options.data.votes.empty() ? options.data.labels : options.data.votes);
  print_notes(loaded.join.notes);
  print_notes(cautions_before(method, loaded.data.rows(), loaded.data.classes_count()));
  Fitted fitted;
  fitted.facts = io::full_facts_of(loaded);
  fitted.join = std::move(loaded.join);
  DatasetRows rows(loaded.data);
  if (options.checkpoint.empty()) {
    fitted.calibrator = fit_with_progress(method, loaded.data, options);
  } else {
    fitted.calibrator = fit_in_passes(method, rows, fitted.facts.fingerprint, options);
  }
  add_second_order(fitted.calibrator, rows, options);
  return fitted;
}

void run_fit(const FitCommandOptions& options) {
  const MethodSpec method = method_of(options);
  if (options.output.empty()) {
    throw Error(ErrorCode::usage, "no output given: where should the calibrator go?",
                "-o model.json writes a file, -o - writes to standard output");
  }
  require_annotations(method, options.data);
  if (options.output == options.checkpoint || options.checkpoint == "-") {
    throw Error(ErrorCode::usage, "the checkpoint needs a file of its own",
                "name one, such as --checkpoint fit.state");
  }
  for (const std::string* output : {&options.output, &options.checkpoint}) {
    check_output(*output, options.data);
    if (!output->empty() && *output != "-") io::check_writable(*output);
  }

  // Other methods read one model; what is read below then says so.
  if (names_several_models(options.data) && method.automatic == Automatic::pool) {
    if (!options.checkpoint.empty() || !options.memory.empty()) {
      throw Error(ErrorCode::usage, "several models are fitted in memory",
                  "leave out --memory and --checkpoint, or fit each model alone");
    }
    if (options.second_order) {
      throw Error(ErrorCode::usage, "a calibrator of several models does not say how sure it is",
                  "leave out --second-order, or fit one model");
    }
    return fit_several(method, options.data, fit_options(options), options.output, options.format);
  }
  const std::size_t memory = memory_of(options.memory);
  const io::DatasetFiles files = dataset_files(options.data);
  const Fitted fitted = needs_passes(files, options.memory, memory, false)
                            ? fit_files_in_passes(method, files, memory, options)
                            : fit_files_in_memory(method, options);
  std::vector<std::string> notes;
  for (const Stage* stage : fitted.calibrator.all_stages()) {
    notes.insert(notes.end(), stage->report.notes.begin(), stage->report.notes.end());
  }
  print_notes(notes);

  const io::CalibratorInfo info =
      io::calibrator_info(fitted.facts, files.scores.kind, options.seed);
  io::OutputFiles output;
  output.add(options.output, io::calibrator_to_json(fitted.calibrator, info));

  const std::string summary = options.format == Format::json ? as_json(fitted, info, options.output)
                                                             : as_text(fitted, options.output);
  if (options.output == "-") {
    std::fputs(summary.c_str(), stderr);
  } else {
    print(summary);
  }
  publish(output);
  // Only now: what ends the program before leaves the fit where it can be taken up.
  if (!options.checkpoint.empty()) io::Checkpoint(options.checkpoint, {}).remove();
}

}  // namespace

Action declare_fit(CLI::App& verb) {
  verb.description("Fit a calibrator to scores and annotations");
  verb.footer(
      "Examples:\n"
      "  credence fit --method auto --logits logits.npy --votes votes.csv -o model.json\n"
      "  credence fit --method auto --logits a.npy --logits b.npy --votes votes.csv -o model.json\n"
      "  credence fit --method slts --logits logits.npy --votes votes.csv -o model.json\n"
      "  credence fit --method 'dirichlet-soft then ts' --probs probs.csv --votes votes.csv "
      "-o model.json\n"
      "  credence fit --method ls-ts --logits logits.npy --labels labels.csv -o - > model.json\n"
      "The file depends on the data and the method alone, not on --threads, --chunk-rows or "
      "--memory.");
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
  add_option(verb, Option::tau, options->tau, kTuning);
  add_option(verb, Option::step_prior, options->step_prior, kTuning);
  add_option(verb, Option::histogram_bins, options->bins, kTuning);
  add_switch(verb, Option::second_order, options->second_order, kResult);
  add_option(verb, Option::max_passes, options->max_passes, kTuning);
  threads_option(verb, options->threads);
  add_option(verb, Option::chunk_rows, options->chunk_rows, kTuning);
  add_option(verb, Option::memory, options->memory, kTuning);
  add_option(verb, Option::checkpoint, options->checkpoint, kTuning);
  return [options] { run_fit(*options); };
}

}  // namespace credence::cli
