#include "io/source/row_pieces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "core/random.hpp"
#include "credence/error.hpp"
#include "io/bytes/text_lines.hpp"
#include "io/join/class_order.hpp"
#include "io/join/join_rows.hpp"
#include "io/join/request.hpp"
#include "io/source/vote_facts.hpp"

namespace credence::io {
namespace {

constexpr std::string_view kAllowMore = "allow more with ‹memory=SIZE›, so that all rows are read";

[[noreturn]] void refuse_in_passes(const std::string& what) {
  throw Error(ErrorCode::usage,
              what + " all rows at once, and these data do not fit in the memory allowed",
              std::string(kAllowMore));
}

const DatasetFiles& readable_in_passes(const DatasetFiles& files) {
  check_request(files);
  const bool chosen =
      !files.rows.empty() || !files.skip_rows.empty() || files.given_rows || files.given_skip_rows;
  if (chosen) refuse_in_passes("choosing rows (‹rows›, ‹skip_rows›) needs");
  if (!files.groups.empty() || files.given_groups) refuse_in_passes("groups (‹groups›) need");
  if (!files.by.empty() || files.given_by) refuse_in_passes("subgroups (‹by›) need");
  if (files.allow_unmatched) {
    refuse_in_passes("leaving out what does not match (‹allow_unmatched›) needs");
  }
  for (const std::string* path : {&files.scores.path, &files.votes, &files.labels}) {
    if (*path == "-") {
      throw Error(ErrorCode::usage, "standard input can be read only once, not in passes",
                  "give a file by name");
    }
  }
  return files;
}

ScoreFile with_id_field(const DatasetFiles& files) {
  ScoreFile file = readable_in_passes(files).scores;
  if (file.id_field.empty()) file.id_field = files.id_field;
  return file;
}

/// Rows so that the pieces under way (one in use, one waiting, one being read) and the arithmetic
/// on the first take a fraction of the memory; whole blocks, and enough of them to go round the
/// threads.
std::size_t rows_of_pieces(std::size_t classes, const RowFileOptions& options) {
  constexpr std::size_t kMost = std::size_t{32} << 20;
  const std::size_t row = classes * (options.keep_probabilities ? 20 : 12) + 128;
  const std::size_t rows = std::min(options.memory / 16, kMost) / row;
  return std::max(rows / kBlockRows, std::size_t{1}) * kBlockRows;
}

bool is_matrix(const std::string& form) {
  return form == "count matrix" || form == "matrix of shares";
}

}  // namespace

/// Rows are matched in the order of the files; ids, where there are some, must agree with that.
class RowPieces::IdCheck {
 public:
  explicit IdCheck(const RowPieces& rows) : rows_(rows) {}

  void add(const std::vector<std::string>& scores, const std::vector<std::string>& votes) {
    in_scores_ = in_scores_ || !scores.empty();
    in_votes_ = in_votes_ || !votes.empty();
    for (std::size_t i = 0; i < votes.size(); ++i, ++row_) {
      if (!scores.empty()) {
        if (i < scores.size() && scores[i] != votes[i]) refuse_order(scores[i], votes[i]);
        continue;
      }
      std::size_t number = 0;
      const char* const end = votes[i].data() + votes[i].size();
      const auto read = std::from_chars(votes[i].data(), end, number);
      all_whole_ = all_whole_ && read.ec == std::errc() && read.ptr == end;
      largest_ = std::max(largest_, number);
      if (number != row_ && !odd_) odd_ = row_;
    }
  }

  /// How rows are joined, as load_dataset would say it.
  void finish(JoinReport& join, const std::string& what, bool gathered) const {
    join.joined_by = in_scores_ && in_votes_ ? "id" : "row";
    if (in_scores_ == in_votes_) return;
    if (in_votes_ && all_whole_ && largest_ < join.score_rows) {
      if (odd_) {
        throw Error(ErrorCode::usage,
                    fmt::format("{}: row {} belongs to another row of {}: ids are row numbers and "
                                "not in order, which needs all rows at once",
                                rows_.vote_path_, *odd_, rows_.score_path_),
                    "sort the votes by row number, or " + std::string(kAllowMore));
      }
      join.notes.push_back(fmt::format("ids of the {} are row numbers of the scores", what));
    } else if (in_votes_) {
      join.notes.push_back(
          fmt::format("the scores have no ids: {} are matched by row{}", what,
                      gathered ? ", examples in the order they first appear" : ""));
    } else {
      join.notes.push_back(
          fmt::format("the {} have no ids: they are matched to the scores by row", what));
    }
  }

 private:
  [[noreturn]] void refuse_order(const std::string& score_id, const std::string& vote_id) const {
    throw Error(
        ErrorCode::usage,
        fmt::format("row {} is {} in {} and {} in {}: a join of files in different order "
                    "needs all rows at once, and these do not fit in the memory allowed",
                    row_, excerpt(score_id), rows_.score_path_, excerpt(vote_id), rows_.vote_path_),
        "sort both files by id, or " + std::string(kAllowMore));
  }

  const RowPieces& rows_;
  bool in_scores_ = false, in_votes_ = false, all_whole_ = true;
  std::size_t row_ = 0, largest_ = 0;
  std::optional<std::size_t> odd_;
};

/// What a pass over all rows finds out about them.
struct RowPieces::Survey {
  Survey(const RowPieces& rows, bool with_sketch, std::size_t memory)
      : ids(rows), few(*rows.scores_.rows() * sizeof(std::uint64_t) <= memory / 4) {
    if (with_sketch) sketcher.emplace();
  }
  Fingerprint print;
  std::optional<RowSketcher> sketcher;
  VoteFacts votes;
  IdCheck ids;
  bool few;  ///< a number can be remembered of every row
  bool has_ids = false;
  std::vector<std::uint64_t> keys;
};

RowPieces::RowPieces(const DatasetFiles& files, const RowFileOptions& options)
    : files_(files),
      score_path_(display_name(files.scores.path)),
      vote_path_(display_name(files.votes.empty() ? files.labels : files.votes)),
      scores_(with_id_field(files), options.keep_probabilities),
      memory_(options.memory),
      piece_rows_(rows_of_pieces(scores_.cols(), options)) {
  join_.scores_form = scores_.form();
  score_names_ = names_of_columns(files_, scores_.cols(), scores_.classes(), name_notes_);
  facts_.classes = scores_.cols();
  facts_.class_names = score_names_;
  if (!vote_path_.empty()) {
    votes_ =
        open_vote_blocks(votes_beside(files_, facts_.classes, score_names_), options.memory / 4);
  }
  const bool later = options.check_in_first_pass && scores_.rows();
  count_rows(options);
  survey_ = std::make_unique<Survey>(*this, !options.check_in_first_pass, memory_);
  RowPiece first;
  if (later) {
    if (next(first)) held_ = check_order(std::move(first));
    return;
  }
  while (next(first)) report(options, next_row_);
  rewind();
  if (votes_ && next(first)) check_order(std::move(first));
  rewind();
}

RowPieces::~RowPieces() = default;

/// The first piece shows whether classes are permuted.
RowPiece RowPieces::check_order(RowPiece piece) {
  if (!votes_) return piece;
  LoadedDataset first;
  first.data.scores = Scores(piece.scores.scores.data(), piece.scores.rows, facts_.classes);
  first.data.votes = std::move(piece.votes);
  first.data.classes = facts_.class_names;
  first.join = std::move(join_);
  check_class_order(files_, first);
  join_ = std::move(first.join);
  piece.votes = std::move(first.data.votes);
  return piece;
}

void RowPieces::report(const RowFileOptions& options, std::size_t rows) const {
  if (options.progress && !options.progress(rows, scores_.rows().value_or(0))) {
    throw Error(ErrorCode::cancelled, "stopped on request");
  }
}

/// How many rows there are decides what can be remembered of each; text has to be counted.
void RowPieces::count_rows(const RowFileOptions& options) {
  if (!scores_.rows()) {
    ScoreChunk chunk;
    for (std::size_t rows = 0; scores_.read(piece_rows_, chunk), chunk.rows != 0;) {
      report(options, rows += chunk.rows);
    }
    scores_.rewind();
  }
  facts_.rows = join_.score_rows = join_.joined_rows = *scores_.rows();
}

void RowPieces::note_piece(const RowPiece& piece, const std::vector<std::string>& vote_ids) {
  const Scores scores(piece.scores.scores.data(), piece.scores.rows, facts_.classes);
  survey_->print.add(scores);
  if (survey_->sketcher) survey_->sketcher->add(scores);
  facts_.clipped += piece.scores.clipped;
  survey_->has_ids = survey_->has_ids || !piece.keys.empty();
  if (survey_->few) {
    survey_->keys.insert(survey_->keys.end(), piece.keys.begin(), piece.keys.end());
  }
  if (!votes_) return;
  survey_->print.add(piece.votes);
  survey_->votes.add(piece.votes);
  survey_->ids.add(piece.scores.ids, vote_ids);
}

void RowPieces::refuse_count(std::size_t vote_rows) const {
  const std::vector<std::string> no_ids;
  check_row_counts({no_ids, facts_.rows, score_path_}, {no_ids, vote_rows, vote_path_},
                   files_.votes.empty() ? "labels" : "votes");
  throw_changed(vote_path_);
}

void RowPieces::finish_survey() {
  const std::unique_ptr<Survey> found = std::move(survey_);
  // Those about the order of the classes come last.
  std::vector<std::string> notes = std::exchange(join_.notes, scores_.notes());
  const auto note = [&](std::vector<std::string>& more) {
    std::ranges::move(more, std::back_inserter(join_.notes));
  };
  // Annotations are drawn by id, and where an id is repeated by its occurrence too.
  std::ranges::sort(found->keys);
  if (std::ranges::adjacent_find(found->keys) != found->keys.end()) {
    throw Error(ErrorCode::data, fmt::format("{}: some ids are there more than once", score_path_),
                "ids must be unique; delete the repeated rows, or " + std::string(kAllowMore));
  }
  if (found->has_ids && !found->few) {
    join_.notes.push_back(fmt::format(
        "ids of {} are not checked for repeats, which would take 8 bytes for each", score_path_));
  }
  note(name_notes_);
  note(vote_notes_);
  if (found->sketcher) facts_.sketch = found->sketcher->finish();
  if (votes_) {
    std::size_t rows = facts_.rows;
    while (const std::size_t more = votes_->read(piece_rows_).votes.rows()) rows += more;
    if (rows != facts_.rows) refuse_count(rows);
    found->votes.finish(facts_);
    join_.votes_form = is_matrix(kind_->form)
                           ? (facts_.are_shares ? "matrix of shares" : "count matrix")
                           : kind_->form;
    join_.vote_rows = rows;
    join_.annotators = kind_->annotators;
    found->ids.finish(join_, files_.votes.empty() ? "labels" : "votes", kind_->gathered);
  }
  note(notes);
  facts_.fingerprint = fingerprint_of(found->print.scores(), found->print.votes(), facts_.rows,
                                      facts_.classes, join_.vote_rows, facts_.class_names);
}

/// Every piece must be understood as the first one was.
void RowPieces::understand(const VoteTable& piece) {
  if (!kind_) {
    kind_ = VoteTable{.votes = {},
                      .ids = {},
                      .classes = piece.classes,
                      .form = piece.form,
                      .gathered = piece.gathered,
                      .annotators = piece.annotators,
                      .notes = {}};
    vote_notes_ = piece.notes;
    match_ = match_classes(score_names_, facts_.classes, piece.classes, piece.votes.classes(),
                           one_list_given(files_), score_path_, vote_path_);
    std::ranges::copy(match_.notes, std::back_inserter(vote_notes_));
    facts_.class_names = match_.classes;
    join_.classes_matched = match_.how;
    return;
  }
  kind_->annotators = std::max(kind_->annotators, piece.annotators);
  const bool same_form =
      piece.form == kind_->form || (is_matrix(piece.form) && is_matrix(kind_->form));
  if (same_form && piece.classes == kind_->classes) return;
  throw Error(
      ErrorCode::usage,
      fmt::format("{}: read as {} at first and as {} further on{}: which it is takes all rows at "
                  "once",
                  vote_path_, kind_->form, piece.form, same_form ? ", with other classes" : ""),
      "name the classes with ‹vote_classes› and give the table a header, or " +
          std::string(kAllowMore));
}

VoteTable RowPieces::read_votes(std::size_t most) {
  VoteTable table = votes_->read(most);
  if (table.votes.rows() == 0) return table;
  understand(table);
  if (!match_.position.empty()) {
    table.votes = table.votes.relabel(match_.position, facts_.classes);
  }
  return table;
}

void RowPieces::rewind() {
  // A survey that did not get to the end begins again.
  if (survey_ && next_row_ != 0) {
    survey_ = std::make_unique<Survey>(*this, survey_->sketcher.has_value(), memory_);
    facts_.clipped = 0;
  }
  held_.reset();
  next_row_ = 0;
  scores_.rewind();
  if (votes_) votes_->rewind();
}

bool RowPieces::next(RowPiece& piece) {
  if (held_) {
    piece = std::move(*held_);
    held_.reset();
    return true;
  }
  scores_.read(piece_rows_, piece.scores);
  if (piece.scores.rows == 0) {
    if (survey_) finish_survey();
    return false;
  }
  piece.first = next_row_;
  next_row_ += piece.scores.rows;
  piece.keys.clear();
  for (const std::string& id : piece.scores.ids) piece.keys.push_back(core::row_of_name(id));
  std::vector<std::string> vote_ids;
  if (votes_) {
    VoteTable table = read_votes(piece.scores.rows);
    if (table.votes.rows() != piece.scores.rows) refuse_count(piece.first + table.votes.rows());
    piece.votes = std::move(table.votes);
    vote_ids = std::move(table.ids);
  }
  if (survey_) note_piece(piece, vote_ids);
  return true;
}

}  // namespace credence::io
