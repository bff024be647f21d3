// `credence plan`: how many annotations are needed.
#include "credence/plan.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "credence/files.hpp"
#include "credence/io.hpp"
#include "credence/report.hpp"
#include "options/dataset_options.hpp"
#include "options/option_helpers.hpp"
#include "provenance.hpp"
#include "text/output.hpp"
#include "text/progress.hpp"
#include "text/table.hpp"
#include "text/terminal.hpp"
#include "verbs.hpp"

namespace credence::cli {
namespace {

struct PlanCommandOptions {
  DatasetOptions data;
  std::vector<std::size_t> examples;
  std::vector<int> votes_per_example;
  double level = 0.95;
  int bins = 15;
  std::string output;
  Format format = Format::text;
  int threads = 0;
};

std::string cell(std::optional<double> value, double scale, int digits) {
  return value ? fmt::format("{:.{}f}", scale * *value, digits) : "?";
}

TextTable grid_table(const Plan& plan, bool for_people) {
  TextTable table({"examples", "votes each", "annotations", "width of T", "width of nll",
                   "width of ece %", "ece shown %"},
                  "rrrrrrr");
  for (const PlannedWidth& one : plan.grid) {
    const auto text = [&](std::optional<double> value, double scale, int digits) {
      if (for_people) return cell(value, scale, digits);
      return value ? exact_number(scale * *value) : std::string();
    };
    table.row({for_people ? grouped(one.examples) : std::to_string(one.examples),
               std::to_string(one.votes),
               for_people ? grouped(one.examples * static_cast<std::size_t>(one.votes))
                          : std::to_string(one.examples * static_cast<std::size_t>(one.votes)),
               text(one.temperature, 1.0, 4), text(one.nll, 1.0, 4),
               text(one.ece_expected, 100.0, 2), text(one.ece_shown, 100.0, 2)});
  }
  return table;
}

std::string as_text(const Plan& plan) {
  const Paint paint(stdout);
  std::string out;
  for (std::size_t i = 0; i < plan.advice.size(); ++i) {
    const std::string line = printable(plan.advice[i]);
    out += (i == 0 ? paint.bold(line) : line) + "\n";
  }
  out += fmt::format(
      "\nPilot: {} examples, {:.4g} votes each; T = {:.4g}, nll {:.4f}, ece_expected {:.2f} % "
      "after "
      "a temperature fitted to the votes.\nPredicted width of {:.4g} % intervals, and what "
      "ece_expected would show, chance included:\n\n{}",
      grouped(plan.pilot_rows), plan.pilot_votes, plan.temperature, plan.nll,
      100.0 * plan.ece_expected, 100.0 * plan.protocol.level, grid_table(plan, true).text("  "));
  return out;
}

void run_plan(const PlanCommandOptions& options) {
  if (!has_annotations(options.data)) {
    throw Error(ErrorCode::usage, "no annotations given to plan from",
                "name the pilot's votes with --votes FILE");
  }
  const io::LoadedDataset loaded = load(options.data);
  print_notes(loaded.join.notes);
  PlanOptions work;
  work.examples = options.examples;
  if (!options.votes_per_example.empty()) work.votes = options.votes_per_example;
  work.level = options.level;
  work.bins = options.bins;
  work.threads = options.threads;
  const Plan result = plan(loaded.data, work);
  const std::string json = report::plan_json(result, provenance(options.data, loaded));
  io::OutputFiles file;
  if (!options.output.empty()) file.add(options.output, json);
  switch (options.format) {
    case Format::json:
      if (options.output != "-") print(json);
      break;
    case Format::csv:
      print(grid_table(result, false).csv());
      break;
    case Format::markdown:
      print(grid_table(result, true).markdown());
      break;
    case Format::text:
      if (options.output != "-") print(as_text(result));
  }
  publish(file);
}

}  // namespace

Action declare_plan(CLI::App& verb) {
  verb.description("Predict the uncertainty with other numbers of examples and votes");
  verb.footer(
      "Examples:\n"
      "  credence plan --logits pilot.npy --votes pilot-votes.csv\n"
      "  credence plan --logits pilot.npy --votes votes.csv --examples 500,2000 "
      "--votes-per-example 1,3\n"
      "The pilot needs two votes or more on a part of its examples to tell what votes add.");
  const auto options = std::make_shared<PlanCommandOptions>();
  dataset_options(verb, options->data);
  add_option(verb, Option::planned_examples, options->examples, kTuning);
  add_option(verb, Option::planned_votes, options->votes_per_example, kTuning);
  add_option(verb, Option::level, options->level, kTuning);
  add_option(verb, Option::bins, options->bins, kTuning);
  add_option(verb, Option::plan_output, options->output, kResult);
  format_option(verb, options->format, {"text", "json", "csv", "markdown"});
  threads_option(verb, options->threads);
  return [options] { run_plan(*options); };
}

}  // namespace credence::cli
