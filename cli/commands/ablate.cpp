// `credence ablate`: what a calibrator needs, study by study.
#include "credence/ablate.hpp"

#include <fmt/format.h>

#include <optional>

#include "commands/commands.hpp"
#include "credence/comparison_run.hpp"
#include "credence/io.hpp"
#include "credence/output.hpp"
#include "credence/report.hpp"
#include "invocation.hpp"
#include "progress.hpp"
#include "provenance.hpp"
#include "seed_list.hpp"
#include "terminal.hpp"

namespace credence::cli {
namespace {

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

}  // namespace

void run_ablate(const AblateCommandOptions& options) {
  AblateOptions work = ablate_options(options);
  if (!has_annotations(options.data)) {
    throw Error(ErrorCode::usage, "no annotations given",
                "name them with --votes FILE, or with --labels FILE when only voted labels are "
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
      progress.update(fmt::format("{:3.0f} %  {}", 100.0 * share, what));
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

}  // namespace credence::cli
