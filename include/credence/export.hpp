// A fitted calibrator as an ONNX graph: alone, or at the end of somebody's network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "credence/calibrator.hpp"
#include "credence/dataset.hpp"
#include "credence/io.hpp"
#include "credence/matrix.hpp"

namespace credence::exporter {

/// The type of the graph's input and output.
enum class Precision { float16, float32, float64 };
std::string_view to_string(Precision precision);

/// The type in which the graph computes. Maps that choose a step, or whose logits are sums of large
/// terms, need float64 to give what the engine gives; accelerators that lack it need float32.
enum class Arithmetic {
  automatic,  ///< float32 where that is within 1e-6 of the engine for every input, else float64
  float32,
  float64,
};

/// What the graph gives.
enum class Result { probs, log_probs };

/// Written into the properties of the model, in this order.
using Properties = std::vector<std::pair<std::string, std::string>>;

inline constexpr int kLeastOpset = 11;
inline constexpr int kMostOpset = 21;

struct ModelOptions {
  Precision precision = Precision::float32;
  Arithmetic arithmetic = Arithmetic::automatic;
  Result result = Result::probs;
  ScoreKind input = ScoreKind::logits;
  int opset = 13;
  int rank = 2;  ///< 2: [batch, classes]; 3: [batch, positions, classes]
  Properties properties;
};

/// Names of the input and the output of a calibrator exported alone.
inline constexpr std::string_view kInputName = "scores";
constexpr std::string_view output_name(Result result) {
  return result == Result::probs ? "probabilities" : "log_probabilities";
}

struct OnnxModel {
  std::string bytes;
  bool computes_in_float64 = false;
};

/// The calibrator as a model of its own, for any number of rows.
OnnxModel onnx_model(const Calibrator& calibrator, const ModelOptions& options);

enum class AppendMode {
  replace,  ///< the output keeps its name and gives calibrated probabilities
  add,      ///< the outputs stay as they are; one more gives calibrated probabilities
};

struct AppendOptions {
  AppendMode mode = AppendMode::replace;
  std::string output_name;         ///< of the scores; empty: the only output of K classes
  std::optional<int> class_axis;   ///< empty: the only axis with K entries
  std::string recorded_kind;       ///< of scores the calibrator was fitted to; empty: not known
  std::optional<ScoreKind> input;  ///< what the network gives, said by the user
  Arithmetic arithmetic = Arithmetic::automatic;
  Result result = Result::probs;
  Properties properties;
};

struct AppendedModel {
  std::string bytes;
  std::string scores;                   ///< the tensor that the calibrator reads
  std::string output;                   ///< the tensor that it gives
  ScoreKind input = ScoreKind::logits;  ///< how it reads that tensor
  Precision precision = Precision::float32;
  std::vector<std::int64_t> shape;  ///< of the scores; -1 where the network leaves it open
  std::size_t class_axis = 1;
  int opset = 0;
  bool computes_in_float64 = false;
  std::vector<std::size_t> column_of;      ///< where class k of the calibrator stands, when moved
  std::vector<std::string> external_data;  ///< files beside the network that it needs
  std::vector<std::string> notes;          ///< what was found and done, for the user to confirm
};

/// The network with the calibrator at its end. Opset, IR version and everything else of the network
/// stay as they are. `origin` names the file in messages.
AppendedModel append_to_model(const Calibrator& calibrator, std::string_view network,
                              const std::string& origin, const AppendOptions& options);

/// "logits", "log_probs" (or "log-probs"), "probs"; empty for any other name.
std::optional<ScoreKind> kind_named(std::string name);
/// What the model's properties say of a calibrator: method, classes, data, versions.
Properties properties_of(const io::LoadedCalibrator& loaded);
/// The kind of scores that a graph of it reads: what is wanted, or what it was fitted to. An
/// Error(model) where neither is known, or where the raw gauge makes them contradict each other.
ScoreKind input_of(const io::LoadedCalibrator& loaded, std::optional<ScoreKind> wanted,
                   const std::string& origin);

/// Rows for checking a graph where it will run: its input and what the engine makes of it.
struct CheckRows {
  Matrix<double> scores;         ///< numbers that the graph's precision holds exactly
  Matrix<double> probabilities;  ///< the engine's
};
inline constexpr std::size_t kCheckRows = 64;

/// Scores generated for this purpose: from undecided to certain, with ties and impossible classes.
Matrix<double> made_up_scores(std::size_t classes, ScoreKind kind);
/// Rounds the scores to `precision` and applies the calibrator to them.
CheckRows check_rows(const Calibrator& calibrator, Matrix<double> scores, ScoreKind kind,
                     Precision precision);
/// The same as a NumPy .npz archive with `scores` (in `precision`) and `probabilities` (float64) of
/// this shape, whose `class_axis` has K entries. Rows are used in turn, and again where the shape
/// has more places than there are rows.
std::string check_archive(const CheckRows& rows, Precision precision,
                          const std::vector<std::size_t>& shape, std::size_t class_axis);

}  // namespace credence::exporter
