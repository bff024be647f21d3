// Data larger than memory: when files are read in passes, and what is shown meanwhile.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "credence/bootstrap.hpp"
#include "credence/row_files.hpp"
#include "text/progress.hpp"

namespace credence::cli {

/// Bytes of "500M", "2G" or "1.5G"; nothing given means what is free on this machine.
std::size_t memory_of(const std::string& text);

/// True when these files do not fit and are to be read in passes. What needs all rows at once (a
/// choice of rows, groups) is read whole as long as nobody set a limit: the operating system maps
/// and swaps as it can. Under a limit that was given, FileRows says why it refuses.
bool needs_passes(const io::DatasetFiles& files, const std::string& given_memory,
                  std::size_t memory, bool keep_probabilities);

/// What is told of data that are read in passes.
std::string note_on_passes(const io::DatasetFiles& files, std::size_t memory,
                           bool keep_probabilities);

/// Intervals of rows that are read in passes are for those who ask: 1,000 resamples take ten
/// to twenty times as long as scoring. Tells of it where nobody did.
void leave_out_intervals_unless(bool asked, BootstrapOptions& options);

/// How many rows are done, how fast, and how long the rest will take.
class RowRate {
 public:
  /// "40 % of 12,000,000 rows, 3.1 million rows/s, 2 s left".
  std::string text(std::size_t rows, std::size_t all) const;

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Opens the files with a line of progress.
std::unique_ptr<io::FileRows> open_rows(const io::DatasetFiles& files, std::size_t memory,
                                        bool keep_probabilities, bool check_in_first_pass = false);

/// A source that shows how far each pass is. Both must outlive it.
class WatchedRows final : public RowSource {
 public:
  WatchedRows(RowSource& rows, Progress& progress, std::string what);
  RowsInfo info() const override { return rows_.info(); }
  bool next(RowBlock& block) override;
  void rewind() override;
  /// What is being done, from now on: shown at once, since it may not be reading.
  void say(std::string what) {
    what_ = std::move(what);
    progress_.update(what_);
  }
  /// Passes that were done in an earlier run.
  void continue_after(std::size_t passes) { pass_ = passes; }

 private:
  RowSource& rows_;
  Progress& progress_;
  std::string what_;
  std::size_t all_, done_ = 0, pass_ = 0;
  RowRate rate_;
};

}  // namespace credence::cli
