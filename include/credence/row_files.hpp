// Rows of files that are too large for memory: read again in every pass, in blocks, ahead of the
// arithmetic. What is computed from them has the bits of the same files in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "credence/io.hpp"
#include "credence/solver.hpp"

namespace credence::io {

/// What is known of data once they were read, without the rows.
struct DataFacts {
  std::size_t rows = 0, classes = 0;
  std::vector<std::string> class_names;
  Evidence evidence = Evidence::none;
  bool are_shares = false;
  double votes_per_example = 0.0;
  std::size_t ties = 0;     ///< examples with more than one class with most votes
  std::size_t clipped = 0;  ///< scores raised by to_finite_logits
  std::size_t groups = 0;   ///< 0 without groups
  std::string fingerprint;  ///< Dataset::fingerprint(); empty where it was not needed
  RowSketch sketch;         ///< of the scores; empty where it was not needed
};
/// Of rows in memory, without fingerprint and sketch, which take a pass over them.
DataFacts facts_of(const Dataset& data);
/// With both: what a calibrator's file records.
DataFacts full_facts_of(const Dataset& data);
/// The same of data as they were loaded, which may know already.
DataFacts full_facts_of(const LoadedDataset& loaded);

/// What some of the rows, [first_row, end_row), say of all: merged, it becomes full_facts_of() of
/// all rows, wherever they lie.
struct RowFacts {
  std::uint64_t first_row = 0, end_row = 0;
  struct Detail;
  std::shared_ptr<const Detail> detail;  ///< opaque to callers
};
/// Of whole blocks, of which only the last of all rows may be shorter; `first_row` is a multiple of
/// kBlockRows.
RowFacts row_facts(std::uint64_t first_row, const Dataset& rows);
/// Of neighbouring pieces, given in any order. A piece that came twice counts once; a gap or an
/// overlap is an Error(data).
RowFacts merge(std::vector<RowFacts> pieces);
DataFacts facts_of(const RowFacts& all, std::vector<std::string> class_names);
/// docs/solver.md has the layout.
std::vector<std::byte> to_bytes(const RowFacts& facts);
RowFacts row_facts_from_bytes(std::span<const std::byte> bytes);

/// Bytes that this process may use: the free memory of the machine, or less where a limit
/// (ulimit -v, a control group) leaves less.
std::size_t available_memory();

/// About how many bytes load_dataset, and a fit or an evaluation of what it gives, would take. 0
/// where only reading could tell: for pipes and for arrays that are in memory already.
std::size_t memory_to_load(const DatasetFiles& files, bool keep_probabilities = false);

struct RowFileOptions {
  std::size_t memory = std::size_t{1} << 30;  ///< for the rows in flight
  bool keep_probabilities = false;            ///< the rows as stored: see FileRows::probabilities
  /// Check the rows during the first pass and not before it, which saves a reading; where their
  /// number is known beforehand. Facts other than rows and classes are complete after that pass,
  /// and so is the join; there is no sketch.
  bool check_in_first_pass = false;
  /// Told the rows read so far and how many there are (0: not known yet) while files are read for
  /// the first time; return false to stop with Error(cancelled).
  std::function<bool(std::size_t, std::size_t)> progress = {};
};

/// Scores and votes joined row by row. Opening reads both files once (unless that is left to the
/// first pass): everything is checked as load_dataset checks it, with its messages. What needs all
/// rows at once is an Error(usage) that says so: a join of files in different order, rows to choose
/// or to leave out, pipes.
class FileRows final : public RowSource {
 public:
  explicit FileRows(const DatasetFiles& files, const RowFileOptions& options = {});
  ~FileRows() override;
  FileRows(const FileRows&) = delete;
  FileRows& operator=(const FileRows&) = delete;

  const DataFacts& facts() const;
  const JoinReport& join() const;

  RowsInfo info() const override;
  bool next(RowBlock& rows) override;
  void rewind() override;
  /// Probabilities of the block last given, as stored; without rows unless they are kept.
  Rows probabilities() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace credence::io
