// `credence ablate`: what a calibrator needs, study by study.
#include "credence/ablate.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "credence/comparison_run.hpp"
#include "credence/io.hpp"
#include "credence/output.hpp"
#include "credence/report.hpp"
#include "invocation.hpp"
#include "options/dataset_options.hpp"
#include "options/option_helpers.hpp"
#include "options/seed_list.hpp"
#include "provenance.hpp"
#include "text/output.hpp"
#include "text/progress.hpp"
#include "text/terminal.hpp"
#include "verbs.hpp"

namespace credence::cli {
namespace {

struct AblateCommandOptions {
  DatasetOptions data;
  std::vector<std::string> studies;
  std::string seeds = "42..46";
  std::vector<double> shares;
  std::vector<int> votes_per_example, draws_settings;
  double share = 0.5;
  std::string output;
  Format format = Format::text;
  MetricOptions metrics;
  Gauge gauge = Gauge::log_probs;
  int threads = 0;
};

AblateOptions ablate_options(const AblateCommandOptions& options) {
  AblateOptions result;
  for (const std::string& name : options.studies) result.studies.push_back(read_study(name));
  result.seeds = read_seeds(options.seeds);
  if (!options.shares.empty()) result.shares = options.shares;
  result.votes = options.votes_per_example;
  if (!options.draws_settings.empty()) result.draws = options.draws_settings;
  result.calibration_share = options.share;
  result.gauge = options.gauge;
  result.metrics = options.metrics;
  result.threads = options.threads;
  return result;
}

/// Results depend on the data and on these words alone.
std::string journal_key(const report::Provenance& origin) {
  std::string key = "credence ablate journal 1: " + origin.program + " " + origin.fingerprint;
  for (const std::string& word : origin.command) key += " " + word;
  for (char& c : key) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return key;
}

void run_ablate(const AblateCommandOptions& options) {
  AblateOptions work = ablate_options(options);
  if (!has_annotations(options.data)) {
    throw Error(ErrorCode::usage, "no annotations given",
                "name them with --votes FILE, or with --labels FILE when only majority labels are "
                "known");
  }
  std::optional<io::OutputFolder> folder;
  if (!options.output.empty()) folder.emplace(options.output);
  const io::LoadedDataset loaded = load(options.data);
  print_notes(loaded.join.notes);
  const report::Provenance origin = provenance(options.data, loaded);
  ablation_tasks(loaded.data, work);

  std::optional<io::Journal> journal;
  if (folder) {
    const std::string path = folder->path_of("ablate.journal");
    journal.emplace(path, journal_key(origin));
    for (const std::string& line : journal->finished()) {
      work.finished.push_back(report::read_ablation_line(line, path));
    }
    if (journal->damaged() > 0) {
      print_note(fmt::format("{} lines of {} have no valid checksum; these settings are run again",
                             grouped(journal->damaged()), path));
    }
    if (!work.finished.empty()) {
      print_note(fmt::format("{} settings are done already ({}); going on",
                             grouped(work.finished.size()), path));
    }
    work.on_result = [&](const AblationResult& result) {
      journal->add(report::ablation_line(result));
    };
  }
  report::AblationRecord results;
  {
    Progress progress("ablating");
    work.progress = [&progress](double share, const std::string& what) {
      progress.update(share, what);
      return true;
    };
    results = report::run_ablation(loaded.data, work, origin);
  }
  const std::vector<report::NamedText> files = report::ablation_files(results);
  if (folder) {
    for (const auto& [name, text] : files) folder->add(name, text);
  }
  switch (options.format) {
    case Format::json:
      print(report::text_of(files, "results.json"));
      break;
    case Format::csv:
      print(report::text_of(files, "results.csv"));
      break;
    default:
      print(report::text_of(files, "table.md"));
      if (folder) {
        print(fmt::format("\nWritten to {}: {}\n", printable(options.output),
                          fmt::join(folder->names(), ", ")));
      }
  }
  if (folder) {
    publish(*folder);
    journal->remove();
  }
}

}  // namespace

namespace {

constexpr const char* kStudies = "Studies";

}  // namespace

Action declare_ablate(CLI::App& verb) {
  verb.description("Show how results change with fewer rows, votes or draws, and with smoothing");
  verb.footer(
      "Examples:\n"
      "  credence ablate --logits logits.npy --votes votes.csv -o out\n"
      "  credence ablate --study size,votes --seeds 42..51 --logits logits.npy --votes votes.csv "
      "-o out\n"
      "Studies: size (share of the calibration rows), votes (per calibration example), draws (of "
      "mcts),\n"
      "smoothing (rules that need no annotations). With -o an interrupted run goes on where it "
      "stopped\n"
      "when the same command is given again, and ends with the same files.");
  const auto options = std::make_shared<AblateCommandOptions>();
  dataset_options(verb, options->data);
  add_option(verb, Option::study, options->studies, kStudies);
  add_option(verb, Option::study_seeds, options->seeds, kStudies);
  add_option(verb, Option::shares, options->shares, kStudies);
  add_option(verb, Option::study_votes, options->votes_per_example, kStudies);
  add_option(verb, Option::study_draws, options->draws_settings, kStudies);
  add_option(verb, Option::share, options->share, kStudies);
  add_option(verb, Option::results_folder, options->output, kResult);
  format_option(verb, options->format, {"text", "json", "csv", "markdown"});
  metric_options(verb, options->metrics);
  gauge_option(verb, options->gauge);
  threads_option(verb, options->threads);
  return [options] { run_ablate(*options); };
}

}  // namespace credence::cli
