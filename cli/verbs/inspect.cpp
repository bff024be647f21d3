// `credence inspect`: what was understood, before anything is fitted.
#include "credence/inspect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "credence/io.hpp"
#include "credence/methods.hpp"
#include "options/dataset_options.hpp"
#include "options/option_helpers.hpp"
#include "text/json_output.hpp"
#include "text/output.hpp"
#include "text/progress.hpp"
#include "text/table.hpp"
#include "text/terminal.hpp"
#include "verbs.hpp"

namespace credence::cli {
namespace {

struct InspectOptions {
  DatasetOptions data;
  Format format = Format::text;
};

using report::Findings;

constexpr std::size_t kFirstProblems = 5;
constexpr std::size_t kMostClassesListed = 20;

Findings look(const InspectOptions& options) {
  if (has_scores(options.data)) {
    // Whoever looks for what is wrong wants to see it, not to be stopped by it.
    DatasetOptions data = options.data;
    data.assume_order = true;
    return report::inspect(load(data), score_file(data).kind);
  }
  const io::VoteFile file = vote_file(options.data);
  const Progress progress(fmt::format("reading {}", file.path));
  return report::inspect(io::load_votes(file));
}

/// Reading stops at the first bad score; a person who repairs a file wants to know the next ones.
std::vector<std::string> bad_score_rows(const InspectOptions& options) {
  std::vector<std::string> problems;
  const io::ScoreFile file = score_file(options.data);
  // What came through a pipe is gone.
  std::error_code ignored;
  const bool is_pipe = std::filesystem::is_fifo(file.path, ignored);
  if (file.path == "-" || is_pipe) return problems;
  const auto reader = io::open_scores(file);
  const io::RowFilter filter(options.data.rows, options.data.skip_rows);
  Matrix<double> row(1, reader->cols());
  std::vector<std::string> ids;
  for (std::size_t i = 0; problems.size() < kFirstProblems && reader->read(row.view(), &ids) == 1;
       ++i) {
    ids.clear();
    if (!filter.keeps(i)) continue;
    try {
      check_scores(Rows(row.data(), 1, row.cols()), file.kind, file.path, i);
    } catch (const Error& error) {
      problems.push_back(render(error.what(), Speech::command_line));
    }
  }
  return problems;
}

std::string class_name(const Findings& found, std::size_t k) {
  return found.class_names.empty() ? fmt::format("class {}", k) : found.class_names[k];
}

TextTable balance(const Findings& found) {
  TextTable table({"class", "voted", "annotators", "predicted"}, "lrrr");
  const double n = static_cast<double>(std::max<std::size_t>(1, found.rows));
  const auto percent = [](double share) { return fmt::format("{:.1f} %", 100.0 * share); };
  const std::size_t listed = std::min(found.class_count, kMostClassesListed);
  for (std::size_t k = 0; k < listed; ++k) {
    table.row(
        {class_name(found, k),
         found.votes ? percent(static_cast<double>(found.votes->voted_counts[k]) / n) : "-",
         found.votes ? percent(found.votes->vote_shares[k]) : "-",
         found.predicted.empty() ? "-" : percent(static_cast<double>(found.predicted[k]) / n)});
  }
  return table;
}

std::string join_words(const io::JoinReport& join) {
  std::string words = fmt::format("by {}, {} examples", join.joined_by, grouped(join.joined_rows));
  if (join.unmatched_scores + join.unmatched_votes > 0) {
    words += fmt::format(" ({} score rows and {} vote rows without partner)",
                         grouped(join.unmatched_scores), grouped(join.unmatched_votes));
  }
  return words;
}

std::string as_text(const Findings& found) {
  const Paint paint(stdout);
  std::string out;
  const auto line = [&](std::string_view name, const std::string& value) {
    out += fmt::format("{:<22}{}\n", name, printable(value));
  };
  line("examples", grouped(found.rows));
  line("classes",
       found.class_names.empty() || found.class_count > kMostClassesListed
           ? std::to_string(found.class_count)
           : fmt::format("{} ({})", found.class_count, fmt::join(found.class_names, ", ")));
  if (!found.score_kind.empty()) {
    line("scores", fmt::format("{}, read as {}", found.join.scores_form, found.score_kind));
    line("clipped scores", fmt::format("{}{}", grouped(found.clipped),
                                       found.clipped > 0 ? " (0 or -inf, raised)" : ""));
  }
  if (found.votes) {
    line("votes", found.join.votes_form);
    if (!found.score_kind.empty()) {
      line("joined", join_words(found.join));
      line("class matching", found.join.classes_matched);
    }
    if (found.join.annotators > 0) line("annotators", grouped(found.join.annotators));
    line("evidence", fmt::format("{}{}", to_string(found.evidence),
                                 found.shares ? " (shares; number of voters unknown)" : ""));
    line("votes per example", fmt::format("{:.4g} (from {:.4g} to {:.4g})", found.votes->mean,
                                          found.votes->fewest, found.votes->most));
    line("ties", fmt::format("{} (the lowest class index counts as voted)", grouped(found.ties)));
    line("unanimous",
         fmt::format("{} of {}", grouped(found.votes->unanimous), grouped(found.rows)));
    line("annotation entropy", fmt::format("{:.4f} of log K, on average", found.votes->entropy));
    line("pairwise agreement", found.votes->agreement
                                   ? fmt::format("{:.4f}", *found.votes->agreement)
                                   : "- (needs examples with two or more counted votes)");
    if (found.votes->alpha) {
      line("Krippendorff's alpha", fmt::format("{:.4f}", *found.votes->alpha));
    }
  }
  if (found.accuracy)
    line("accuracy", fmt::format("{:.4f} against the majority label", *found.accuracy));
  if (found.groups > 0) line("groups", grouped(found.groups));
  if (!found.fingerprint.empty()) line("fingerprint", found.fingerprint);
  if (found.evidence != Evidence::none) {
    line("methods", fmt::format("{}", fmt::join(methods_allowed_by(found.evidence), ", ")));
  }
  out += fmt::format("\n{}\n{}", paint.bold("Class balance"), balance(found).text("  "));
  if (found.class_count > kMostClassesListed) {
    out += fmt::format("  ... and {} more (--format json lists all)\n",
                       found.class_count - kMostClassesListed);
  }
  if (!found.problems.empty()) {
    out += fmt::format("\n{}\n", paint.bold("First rows worth a look (numbered as used, from 0)"));
    for (const std::string& problem : found.problems) {
      out += fmt::format("  {}\n", printable(problem));
    }
  }
  return out;
}

void run_inspect(const InspectOptions& options) {
  if (!has_scores(options.data) && !has_annotations(options.data)) {
    throw Error(ErrorCode::usage, "nothing to inspect",
                "name scores (--logits, --log-probs or --probs FILE), annotations (--votes or "
                "--labels FILE), or both");
  }
  Findings found;
  try {
    found = look(options);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::data || !has_scores(options.data)) throw;
    const std::vector<std::string> problems = bad_score_rows(options);
    // The error already tells of one.
    if (problems.size() < 2) throw;
    if (options.format == Format::json) {
      print(to_text({{"problem_rows", problems}}));
    } else {
      print("First problem rows\n");
      for (const std::string& problem : problems) print(fmt::format("  {}\n", printable(problem)));
    }
    flush_output();
    throw;
  }
  print_notes(found.join.notes);
  print(options.format == Format::json ? report::findings_json(found) : as_text(found));
}

}  // namespace

Action declare_inspect(CLI::App& verb) {
  verb.description("Show what was understood of scores and votes");
  verb.footer(
      "Examples:\n"
      "  credence inspect --logits logits.npy --votes votes.csv\n"
      "  credence inspect --votes annotations.csv                  votes alone\n"
      "  credence inspect --logits pred.jsonl --votes chaosNLI_mnli_m.jsonl "
      "--score-classes e,c,n \\\n"
      "    --allow-unmatched --format json");
  const auto options = std::make_shared<InspectOptions>();
  dataset_options(verb, options->data);
  format_option(verb, options->format, {"text", "json"});
  return [options] { run_inspect(*options); };
}

}  // namespace credence::cli
