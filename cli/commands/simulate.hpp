// `credence simulate`: generated votes and models, whose truth is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "options/dataset_options.hpp"
#include "text/output.hpp"

namespace credence::cli {

struct SimulateAnnotatorsOptions {
  DatasetOptions data;                 ///< of which the labels matter
  std::vector<std::string> confusion;  ///< "isic", files, folders of files
  bool normalise = false;
  std::optional<int> annotators;  ///< empty: as many as matrices, or 9 for a single one
  std::uint64_t seed = 42;
  std::string output;
  bool long_table = false;
  Format format = Format::text;
};
void run_simulate_annotators(const SimulateAnnotatorsOptions& options);

struct SimulateToyOptions {
  std::size_t points = 300;
  int epochs = 110;
  int annotators = 0;
  std::uint64_t seed = 42;
  std::string output;  ///< folder for the data; empty: keep them in memory
  Format format = Format::text;
};
void run_simulate_toy(const SimulateToyOptions& options);

}  // namespace credence::cli
