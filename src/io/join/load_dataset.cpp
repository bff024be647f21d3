// load_dataset: scores, votes and what is known about them become one Dataset.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "credence/error.hpp"
#include "credence/io.hpp"
#include "credence/options.hpp"
#include "dataset/finite_logits.hpp"
#include "dataset/score_trace.hpp"
#include "io/join/class_order.hpp"
#include "io/join/index_column.hpp"
#include "io/join/join_classes.hpp"
#include "io/join/join_groups.hpp"
#include "io/join/join_rows.hpp"
#include "io/join/join_scores.hpp"
#include "io/join/request.hpp"
#include "io/scores/two_classes.hpp"
#include "io/votes/vote_forms.hpp"

namespace credence::io {
namespace {

using RowList = std::vector<std::size_t>;

bool is_identity(const RowList& rows, std::size_t all) {
  if (rows.size() != all) return false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] != i) return false;
  }
  return true;
}

template <class T>
Matrix<T> gather(MatrixView<const T> from, const RowList& rows) {
  Matrix<T> to(rows.size(), from.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(from.row(rows[i]), to.row(i).begin());
  }
  return to;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// Drops from the join, or reports, rows whose votes cannot be used; the rest become positions
/// among the usable rows.
void settle_problems(const RawVotes& raw, const std::string& path, bool allow_unmatched,
                     RowJoin& join) {
  if (raw.problems.empty()) return;
  join.spell_out();
  std::vector<std::size_t> usable(raw.rows), problem(raw.rows, 0);
  for (std::size_t p = 0; p < raw.problems.size(); ++p) problem[raw.problems[p].row] = p + 1;
  std::size_t next = 0;
  for (std::size_t j = 0; j < raw.rows; ++j) usable[j] = problem[j] == 0 ? next++ : 0;
  std::size_t kept = 0, dropped = 0;
  for (std::size_t i = 0; i < join.score_rows.size(); ++i) {
    const std::size_t row = join.other_rows[i];
    if (problem[row] != 0) {
      const RowProblem& found = raw.problems[problem[row] - 1];
      if (!allow_unmatched || found.kind != RowProblem::Kind::empty) {
        throw to_error(found, path, raw);
      }
      ++dropped;
      continue;
    }
    join.score_rows[kept] = join.score_rows[i];
    join.other_rows[kept++] = usable[row];
  }
  join.score_rows.resize(kept);
  join.other_rows.resize(kept);
  join.unmatched_scores += dropped;
  if (dropped != 0) {
    join.notes.push_back(fmt::format("{} row{} of {} without votes left out", dropped,
                                     dropped == 1 ? "" : "s", path));
  }
}

/// Scores, ids, groups and probabilities of the rows that were joined.
void take_rows(CheckedScores&& scores, const RowJoin& join, LoadedDataset& loaded) {
  Dataset& data = loaded.data;
  const RowList& rows = join.score_rows;
  const std::size_t all = scores.view.rows();
  if (join.all_rows == all || is_identity(rows, all)) {
    data.scores = scores.view;
    data.owner = std::move(scores.owner);
    data.ids = std::move(scores.ids);
    loaded.trace = std::move(scores.trace);
    if (loaded.trace) data.first_look = loaded.trace->look;
    loaded.probabilities = std::move(scores.probabilities);
  } else {
    auto copy = std::make_shared<Matrix<float>>(gather(scores.view, rows));
    data.scores = std::as_const(*copy).view();
    data.owner = std::move(copy);
    if (!scores.ids.empty()) {
      data.ids.reserve(rows.size());
      for (const std::size_t row : rows) data.ids.push_back(std::move(scores.ids[row]));
    }
    if (scores.probabilities.rows() != 0) {
      loaded.probabilities = gather(std::as_const(scores.probabilities).view(), rows);
    }
  }
  if (scores.clipped.empty()) return;
  if (join.all_rows != 0) {
    data.clipped = std::reduce(scores.clipped.begin(), scores.clipped.end(), std::size_t{0});
  }
  for (const std::size_t row : rows) data.clipped += scores.clipped[row];
}

/// A file with one column may be behind whatever is wrong with the classes of the votes.
Error with_single_column(const Error& error, const std::string& score_path) {
  std::string hint = error.hint();
  if (!hint.empty()) hint += "; ";
  return {error.code(), error.what(),
          hint + fmt::format("{} has one column of scores, which stand for two classes: for more, "
                             "give one column per class",
                             score_path)};
}

}  // namespace

void check_request(const DatasetFiles& files) {
  if (!files.votes.empty() && !files.labels.empty()) {
    throw Error(ErrorCode::usage, "votes and majority labels are both given",
                "give ‹votes› or ‹labels›; majority labels follow from votes");
  }
  const std::string* inputs[] = {&files.scores.path, &files.votes, &files.labels,
                                 &files.groups,      &files.rows,  &files.skip_rows};
  if (std::ranges::count_if(inputs, [](const std::string* path) { return *path == "-"; }) > 1) {
    throw Error(ErrorCode::usage, "standard input ('-') is named twice but can be read only once",
                "give one of the files by name");
  }
  check_class_names(files.classes, mention(Option::classes));
  check_class_names(files.score_classes, mention(Option::score_classes));
  check_class_names(files.vote_classes, mention(Option::vote_classes));
}

std::vector<std::string> names_of_columns(const DatasetFiles& files, std::size_t columns,
                                          const std::vector<std::string>& in_file,
                                          std::vector<std::string>& notes,
                                          std::vector<std::string>* single) {
  const std::string path = display_name(files.scores.path);
  std::vector<std::string> names = column_names(
      in_file, files.score_classes.empty() ? files.classes : files.score_classes, path, notes);
  check_class_names(names, path, ErrorCode::data);
  if (single != nullptr && is_single_name(names)) *single = std::exchange(names, {});
  if (!names.empty() && names.size() != columns) {
    throw Error(ErrorCode::data, fmt::format("{} class names ({}) for the {} columns of {}",
                                             names.size(), list_names(names), columns, path));
  }
  return names;
}

bool one_list_given(const DatasetFiles& files) {
  return files.score_classes.empty() && files.vote_classes.empty() && !files.classes.empty();
}

VoteFile votes_beside(const DatasetFiles& files, std::size_t classes,
                      const std::vector<std::string>& score_classes) {
  VoteFile file;
  file.labels_only = files.votes.empty();
  file.path = file.labels_only ? files.labels : files.votes;
  file.votes_field = files.votes_field;
  file.id_field = files.id_field;
  file.classes = files.vote_classes.empty() ? files.classes : files.vote_classes;
  file.drop_labels = files.drop_labels;
  file.format = files.votes_format;
  file.expected_classes = classes;
  file.score_classes = score_classes;
  file.given = files.given_votes;
  if (!file.classes.empty() && file.classes.size() != classes) {
    throw Error(ErrorCode::data,
                fmt::format("{} class names given for the votes ({}) but {} has scores for {} "
                            "classes",
                            file.classes.size(), list_names(file.classes),
                            display_name(files.scores.path), classes));
  }
  return file;
}

void take_logarithms(LoadedDataset& loaded) {
  if (!loaded.are_probabilities) return;
  Dataset& data = loaded.data;
  const auto logs = std::make_shared_for_overwrite<float[]>(data.scores.size());
  std::vector<std::uint32_t> clipped;  // counted when they were checked
  logs_of_probabilities(data.scores, "scores", logs.get(), clipped);
  data.scores = Scores(logs.get(), data.rows(), data.classes_count());
  data.owner = logs;
  data.first_look.reset();
  loaded.are_probabilities = false;
}

LoadedDataset load_dataset(const DatasetFiles& files, const LoadOptions& options) {
  check_request(files);
  const RowFilter filter(files);
  ScoreFile score_file = files.scores;
  if (score_file.id_field.empty()) score_file.id_field = files.id_field;
  CheckedScores scores = read_checked_scores(score_file, filter, options);
  const std::size_t all = scores.view.rows(), classes = scores.view.cols();

  const std::string score_path = display_name(files.scores.path);
  LoadedDataset loaded;
  loaded.are_probabilities = scores.are_probabilities;
  JoinReport& report = loaded.join;
  report.scores_form = scores.form;
  report.score_rows = all;
  append(report.notes, scores.notes);
  std::vector<std::string> single;
  std::vector<std::string> score_names =
      names_of_columns(files, classes, scores.classes, report.notes, &single);

  const bool has_votes = !files.votes.empty() || !files.labels.empty();
  RowJoin join;
  RawVotes raw;
  if (has_votes) {
    const std::string path = display_name(files.votes.empty() ? files.labels : files.votes);
    ClassMatch match;
    try {
      VoteFile vote_file = votes_beside(files, classes, score_names);
      vote_file.threads = options.threads;
      raw = read_votes(vote_file);
      if (score_names.empty()) score_names = two_names(single, raw.table.classes);
      match = match_classes(score_names, classes, raw.table.classes, raw.table.votes.classes(),
                            one_list_given(files), score_path, path);
    } catch (const Error& error) {
      if (!scores.one_column) throw;
      throw with_single_column(error, score_path);
    }
    append(report.notes, raw.table.notes);
    append(report.notes, match.notes);
    if (!single.empty() && !score_names.empty()) {
      report.notes.push_back(single_name_note(score_names, score_path));
    }
    leave_out_index({scores.ids, scores.unnamed_ids, score_path},
                    {raw.table.ids, raw.table.unnamed_ids, path}, report.notes);
    if (!match.position.empty()) {
      raw.table.votes = raw.table.votes.relabel(match.position, classes);
    }
    loaded.data.classes = std::move(match.classes);
    join = join_rows({scores.ids, all, score_path, false},
                     {raw.table.ids, raw.rows, path, raw.table.gathered},
                     files.votes.empty() ? "labels" : "votes", filter, files.allow_unmatched);
    settle_problems(raw, path, files.allow_unmatched, join);
    append(report.notes, join.notes);
    report.votes_form = raw.table.form;
    report.vote_rows = raw.rows;
    report.annotators = raw.table.annotators;
    report.classes_matched = match.how;
    report.joined_by = join.by;
  } else {
    if (filter.keeps_all()) join.all_rows = all;
    for (std::size_t i = 0; join.all_rows == 0 && i < all; ++i) {
      if (filter.keeps(i)) join.score_rows.push_back(i);
    }
    loaded.data.classes = score_names;
  }
  if (join.size() == 0) {
    throw Error(ErrorCode::data, fmt::format("no rows of {} are left", score_path),
                "‹rows› and ‹skip_rows› leave nothing that can be used");
  }
  report.joined_rows = join.size();
  report.unmatched_scores = join.unmatched_scores;
  report.unmatched_votes = join.unmatched_others;

  if (!files.groups.empty() || !files.by.empty()) join.spell_out();
  if (!files.groups.empty()) {
    loaded.data.groups = read_groups(files.groups, files.given_groups,
                                     {scores.ids, all, score_path, false}, join.score_rows)
                             .of_row;
  }
  if (!files.by.empty()) {
    loaded.subgroups = read_groups(files.by, files.given_by, {scores.ids, all, score_path, false},
                                   join.score_rows);
  }
  if (has_votes) {
    loaded.data.votes = join.all_rows != 0 || is_identity(join.other_rows, raw.table.votes.rows())
                            ? std::move(raw.table.votes)
                            : raw.table.votes.select(join.other_rows);
  }
  take_rows(std::move(scores), join, loaded);
  check_class_order(files, loaded);
  return loaded;
}

}  // namespace credence::io
