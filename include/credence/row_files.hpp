// Rows of files that are too large for memory: read again in every pass, in blocks, ahead of the
// arithmetic. What is computed from them has the bits of the same files in memory.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
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

/// Bytes that this process may use: the free memory of the machine, or less where a limit
/// (ulimit -v, a control group) leaves less.
std::size_t available_memory();

/// About how many bytes load_dataset, and a fit or an evaluation of what it gives, would take. 0
/// where only reading could tell: for pipes and for arrays that are in memory already.
std::size_t memory_to_load(const DatasetFiles& files, bool keep_probabilities = false);

struct RowFileOptions {
  std::size_t memory = std::size_t{1} << 30;  ///< for the rows in flight
  bool keep_probabilities = false;            ///< the rows as stored: see FileRows::probabilities
  /// Told the rows read so far and how many there are (0: not known yet) while files are read for
  /// the first time; return false to stop with Error(cancelled).
  std::function<bool(std::size_t, std::size_t)> progress = {};
};

/// Scores and votes joined row by row. Opening reads both files once: everything is checked as
/// load_dataset checks it, with its messages. What needs all rows at once is an Error(usage) that
/// says so: a join of files in different order, rows to choose or to leave out, pipes.
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
