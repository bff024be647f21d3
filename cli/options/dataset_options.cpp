#include "options/dataset_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>
#include <vector>

#include "text/progress.hpp"

namespace credence::cli {
namespace {

struct NamedScores {
  std::string_view option;
  ScoreKind kind;
  const std::string& path;
};

std::array<NamedScores, 3> candidates(const DatasetOptions& options) {
  return {NamedScores{"--logits", ScoreKind::logits, options.logits},
          NamedScores{"--log-probs", ScoreKind::log_probs, options.log_probs},
          NamedScores{"--probs", ScoreKind::probs, options.probs}};
}

void refuse_both(std::string_view a, const std::string& a_value, std::string_view b,
                 const std::string& b_value, std::string_view why) {
  if (a_value.empty() || b_value.empty()) return;
  throw Error(ErrorCode::usage, fmt::format("{} and {} contradict each other: {}", a, b, why),
              fmt::format("give {} or {}, not both", a, b));
}

std::array<const std::string*, 9> inputs(const DatasetOptions& options, const std::string& model) {
  return {&model,          &options.logits, &options.log_probs, &options.probs,    &options.votes,
          &options.labels, &options.groups, &options.rows,      &options.skip_rows};
}

std::vector<std::string> class_list(const std::string& text) {
  return text.empty() ? std::vector<std::string>{} : io::read_class_list(text);
}

void check_annotations(const DatasetOptions& options) {
  refuse_both("--votes", options.votes, "--labels", options.labels,
              "annotations already hold the majority label");
  refuse_both("--rows", options.rows, "--skip-rows", options.skip_rows,
              "one keeps the listed rows, the other leaves them out");
  refuse_both("--classes", options.classes, "--score-classes", options.score_classes,
              "both name the columns of the scores");
  refuse_both("--classes", options.classes, "--vote-classes", options.vote_classes,
              "both name the classes of the votes");
}

}  // namespace

void check_output(const std::string& output, const DatasetOptions& options,
                  const std::string& model) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(output, ignored)) return;
  std::vector<std::string> paths;
  for (const std::string* path : inputs(options, model)) paths.push_back(*path);
  for (const io::ScoreFile& file : score_files(options)) paths.push_back(file.path);
  for (const std::string& path : paths) {
    if (!std::filesystem::equivalent(output, path, ignored)) continue;
    throw Error(ErrorCode::usage, fmt::format("{} is read and written by one command", output),
                "give the output another name; a result does not replace what it was made from");
  }
}

void check_standard_input(const DatasetOptions& options, const std::string& model) {
  const auto paths = inputs(options, model);
  if (std::ranges::count_if(paths, [](const std::string* path) { return *path == "-"; }) > 1) {
    throw Error(ErrorCode::usage, "standard input ('-') is named twice but can be read only once",
                "give one of the files by name");
  }
}

bool has_scores(const DatasetOptions& options) {
  return !options.logits.empty() || !options.log_probs.empty() || !options.probs.empty();
}

bool has_annotations(const DatasetOptions& options) {
  return !options.votes.empty() || !options.labels.empty();
}

std::vector<io::ScoreFile> score_files(const DatasetOptions& options) {
  std::vector<io::ScoreFile> files;
  const auto add = [&](ScoreKind kind, const std::string& first,
                       const std::vector<std::string>& more) {
    std::vector<std::string> paths = more;
    if (!first.empty()) paths.insert(paths.begin(), first);
    for (const std::string& path : paths) {
      files.push_back({.path = path,
                       .kind = kind,
                       .scores_field = options.scores_field,
                       .id_field = options.id_field});
    }
  };
  add(ScoreKind::logits, options.logits, options.more_logits);
  add(ScoreKind::log_probs, options.log_probs, options.more_log_probs);
  add(ScoreKind::probs, options.probs, options.more_probs);
  return files;
}

bool names_several_models(const DatasetOptions& options) { return score_files(options).size() > 1; }

std::vector<io::DatasetFiles> panel_files(const DatasetOptions& options) {
  std::vector<io::DatasetFiles> all;
  for (const io::ScoreFile& file : score_files(options)) {
    for (const std::string* path : {&file.path, &options.votes, &options.labels}) {
      if (*path != "-") continue;
      throw Error(ErrorCode::usage, "several models cannot be read from standard input",
                  "give scores and votes by name");
    }
    DatasetOptions alone = options;
    for (std::string* path : {&alone.logits, &alone.log_probs, &alone.probs}) path->clear();
    for (auto* more : {&alone.more_logits, &alone.more_log_probs, &alone.more_probs}) more->clear();
    (file.kind == ScoreKind::logits      ? alone.logits
     : file.kind == ScoreKind::log_probs ? alone.log_probs
                                         : alone.probs) = file.path;
    all.push_back(dataset_files(alone));
  }
  return all;
}

io::ScoreFile score_file(const DatasetOptions& options) {
  if (!options.more_logits.empty() || !options.more_log_probs.empty() ||
      !options.more_probs.empty()) {
    throw Error(ErrorCode::usage,
                fmt::format("the scores of {} models are given; expected those of one",
                            score_files(options).size()),
                "'credence fit --method auto' combines several models, and 'apply' and 'evaluate' "
                "take what it writes");
  }
  const NamedScores* chosen = nullptr;
  const auto all = candidates(options);
  for (const NamedScores& scores : all) {
    if (scores.path.empty()) continue;
    if (chosen != nullptr) {
      throw Error(ErrorCode::usage,
                  fmt::format("{} and {} contradict each other: scores are of one kind",
                              chosen->option, scores.option),
                  "name the score file once, with the option that says what its numbers are");
    }
    chosen = &scores;
  }
  if (chosen == nullptr) {
    throw Error(ErrorCode::usage, "no score file given",
                "name it with --logits FILE, --log-probs FILE or --probs FILE, whichever its "
                "numbers are");
  }
  return {.path = chosen->path,
          .kind = chosen->kind,
          .scores_field = options.scores_field,
          .id_field = options.id_field};
}

io::DatasetFiles dataset_files(const DatasetOptions& options) {
  io::DatasetFiles files;
  files.scores = score_file(options);
  check_annotations(options);
  check_standard_input(options);
  files.votes = options.votes;
  files.votes_field = options.votes_field;
  files.votes_format = options.votes_format;
  files.drop_labels = options.drop_labels;
  files.labels = options.labels;
  files.id_field = options.id_field;
  files.classes = class_list(options.classes);
  files.score_classes = class_list(options.score_classes);
  files.vote_classes = class_list(options.vote_classes);
  files.groups = options.groups;
  files.by = options.by;
  files.rows = options.rows;
  files.skip_rows = options.skip_rows;
  files.allow_unmatched = options.allow_unmatched;
  files.assume_order = options.assume_order;
  return files;
}

io::VoteFile vote_file(const DatasetOptions& options) {
  check_annotations(options);
  io::VoteFile file;
  file.labels_only = !options.labels.empty();
  file.path = file.labels_only ? options.labels : options.votes;
  file.votes_field = options.votes_field;
  file.format = options.votes_format;
  file.drop_labels = options.drop_labels;
  file.id_field = options.id_field;
  file.classes = class_list(options.vote_classes.empty() ? options.classes : options.vote_classes);
  return file;
}

io::LoadedDataset load(const DatasetOptions& options, const io::LoadOptions& how) {
  const io::DatasetFiles files = dataset_files(options);
  const Progress progress(fmt::format("reading {}", io::display_name(files.scores.path)));
  return io::load_dataset(files, how);
}

}  // namespace credence::cli
