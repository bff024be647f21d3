// `credence export`: what it may be told.
#pragma once

#include <optional>
#include <string>

#include "text/output.hpp"

namespace credence::cli {

struct ExportCommandOptions {
  std::string model;
  std::string output;      ///< may be empty when a card is wanted
  std::string check_with;  ///< scores; empty: generated ones
  std::string card;        ///< model card; empty: none
  std::string results;     ///< of compare, for the card's scores
  Format format = Format::text;
  std::string input_kind;  ///< empty: what the calibrator was fitted to
  std::string result = "probs";
  std::string precision;  ///< empty: float32, or that of the network
  std::string arithmetic = "auto";
  std::optional<int> opset, rank;
  std::string append_to;  ///< network; empty: the calibrator alone
  std::string mode;       ///< empty: replace
  std::string output_name;
  std::optional<int> class_axis;
  bool copy_data = false;
};
void run_export(const ExportCommandOptions& options);

}  // namespace credence::cli
