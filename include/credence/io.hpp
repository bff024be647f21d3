// Files at the rim: datasets in, probabilities and calibrators out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "credence/calibrator.hpp"
#include "credence/dataset.hpp"
#include "credence/error.hpp"
#include "credence/matrix.hpp"
#include "credence/memory.hpp"
#include "credence/overlap.hpp"

namespace credence {
struct ScoreTrace;
}

namespace credence::io {

/// The path as messages show it: "standard input" for "-".
std::string display_name(const std::string& path);

/// A score file as named on the command line. `path` may be "-" for standard input and may
/// carry a member, `file.npz:name`. Standard input and names without a known extension are
/// recognised by their first bytes (NumPy, JSON lines, otherwise delimited text).
struct ScoreFile {
  std::string path{};
  ScoreKind kind = ScoreKind::logits;
  std::string scores_field{};  ///< JSON lines: field with the K numbers; empty: the usual names
  std::string id_field{};  ///< JSON lines / CSV: field or column with the id; empty: usual names
  std::shared_ptr<const Given> given{};  ///< read instead of a file; `path` is its name in messages
};

/// Scores read block by block as double, whatever the file holds: memory independent of n.
class ScoreReader {
 public:
  virtual ~ScoreReader() = default;
  virtual std::size_t cols() const = 0;
  /// Number of rows when the format says it up front (NPY), otherwise empty.
  virtual std::optional<std::size_t> rows() const = 0;
  /// Class names from a header or field; empty when the file has none. A file with one column of
  /// scores, which stand for the second of two classes, may name that class alone.
  virtual const std::vector<std::string>& classes() const = 0;
  virtual bool has_ids() const = 0;
  /// The ids come from a first column without a name, as data frames write their index.
  virtual bool ids_are_unnamed() const { return false; }
  /// One column in the file stands for two classes.
  virtual bool is_one_column() const { return false; }
  /// The format, in words.
  virtual std::string_view form() const { return "table"; }
  /// What was taken for granted, for the user to confirm.
  virtual std::vector<std::string> notes() const { return {}; }
  /// Fills up to out.rows() rows, and `ids` when has_ids(). Returns how many rows were read;
  /// 0 at the end. Values are as in the file, not checked: see check_scores.
  virtual std::size_t read(MatrixView<double> out, std::vector<std::string>* ids) = 0;
};

/// A file with one column is read as two classes: p becomes [1 - p, p], a logit z [0, z], with a
/// note.
std::unique_ptr<ScoreReader> open_scores(const ScoreFile& file);

/// A whole score file in memory: float32 .npy in C order as it is, mapped while `watch_inputs`.
struct ScoreTable {
  std::size_t rows = 0, cols = 0;
  MatrixView<const float> f32;   ///< set unless the file was loaded in double
  MatrixView<const double> f64;  ///< set when loaded with LoadAs::as_stored from float64 or text
  std::shared_ptr<const void> owner;
  std::vector<std::string> ids, classes, notes;
  std::string form;          ///< the format, in words
  bool unnamed_ids = false;  ///< from a column without a name
  bool one_column = false;   ///< in the file, for two classes
};
enum class LoadAs {
  float32,    ///< for fitting: float64 values are rounded to float32; overflow is an Error
  as_stored,  ///< for scoring somebody's probabilities: float64 and text stay double
};
ScoreTable load_scores(const ScoreFile& file, LoadAs as);

/// Votes as read, before they are joined to scores.
struct VoteTable {
  Votes votes;
  std::vector<std::string> ids;      ///< one per row, or empty
  std::vector<std::string> classes;  ///< names by class index, or empty
  std::string form;                  ///< what was understood, in words: "count matrix", ...
  bool gathered = false;             ///< rows are examples in the order they first appear
  bool unnamed_ids = false;          ///< ids from a first column without a name
  std::size_t annotators = 0;        ///< distinct annotator ids, 0 when the form has none
  std::vector<std::string> notes;    ///< for example "20 attention checks (index -99999) dropped"
};
struct VoteFile {
  std::string path;
  std::string votes_field;  ///< JSON lines: field with the votes; empty: usual names
  std::string id_field;
  std::vector<std::string> classes;      ///< --vote-classes, or empty
  std::vector<std::string> drop_labels;  ///< --drop-labels: answers that are no votes
  std::string format;                    ///< --votes-format: empty or "auto": by the content
  bool labels_only = false;              ///< --labels: one majority label per example
  std::size_t expected_classes = 0;  ///< K of the scores when known, for tables of label indices
  std::vector<std::string> score_classes;  ///< names of the scores' classes when known
  std::shared_ptr<const Given> given{};    ///< read instead of a file; `path` is its name
  std::size_t first_row = 0;               ///< where a piece of a file begins, for messages
  int threads = 1;                         ///< for arrays in memory; 0: as many as there are
};
VoteTable load_votes(const VoteFile& file);

/// Everything a verb may be told about its input.
struct DatasetFiles {
  ScoreFile scores;
  std::string votes, votes_field;        ///< counts, shares, annotations
  std::string votes_format;              ///< --votes-format
  std::vector<std::string> drop_labels;  ///< --drop-labels
  std::string labels;                    ///< majority labels only
  std::string id_field;
  std::vector<std::string> classes;        ///< --classes: names for both sides
  std::vector<std::string> score_classes;  ///< --score-classes
  std::vector<std::string> vote_classes;   ///< --vote-classes
  std::string groups;                      ///< --groups FILE
  std::string by;                          ///< --by FILE: subgroups to score apart
  std::string rows, skip_rows;             ///< --rows / --skip-rows FILE of 0-based rows
  bool allow_unmatched = false;
  /// Keep an assumed order of the classes even where another one looks right.
  bool assume_order = false;
  /// Read instead of the files; the paths are then their names in messages.
  std::shared_ptr<const Given> given_votes{}, given_groups{}, given_by{};
  std::optional<std::vector<std::size_t>> given_rows{}, given_skip_rows{};
};

/// What reading and joining found, for people and for JSON.
struct JoinReport {
  std::string scores_form, votes_form;
  std::string joined_by;        ///< "id" or "row"
  std::string classes_matched;  ///< "by name", "given", "assumed", "by position"
  std::size_t score_rows = 0, vote_rows = 0, joined_rows = 0;
  std::size_t unmatched_scores = 0, unmatched_votes = 0;
  std::size_t annotators = 0;
  std::string order_doubt;  ///< that the classes look permuted, where that was not refused
  std::vector<std::string> notes;
};

struct LoadedDataset {
  Dataset data;
  JoinReport join;
  Matrix<double> probabilities;  ///< with keep_probabilities: the rows as stored, in data order
  SubgroupLabels subgroups;      ///< where they were asked for
  /// With Probabilities::as_given: data.scores are checked probabilities, not yet their logarithms.
  bool are_probabilities = false;
  /// With LoadOptions::trace, for full_facts_of(); may be null. Opaque to callers.
  std::shared_ptr<const ScoreTrace> trace;
};

/// What becomes of probabilities in memory: their logarithms, or nothing until take_logarithms().
enum class Probabilities { converted, as_given };
struct LoadOptions {
  bool keep_probabilities = false;  ///< as stored, beside what is made of them
  /// They stay as given only where they are a plain float32 array.
  Probabilities probabilities = Probabilities::converted;
  bool trace = false;  ///< what full_facts_of() wants to know of scores is found out on the way
  bool first_look = false;  ///< with `trace`: take the first look of a fit that wants_first_look()
  int threads = 1;          ///< for arrays in memory and traces; 0: as many as there are
};
/// Reads, checks, matches classes by name and joins by id. Errors name file, row, column, value.
LoadedDataset load_dataset(const DatasetFiles& files, const LoadOptions& options = {});
/// Makes of probabilities that were left as given what load_dataset makes of them.
void take_logarithms(LoadedDataset& loaded);

/// "a,b,c" or a file with one name per line (or comma-separated).
std::vector<std::string> read_class_list(const std::string& text_or_path);
/// Names of the columns of a score file: those `given`, unless the file names the same classes
/// itself, whose order then holds (with a note where it differs). The name of a single column that
/// is one of two given names makes it the second.
std::vector<std::string> column_names(const std::vector<std::string>& in_file,
                                      const std::vector<std::string>& given,
                                      const std::string& path, std::vector<std::string>& notes);
/// Where each of `names` stands among `columns`, ignoring case and surrounding spaces; empty unless
/// both are the same set.
std::vector<std::size_t> positions_by_name(const std::vector<std::string>& names,
                                           const std::vector<std::string>& columns);
/// class_0, class_1, ... (or from 1): numbers in disguise, which say no more than the position.
bool are_numbered(const std::vector<std::string>& names);
/// An Error when a name is empty or there twice, ignoring case; `what` says whose names they are,
/// `code` whether options or data are at fault.
void check_class_names(std::span<const std::string> names, std::string_view what,
                       ErrorCode code = ErrorCode::usage);
/// 0-based row numbers, one per line (or an integer .npy).
std::vector<std::size_t> read_row_list(const std::string& path);

/// --rows and --skip-rows. Rows are those of the score file.
class RowFilter {
 public:
  RowFilter() = default;
  RowFilter(const std::string& rows_path, const std::string& skip_path);
  /// Lists in memory, or the files where they are empty.
  explicit RowFilter(const DatasetFiles& files);
  bool keeps(std::size_t row) const {
    if (restricted_ && !std::ranges::binary_search(listed_, row)) return false;
    return !std::ranges::binary_search(skipped_, row);
  }
  bool keeps_all() const { return !restricted_ && skipped_.empty(); }
  /// A listed row that the score file does not have is an Error.
  void check_range(std::size_t rows, const std::string& score_path) const;

 private:
  void set(std::optional<std::vector<std::size_t>> rows,
           std::optional<std::vector<std::size_t>> skip);

  bool restricted_ = false;
  std::vector<std::size_t> listed_, skipped_;  // ascending
  std::string rows_path_, skip_path_;
};

enum class TableFormat { npy, csv, jsonl, parquet };
struct TableOptions {
  TableFormat format = TableFormat::npy;
  bool float64 = false;
  /// So many of the last columns are no probabilities: JSON lines have them under their own names.
  std::size_t extra = 0;
};
/// Writes n x K probabilities block by block to a temporary name; `commit` renames. A writer that
/// is destroyed without commit leaves nothing behind. Path "-" writes to standard output (Parquet
/// cannot). CSV and Parquet name their columns (`id` when rows have ids, then the class names or
/// p0, p1, ...); a .npy array has no place for ids and class names, so the caller tells its user
/// that they are left out.
class TableWriter {
 public:
  virtual ~TableWriter() = default;
  virtual void write(Rows rows, const std::vector<std::string>& ids) = 0;
  virtual void commit() = 0;
};
std::unique_ptr<TableWriter> create_table(const std::string& path, const TableOptions& options,
                                          const std::vector<std::string>& classes);

/// Writes text whole or not at all ("-" is standard output).
void write_text(const std::string& path, std::string_view text);
/// Throws early, before long work, when `path` cannot be created.
void check_writable(const std::string& path);
/// Unlinks the temporary files in flight; safe to call from a signal handler.
void remove_pending_files() noexcept;

/// For a program that reads, computes, writes and ends. While inputs are watched, float32 and
/// float64 arrays in files are mapped instead of read, and every input file is remembered: no
/// output appears once one of them has changed. A mapped file that becomes shorter raises SIGBUS,
/// so the program needs a handler that asks `mapped_input_at`. Otherwise (the default) files are
/// read into memory, and only those that change before they were read to the end are refused.
void watch_inputs(bool on = true);
/// Throws when an input changed (size, time or identity) since it was opened.
void check_inputs();
/// The file mapped at `address`, null for none; safe to call from a signal handler.
const char* mapped_input_at(const void* address) noexcept;

/// Version of the calibrator file's format that is written; all earlier ones are read.
inline constexpr std::uint64_t kCalibratorVersion = 2;
/// The version that a calibrator's file has: what the first version could say is said in its words,
/// which older programs read.
std::uint64_t file_version(const Calibrator& calibrator);

/// What a calibrator file records besides the calibrator.
struct CalibratorInfo {
  std::string fingerprint;  ///< of the calibration data
  std::size_t rows = 0;
  std::string score_kind, evidence;
  std::uint64_t seed = 0;
  double votes_per_example = 0.0;
  RowSketch sketch = {};  ///< of the calibration rows; empty in older files
};
std::string calibrator_to_json(const Calibrator& calibrator, const CalibratorInfo& info);
struct LoadedCalibrator {
  Calibrator calibrator;
  CalibratorInfo info;
};
LoadedCalibrator calibrator_from_json(std::string_view text, std::string_view origin);
LoadedCalibrator load_calibrator(const std::string& path);

}  // namespace credence::io
