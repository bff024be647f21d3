// A fit is ask and tell. A Solver says which sums over the rows it needs next (a Request); somebody
// computes them, in pieces wherever the rows lie (accumulate), puts the pieces together (merge) and
// tells the solver, until it has a calibrator. `fit()` does so for rows in memory:
//
//   Solver solver(parse_method("dirichlet-soft"), {.rows = n, .classes = k, ...});
//   while (const Request* request = solver.next()) {
//     solver.tell(merge({accumulate(*request, here), accumulate(*request, there)}));
//   }
//   Calibrator calibrator = solver.result();
//
// Requests and states travel as bytes (docs/solver.md). Sums have one canonical shape, so that any
// division of the rows into whole blocks of kBlockRows gives the bits of any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "credence/block_sums.hpp"
#include "credence/calibrator.hpp"
#include "credence/dataset.hpp"
#include "credence/fit.hpp"
#include "credence/methods.hpp"

namespace credence {

/// What a solver knows of all the rows before it has seen one.
struct RowsInfo {
  std::size_t rows = 0, classes = 0;
  Evidence evidence = Evidence::none;
  std::vector<std::string> class_names = {};  ///< K names, or empty
};
RowsInfo info_of(const Dataset& data);

/// Some of the rows: whole blocks, of which only the last of all rows may be shorter.
struct RowBlock {
  std::size_t first = 0;  ///< number of the first row among all, a multiple of kBlockRows
  Scores scores;          ///< finite logits or log-probabilities
  const Votes* votes = nullptr;
  /// By which rows are drawn (row_keys); empty: by their number.
  std::span<const std::uint64_t> keys = {};
};
/// Which rows a request is about: `run` rows from every multiple of `step`, `count` times.
struct RowSample {
  std::size_t run = 1, step = 1, count = 0;
  bool operator==(const RowSample&) const = default;
};

/// What a solver wants to know: sums over rows at these parameters.
struct Request {
  enum class Sums : std::uint8_t {
    model_doubt,       ///< what smoothed targets need: 1 - p at the majority label
    rows,              ///< the rows of `sample` themselves
    temperature,       ///< loss and three derivatives of a temperature
    temperature_fast,  ///< the same in float32
    loss,              ///< loss and gradient
    curvature,         ///< loss, gradient and Hessian
    product,           ///< Hessian times direction
    steering_product,  ///< the same, good enough to find a direction
    diagonal,          ///< of the Hessian
    frequencies,       ///< of the classes in the target
    sizes,             ///< squares of what each parameter multiplies
    top_labels,        ///< confidence and target of the predicted class, row by row
    histogram,         ///< the same in bins
    loss_fast,         ///< loss and gradient of matrix maps in float32, good enough to find a step
    curvature_fast,    ///< the same with the Hessian
  };
  std::uint64_t number = 0;  ///< which request of which solver: states of another do not fit
  Sums sums = Sums::loss;
  Gauge gauge = Gauge::log_probs;
  std::uint64_t seed = 0;
  TargetSpec target;
  std::vector<double> epsilon;  ///< of a smoothed target: one for all, or one per class
  std::vector<Stage> front;     ///< stages that are fitted already: their maps and parameters
  MapSpec map;
  std::vector<double> theta, direction;
  bool with_linear = false;  ///< temperature: also what the targets say, which stays as it is
  RowSample sample;
  bool operator==(const Request& other) const;
};
std::vector<std::byte> to_bytes(const Request& request);
Request request_from_bytes(std::span<const std::byte> bytes);

/// The answer to a request from the rows [first_row, end_row).
struct State {
  std::uint64_t number = 0;
  std::uint64_t first_row = 0, end_row = 0;
  BlockSums sums;              ///< of requests that add up
  std::vector<double> listed;  ///< of requests that list rows, in their order
  std::vector<float> scores;   ///< of those that want the rows themselves
  /// Of top_labels, in place of the list, where whoever has all the rows has fitted the steps:
  /// theta and the loss. Does not travel.
  std::vector<double> solved;
  bool operator==(const State&) const = default;
};
std::vector<std::byte> to_bytes(const State& state);
State state_from_bytes(std::span<const std::byte> bytes);

/// Answers a request from some of the rows. Depends on nothing else: computed twice, it is the
/// same.
State accumulate(const Request& request, const RowBlock& rows, int threads = 1);

/// The state of several neighbouring pieces, given in any order. A piece that came twice counts
/// once; a gap or an overlap is an Error(data).
State merge(std::vector<State> pieces);

/// Fits one method by asking. A solver can be moved, not copied.
class Solver {
 public:
  /// `options.start`, where there is one, must outlive the solver; `options.threads` means nothing
  /// here. A resumable solver can be saved; it remembers the totals of what it is told until the
  /// stage is fitted. Throws Error(evidence) when the votes do not suffice.
  Solver(MethodSpec method, RowsInfo rows, const FitOptions& options = {}, bool resumable = false);
  /// A solver as it was when save() was called: the same next(), and in the end the same bits.
  /// Throws Error(data) for bytes that are not those of a solver.
  static Solver resume(std::span<const std::byte> saved);
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;
  ~Solver();

  const RowsInfo& rows() const;
  const FitOptions& options() const;
  /// What is wanted next; null when the fit is done.
  const Request* next() const;
  /// The answer to next(), from all rows. Throws what went wrong in the fit; Error(data) when the
  /// state answers another request or misses rows.
  void tell(State state);
  /// The calibrator; call when next() is null.
  Calibrator result() const;
  /// What led the fit of the last stage, for FitOptions::start_curvature; null where nothing did.
  std::shared_ptr<const FitCurvature> curvature() const;
  /// All that resume() needs, in another process or after an interruption. An Error(usage) for a
  /// solver that is not resumable. `options.progress` is not part of it.
  std::vector<std::byte> save() const;

 private:
  struct Impl;
  explicit Solver(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Rows that come in blocks, from wherever they lie, as often as they are wanted.
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual RowsInfo info() const = 0;
  /// The next rows, valid until the next call; false at the end.
  virtual bool next(RowBlock& rows) = 0;
  /// Back to the first row.
  virtual void rewind() = 0;
};

/// Rows in memory as one block, which is not copied. The dataset must outlive the source.
class DatasetRows final : public RowSource {
 public:
  explicit DatasetRows(const Dataset& data);
  RowsInfo info() const override { return info_of(*data_); }
  bool next(RowBlock& rows) override;
  void rewind() override { given_ = false; }

 private:
  const Dataset* data_;
  std::vector<std::uint64_t> keys_;
  bool given_ = false;
};

/// Reads the source once and tells each of these solvers what it asks for; false when none asks.
/// How far a pass is, and how fast, is for the source to say: it is asked for every block.
bool pass(std::span<Solver* const> solvers, RowSource& source, int threads = 0);

/// Fits several methods at once: each pass over the source serves all that still ask.
std::vector<Calibrator> fit(std::span<const MethodSpec> methods, RowSource& source,
                            const FitOptions& options = {});

}  // namespace credence
