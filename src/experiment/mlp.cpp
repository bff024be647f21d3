#include "experiment/mlp.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/kernels.hpp"
#include "core/random.hpp"

namespace credence::experiment {
namespace {

constexpr std::size_t kTileRows = core::tile_rows(1);
constexpr std::size_t kMostClasses = 128;
static_assert(core::tile_rows(kMostClasses) == kTileRows);

}  // namespace

Mlp::Mlp(std::vector<std::size_t> widths, std::uint64_t seed) : widths_(std::move(widths)) {
  assert(widths_.size() >= 2 && widths_.back() <= kMostClasses);
  std::size_t size = 0;
  for (std::size_t l = 0; l + 1 < widths_.size(); ++l) {
    const std::size_t in = widths_[l], out = widths_[l + 1];
    layers_.push_back({in, out, size, size + in * out});
    size += (in + 1) * out;
  }
  parameters_.resize(size);
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const double bound = 1.0 / std::sqrt(static_cast<double>(layer.inputs));
    for (std::size_t j = 0; j < (layer.inputs + 1) * layer.outputs; ++j) {
      parameters_[layer.weights + j] = bound * (2.0 * core::uniform(seed, l, j) - 1.0);
    }
  }
}

/// The values of all units for up to kTileRows rows of x: the inputs, each hidden layer, the
/// logits.
std::vector<Mlp::Tile> Mlp::forward(Rows x, std::size_t first, std::size_t rows) const {
  std::vector<Tile> units{Tile(widths_[0] * kTileRows, 0.0)};
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t a = 0; a < widths_[0]; ++a) units[0][a * kTileRows + r] = x(first + r, a);
  }
  for (const Layer& layer : layers_) {
    Tile out(layer.outputs * kTileRows);
    core::kernels().f64.multiply(&parameters_[layer.weights], layer.inputs, layer.outputs,
                                 layer.inputs, &parameters_[layer.biases], units.back().data(),
                                 out.data(), kTileRows);
    if (&layer != &layers_.back()) {
      for (double& value : out) value = value > 0.0 ? value : 0.0;
    }
    units.push_back(std::move(out));
  }
  return units;
}

/// Adds the gradient of a tile, given the derivative of its loss by the logits.
void Mlp::backward(const std::vector<Tile>& units, Tile delta, std::span<double> gradient) const {
  const auto& kernels = core::kernels().f64;
  const Tile ones(kTileRows, 1.0);
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const Layer& layer = layers_[l];
    kernels.multiply_transposed(delta.data(), layer.outputs, units[l].data(), layer.inputs,
                                kTileRows, &gradient[layer.weights], layer.inputs, false);
    kernels.multiply_transposed(delta.data(), layer.outputs, ones.data(), 1, kTileRows,
                                &gradient[layer.biases], 1, false);
    if (l == 0) return;
    std::vector<double> transposed(layer.inputs * layer.outputs);
    for (std::size_t i = 0; i < layer.outputs; ++i) {
      for (std::size_t a = 0; a < layer.inputs; ++a) {
        transposed[a * layer.outputs + i] = parameters_[layer.weights + i * layer.inputs + a];
      }
    }
    Tile below(layer.inputs * kTileRows);
    kernels.multiply(transposed.data(), layer.outputs, layer.inputs, layer.outputs, nullptr,
                     delta.data(), below.data(), kTileRows);
    for (std::size_t j = 0; j < below.size(); ++j) {
      if (!(units[l][j] > 0.0)) below[j] = 0.0;
    }
    delta = std::move(below);
  }
}

Matrix<double> Mlp::logits(Rows x) const {
  Matrix<double> result(x.rows(), classes());
  for (std::size_t first = 0; first < x.rows(); first += kTileRows) {
    const std::size_t rows = std::min(kTileRows, x.rows() - first);
    const Tile z = std::move(forward(x, first, rows).back());
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t k = 0; k < classes(); ++k) result(first + r, k) = z[k * kTileRows + r];
    }
  }
  return result;
}

double Mlp::loss(Rows x, std::span<const std::uint32_t> labels, std::span<double> gradient) const {
  assert(labels.size() == x.rows() && gradient.size() == parameters_.size());
  std::ranges::fill(gradient, 0.0);
  double sum = 0.0;
  for (std::size_t first = 0; first < x.rows(); first += kTileRows) {
    const std::size_t rows = std::min(kTileRows, x.rows() - first);
    const std::vector<Tile> units = forward(x, first, rows);
    Tile delta = units.back();  // logits, then probabilities, then their distance to the labels
    Tile log_sum(kTileRows);
    core::kernels().f64.softmax(delta.data(), classes(), log_sum.data());
    for (std::size_t r = 0; r < kTileRows; ++r) {
      if (r < rows) {
        const std::size_t at = labels[first + r] * kTileRows + r;
        sum += log_sum[r] - units.back()[at];
        delta[at] -= 1.0;
      } else {
        for (std::size_t k = 0; k < classes(); ++k) delta[k * kTileRows + r] = 0.0;
      }
    }
    backward(units, std::move(delta), gradient);
  }
  const double n = static_cast<double>(x.rows());
  for (double& component : gradient) component /= n;
  return sum / n;
}

void Adam::step(std::span<double> parameters, std::span<const double> gradient) {
  constexpr double kMeanDecay = 0.9, kSquareDecay = 0.999, kEpsilon = 1e-8;
  mean_power_ *= kMeanDecay;
  square_power_ *= kSquareDecay;
  for (std::size_t j = 0; j < parameters.size(); ++j) {
    const double g = gradient[j];
    mean_[j] = kMeanDecay * mean_[j] + (1.0 - kMeanDecay) * g;
    square_[j] = kSquareDecay * square_[j] + (1.0 - kSquareDecay) * g * g;
    // Both averages start at 0; the powers take that bias out.
    const double mean = mean_[j] / (1.0 - mean_power_);
    const double square = square_[j] / (1.0 - square_power_);
    parameters[j] -= rate_ * mean / (std::sqrt(square) + kEpsilon);
  }
}

}  // namespace credence::experiment
