// A calibrator described for a model registry: Markdown behind a YAML head.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "credence/io.hpp"

namespace credence::report {

/// The exported graph, as an example runs it.
struct CardGraph {
  std::string file;
  std::string output;             ///< the tensor it gives
  std::string input_kind{};       ///< what it reads: logits, log_probs or probs
  bool gives_logarithms = false;  ///< log-probabilities instead of probabilities
  bool is_network = false;        ///< a network with the calibrator at its end
};

struct CardOptions {
  std::string calibrator_file = "calibrator.json";  ///< as the examples name it
  std::optional<CardGraph> graph{};
  /// The text of the results.json that `compare` wrote beside the calibrator, for its scores;
  /// without it the card says that none were given. Results of another calibrator are an Error.
  std::optional<std::string_view> results{};
  std::string results_file = "results.json";  ///< as messages name it
};

/// What the calibrator is, on what and how it was fitted, its scores with intervals, its limits,
/// and how to use it. Scores stand exactly in the head and rounded in the text. Names from files
/// are escaped: they cannot become markup.
std::string model_card(const io::LoadedCalibrator& loaded, const CardOptions& options = {});

}  // namespace credence::report
