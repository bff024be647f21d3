// Generated annotators and models, whose truth is known: votes drawn from a confusion
// matrix, and the smallest example on which calibrating to the majority label goes wrong.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "credence/dataset.hpp"
#include "credence/evaluate.hpp"
#include "credence/matrix.hpp"

namespace credence {

/// How an annotator errs (Dawid and Skene 1979): entry (i, j) is the probability of the answer j
/// for an example whose consensus is class i.
struct ConfusionMatrix {
  Matrix<double> probabilities;      ///< K x K, rows sum to 1
  std::vector<std::string> classes;  ///< K names, or empty
  std::size_t class_count() const { return probabilities.rows(); }
};

/// What the numbers of a confusion matrix are.
enum class ConfusionKind {
  probabilities,  ///< rows sum to 1; 1e-6 off is forgiven as rounding and divided out
  counts,         ///< each row is divided by its sum: counts, or shares rounded to few digits
};

/// Checks a square matrix; an Error(data) names `origin` (a file name, or empty), row, column and
/// value. Row names, where given, must be the column names in any order, ignoring case; rows are
/// put in the order of the columns.
ConfusionMatrix make_confusion_matrix(Rows values, ConfusionKind kind,
                                      std::vector<std::string> column_names = {},
                                      std::vector<std::string> row_names = {},
                                      std::string_view origin = {});

/// The same matrix with classes in the order of `classes`, matched by name ignoring case. An
/// Error(data) when the names are not the same set.
ConfusionMatrix reorder(const ConfusionMatrix& matrix, const std::vector<std::string>& classes,
                        std::string_view origin = {});

/// Dermatologists on the eight conditions of ISIC 2019: the table in the appendix "ISIC 2019
/// Annotator Confusion Matrix" of Tao et al., "Confidence Calibration under Ambiguous Ground
/// Truth".
ConfusionMatrix isic_confusion();

struct AnnotatorOptions {
  int annotators = 9;  ///< answers per example; the paper's number for ISIC 2019
  std::uint64_t seed = 42;
};

/// Answers, one row per example and one column per annotator. Annotator a draws from row
/// consensus[i] of matrices[a], or of matrices[0] when there is just one. An answer depends on
/// (seed, i, a) and the matrix only, so asking more annotators changes no earlier answer.
Matrix<std::uint32_t> simulate_annotators(std::span<const std::uint32_t> consensus,
                                          std::span<const ConfusionMatrix> matrices,
                                          const AnnotatorOptions& options = {});

/// Three clusters in a plane: left and right are clear to everybody, the one between them divides
/// the annotators 70 : 30, always with the same majority.
struct ToyOptions {
  std::size_t points = 300;  ///< per cluster, in each of training, calibration and evaluation
  int epochs = 110;          ///< early enough that the model is not yet sure of everything
  int annotators = 0;        ///< answers drawn per example; 0: the shares themselves
  std::uint64_t seed = 42;
};

enum class ToyRegion : std::uint8_t { clear, ambiguous };
std::string_view to_string(ToyRegion region);

struct ToyPart {
  Matrix<double> points;           ///< n x 2
  std::vector<ToyRegion> regions;  ///< of each point's cluster
  Votes votes;
};

/// The data, and what a network with two hidden layers of 64 units, trained on the majority labels
/// of `training`, says about the other two parts. Same bits whatever the instruction set.
struct ToyData {
  ToyPart training, calibration, evaluation;
  Matrix<float> calibration_logits, evaluation_logits;
  std::vector<std::string> classes;
  double training_loss = 0.0;  ///< mean cross-entropy to the majority labels after the last epoch
};
ToyData make_toy_data(const ToyOptions& options = {});

/// The methods that the toy compares: three fitted to the majority label, four to the annotators.
inline constexpr std::array<std::string_view, 8> kToyMethods{
    "uncalibrated", "ts", "platt", "hist-bin", "slts", "soft-platt", "dirichlet-soft", "ir-soft"};

/// A method fitted on the calibration part, scored on the evaluation part and on its two regions.
struct ToyScore {
  std::string_view method;
  double temperature = 0.0;  ///< 0 when the method is not a temperature
  Evaluation all, ambiguous, clear;
};
std::vector<ToyScore> score_toy(const ToyData& data);

}  // namespace credence
