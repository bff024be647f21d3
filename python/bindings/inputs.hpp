// Data as Python has them, in the shape in which the library reads them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "credence/io.hpp"
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

/// Data that were read and joined, and what a calibrator's file will say about them.
struct Prepared {
  io::LoadedDataset loaded;
  io::CalibratorInfo info;
};

/// Everything about scores and votes, as the verbs of the command line are told it.
struct Inputs {
  io::DatasetFiles files;
  std::vector<Data> alive;
  std::shared_ptr<const Prepared> prepared;  ///< what prepare() has read, or empty

  /// Reads now what is to be used several times.
  void prepare();
  /// What was prepared, or else read for this use; probabilities are kept as they were given if
  /// asked for, and always in what was prepared.
  std::shared_ptr<const Prepared> read(bool keep_probabilities = false) const;
  bool has_votes() const { return !files.votes.empty() || !files.labels.empty(); }
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
