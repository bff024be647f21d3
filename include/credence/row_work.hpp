// Work on rows that somebody else has. All that a fit, an evaluation or a comparison wants to know
// of the rows is the answers to a list of tasks, each about some of the rows:
//
//   RowWorker& rows = ...;                       // files read in passes, or machines elsewhere
//   rows.tag(tags);                              // a number from 0 to 255 for every row
//   std::vector<RowAnswer> answers = rows.work({RowTask{with_tags({1, 2}), *solver.next()}, ...});
//
// The rows of a task are those whose tag is in its set. They are numbered among themselves and
// gathered into blocks of kBlockRows, so that an answer has the bits of the same work on
// Dataset::select of these rows. Tasks and answers travel as bytes (docs/solver.md).
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "credence/evaluation_sums.hpp"
#include "credence/solver.hpp"

namespace credence {

inline constexpr std::size_t kTags = 256;
using TagSet = std::bitset<kTags>;
inline TagSet all_tags() { return TagSet().set(); }
TagSet with_tags(std::initializer_list<std::uint8_t> tags);

/// All sums that metrics are made of, under a calibrator. Answer: EvaluationSums.
struct MetricsTask {
  Calibrator calibrator;
  MetricOptions options;
};
/// What each of some calibrators loses on the rows, pair by pair, and what it decides otherwise
/// than the first one. Answer: State, whose totals PairedLosses reads.
struct LossesTask {
  std::vector<Calibrator> calibrators;
  bool decisions = false;  ///< also what is predicted, label by label
};
/// What the votes are like. Answer: State, whose totals AnnotationSums reads.
struct VotesTask {};

struct RowTask {
  TagSet rows = all_tags();
  std::variant<Request, MetricsTask, LossesTask, VotesTask> what;
};
using RowAnswer = std::variant<State, EvaluationSums>;

/// The first row and the row after the last of what an answer is about, among the task's rows.
std::pair<std::uint64_t, std::uint64_t> rows_of(const RowAnswer& answer);

/// Answers a task from whole blocks of its rows: `rows.first` is a multiple of kBlockRows among
/// them. A pure function.
RowAnswer answer(const RowTask& task, const RowBlock& rows, int threads = 1);
/// As merge() of states and of sums: any order, twice counts once, a gap is an Error(data).
RowAnswer merge_answers(std::vector<RowAnswer> pieces);

std::vector<std::byte> to_bytes(const RowTask& task);
RowTask row_task_from_bytes(std::span<const std::byte> bytes);
std::vector<std::byte> to_bytes(const RowAnswer& answer);
RowAnswer row_answer_from_bytes(std::span<const std::byte> bytes);

/// Sums of nll over rows under several calibrators: means, and standard errors of the means and of
/// every paired difference.
struct PairedLosses {
  PairedLosses() = default;
  /// `total` is what a LossesTask of so many calibrators adds up to.
  PairedLosses(std::span<const double> total, std::size_t calibrators);
  /// Adds the same calibrators' losses on other rows; fold by fold, in their order.
  void add(const PairedLosses& other);

  struct Mean {
    double mean = 0.0, standard_error = 0.0;
  };
  Mean of(std::size_t calibrator) const;
  /// By how much `other` is ahead of `one`.
  Mean lead(std::size_t other, std::size_t one) const;

  double rows = 0.0;
  std::vector<double> infinite;     ///< rows with an infinite nll, which are in no other sum
  std::vector<double> sum, square;  ///< of nll
  std::vector<double> gap_square;   ///< of nll_a - nll_b, a < b: entry b (b-1) / 2 + a
};

/// The other half of a LossesTask with decisions, for K classes.
struct PairedDecisions {
  PairedDecisions() = default;
  PairedDecisions(std::span<const double> total, std::size_t calibrators, std::size_t classes);

  std::vector<double> changed;   ///< rows predicted otherwise than by the first, by calibrator
  std::vector<double> labelled;  ///< rows with majority label k
  std::vector<double> hits;      ///< of these, predicted as k: entry calibrator * K + k
  /// By class that the first one predicts: rows, and sums of the share of annotators who agree.
  std::vector<double> predicted, agreement, agreement_square;
};

/// What a VotesTask adds up to.
struct AnnotationSums {
  AnnotationSums() = default;
  AnnotationSums(const State& state, std::size_t classes);

  double rows = 0.0, votes = 0.0, fewest = 0.0, most = 0.0, entropy = 0.0, ties = 0.0;
  double fractional = 0.0;  ///< rows with a weight that is not a whole number
  double single = 0.0;      ///< rows whose weights add up to 1
  double repeated = 0.0;    ///< rows with two votes or more; the next four are theirs
  double same_pairs = 0.0, disagreeing = 0.0, repeated_votes = 0.0;
  std::vector<double> answers;  ///< votes by class
  std::vector<double> chosen;   ///< of all rows: sum of annotators' shares by class

  /// What Votes::evidence() and are_shares() say of the same rows.
  Evidence evidence() const;
  bool are_shares() const;
};

/// The majority label of every row: a byte each where that is enough.
class RowLabels {
 public:
  explicit RowLabels(std::size_t classes) : small_(classes <= 256) {}
  void reserve(std::size_t rows) { small_ ? bytes_.reserve(rows) : words_.reserve(rows); }
  void push_back(std::uint32_t label) {
    small_ ? bytes_.push_back(static_cast<std::uint8_t>(label)) : words_.push_back(label);
  }
  std::size_t size() const { return small_ ? bytes_.size() : words_.size(); }
  std::uint32_t operator[](std::size_t row) const { return small_ ? bytes_[row] : words_[row]; }

 private:
  bool small_;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint32_t> words_;
};

/// Rows wherever they are. The rows and their order never change.
class RowWorker {
 public:
  virtual ~RowWorker() = default;
  virtual RowsInfo info() const = 0;
  virtual RowLabels labels() = 0;
  /// A tag for every row, until the next call; without a call, or with none, all are 0.
  virtual void tag(std::vector<std::uint8_t> tags) = 0;
  /// One answer for each task, from all of its rows; a task without rows is an Error(data).
  virtual std::vector<RowAnswer> work(std::span<const RowTask> tasks) = 0;
  /// Nodes of the tree of blocks that the pieces of one answer may hold together.
  virtual std::size_t nodes() const { return 64; }
};
/// What the answers of one pass may take, unless somebody says otherwise: fits that would take more
/// wait for each other.
inline constexpr std::size_t kSumsBytes = std::size_t{1} << 28;

/// Rows that come in passes: each call of work() reads the source once.
class SourceWorker final : public RowWorker {
 public:
  explicit SourceWorker(RowSource& source, int threads = 0) : source_(&source), threads_(threads) {}
  RowsInfo info() const override { return source_->info(); }
  RowLabels labels() override;
  void tag(std::vector<std::uint8_t> tags) override { tags_ = std::move(tags); }
  std::vector<RowAnswer> work(std::span<const RowTask> tasks) override;

 private:
  RowSource* source_;
  int threads_;
  std::vector<std::uint8_t> tags_;
};

/// Drives solvers, each of the rows with some tags, until all are done: one work() per pass.
struct TaggedSolver {
  Solver* solver = nullptr;
  TagSet rows = all_tags();
};
/// False when none asks.
bool pass(std::span<const TaggedSolver> solvers, RowWorker& worker);

/// What solvers have to know of the rows with some tags: one work().
std::vector<RowsInfo> infos_of(RowWorker& worker, std::span<const TagSet> parts);

// -- Rows in pieces elsewhere ---------------------------------------------------------------------
//
// A piece is a run of neighbouring rows of any length. It answers for the whole blocks that lie
// within it; the rows at its two ends, which share a block with the neighbours (its fringe), are
// sent to the driver once, which answers for those blocks itself.

using Bytes = std::vector<std::byte>;

/// What a piece does with a message of RowsInPieces: `common` is the same for all pieces, `own` is
/// this piece's, `tags` those of its rows (empty: all 0). Pure: the same bytes every time.
/// `rows.first` means nothing here: the message says where the piece begins.
Bytes answer_piece(std::span<const std::byte> common, std::span<const std::byte> own,
                   const RowBlock& rows, std::span<const std::uint8_t> tags, int threads = 1);

/// The driver of pieces: knows how to ask, not how bytes travel.
class RowsInPieces final : public RowWorker {
 public:
  struct Transport {
    /// Calls answer_piece for each piece and returns what it gave, in the order of the pieces.
    std::function<std::vector<Bytes>(const Bytes& common, const std::vector<Bytes>& own)> run;
    /// Keeps the tags of the rows of each piece for later runs; empty lists: all 0.
    std::function<void(const std::vector<std::vector<std::uint8_t>>& tags)> tag;
  };
  /// Asks every piece what it holds. `pieces` are in the order of their rows.
  RowsInPieces(std::size_t pieces, Transport transport, std::vector<std::string> class_names = {},
               int threads = 0);
  ~RowsInPieces() override;
  RowsInfo info() const override;
  RowLabels labels() override;
  void tag(std::vector<std::uint8_t> tags) override;
  std::vector<RowAnswer> work(std::span<const RowTask> tasks) override;
  std::size_t nodes() const override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace credence
