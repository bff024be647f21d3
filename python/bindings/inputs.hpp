// Data as Python has them, in the shape in which the library reads them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "credence/io.hpp"
#include "credence/methods.hpp"
#include "credence/report.hpp"

namespace credence::python {

namespace nb = nanobind;

using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;

/// A file, or an array or table in memory. What Python owns is kept alive, never copied.
struct Data {
  std::string path;  ///< of the file; empty for what is in memory
  std::shared_ptr<io::Given> given;
  std::vector<nb::object> alive;
};

/// Data that were read and joined. What takes another pass over them waits until it is asked for.
class Prepared {
 public:
  Prepared(ScoreKind kind, io::LoadedDataset read)
      : kind_(kind), read_(std::move(read)), in_place_(read_.are_probabilities) {}

  /// The data as a fit reads them.
  const io::LoadedDataset& loaded() const;
  /// The same where scores may be probabilities still: for whoever does not look at them.
  const io::LoadedDataset& as_read() const { return read_; }
  /// Scores are probabilities that can be used where Python has them, every row in its order.
  bool probabilities_are_in_place() const { return in_place_; }
  /// What a calibrator's file will say about them.
  const io::CalibratorInfo& info() const;
  /// The same data with probabilities as they were given, which `files` still hold in memory.
  void keep_probabilities(const io::DatasetFiles& files);

 private:
  ScoreKind kind_;
  mutable io::LoadedDataset read_;
  bool in_place_;
  mutable std::once_flag logarithms_taken_, info_known_;
  std::once_flag probabilities_known_;
  mutable io::CalibratorInfo info_;
};

/// Everything about scores and votes, as the verbs of the command line are told it.
struct Inputs {
  io::DatasetFiles files;
  std::vector<Data> alive;
  std::shared_ptr<Prepared> prepared;  ///< what prepare() has read, or empty

  /// Reads now what is to be used several times.
  void prepare();
  /// What was prepared, or else read for this use; with probabilities as they were given if asked
  /// for.
  std::shared_ptr<const Prepared> read(bool keep_probabilities = false) const;
  /// The same for a fit, which records what data it was made from.
  std::shared_ptr<const Prepared> read_to_fit(const MethodSpec& method, int threads) const;
  /// Scores and votes are in memory, and quickly read.
  bool are_arrays() const;
  bool has_votes() const { return !files.votes.empty() || !files.labels.empty(); }

 private:
  std::shared_ptr<Prepared> read_now(const io::LoadOptions& options) const;
};

ScoreKind read_kind(const std::string& name);
io::NumberArray to_numbers(const AnyArray& array);

/// Where results came from: the command that gives the same ones from files.
report::Provenance provenance(const std::string& verb, const Inputs& inputs,
                              const io::LoadedDataset& loaded,
                              const std::vector<std::string>& words);
/// The data as the program is given them.
std::vector<std::string> input_words(const Inputs& inputs);
/// The same for data of their own to judge by.
std::vector<std::string> test_words(const Inputs& inputs);

}  // namespace credence::python
