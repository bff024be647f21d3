// A small network, trained the way the toy's model is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "credence/matrix.hpp"

namespace credence::experiment {

/// Fully connected layers with rectifiers between them. All sums run in an order that depends on
/// neither the instruction set nor the number of threads, so that training, which amplifies every
/// rounding, ends at the same bits everywhere.
class Mlp {
 public:
  /// `widths`: inputs, hidden units of each layer, classes (at most 128). Weights and biases start
  /// uniform within +-1/sqrt(inputs of the layer), the usual default of neural network libraries.
  Mlp(std::vector<std::size_t> widths, std::uint64_t seed);

  std::size_t classes() const { return widths_.back(); }
  std::span<double> parameters() { return parameters_; }

  /// Class scores before the softmax, one row per row of x.
  Matrix<double> logits(Rows x) const;

  /// Mean cross-entropy to the labels; its gradient by the parameters is written to `gradient`.
  double loss(Rows x, std::span<const std::uint32_t> labels, std::span<double> gradient) const;

 private:
  struct Layer {
    std::size_t inputs, outputs;
    std::size_t weights, biases;  ///< where they start among the parameters
  };
  using Tile = std::vector<double>;  ///< unit-major: unit j of row r at j * kTileRows + r

  std::vector<Tile> forward(Rows x, std::size_t first, std::size_t rows) const;
  void backward(const std::vector<Tile>& units, Tile delta, std::span<double> gradient) const;

  std::vector<std::size_t> widths_;
  std::vector<Layer> layers_;
  std::vector<double> parameters_;
};

/// Adam (Kingma and Ba 2015) with the constants of the paper.
class Adam {
 public:
  Adam(std::size_t parameters, double rate) : mean_(parameters), square_(parameters), rate_(rate) {}
  void step(std::span<double> parameters, std::span<const double> gradient);

 private:
  std::vector<double> mean_, square_;
  double rate_;
  double mean_power_ = 1.0, square_power_ = 1.0;
};

}  // namespace credence::experiment
