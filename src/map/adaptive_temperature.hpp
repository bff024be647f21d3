// f(u) = u / T(u), T = softplus(a) + 0.1, a = w.phi(u) + c, with four features of the scores:
// phi = [max_k u_k, H(p)/log K, p1 - p2, p1], p = softmax(u), p1 >= p2 its largest entries.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "core/lease.hpp"
#include "map/smooth.hpp"

namespace credence::map {

template <>
struct Math<AdaptiveTemperature> {
  static constexpr std::size_t kFeatures = 4;
  static constexpr std::size_t kParameters = kFeatures + 1;
  static constexpr double kLeast = 0.1;
  static constexpr std::size_t kMostRows = 64;
  using Column = std::array<double, kMostRows>;

  static std::size_t parameters(std::size_t) { return kParameters; }
  static std::vector<double> identity(std::size_t) { return constant(1.0); }
  /// Parameters that give the same temperature to every row (T > 0.1).
  static std::vector<double> constant(double temperature) {
    // The inverse of softplus, log(e^x - 1), in a form that does not overflow.
    const double x = temperature - kLeast;
    return {0.0, 0.0, 0.0, 0.0, x + std::log(-std::expm1(-x))};
  }

  /// The features of a tile, kept for all functions of it: they cost more than the rest.
  static constexpr std::size_t kRemembered = kParameters;  ///< numbers per row
  static void remember(const Tile& tile, double* out) {
    std::array<Column, kParameters> phi;
    features(tile, phi);
    for (const Column& column : phi) out = std::copy_n(column.data(), tile.stride, out);
  }

  /// phi and a constant 1, per row.
  static void features(const Tile& tile, std::array<Column, kParameters>& phi) {
    if (tile.remembered != nullptr) {
      for (std::size_t j = 0; j < kParameters; ++j) {
        std::copy_n(tile.remembered + j * tile.stride, tile.stride, phi[j].data());
      }
      return;
    }
    const std::size_t classes = tile.classes, stride = tile.stride;
    const core::Lease<double> p(classes * stride);
    std::copy_n(tile.u, p.size(), p.data());
    Column lse, first, second, mean;
    softmax(p.data(), classes, stride, lse.data());
    for (std::size_t r = 0; r < stride; ++r) {
      phi[0][r] = tile.u[r];
      first[r] = p[r];
      second[r] = 0.0;
      mean[r] = 0.0;
    }
    for (std::size_t k = 0; k < classes; ++k) {
      const double* u = tile.u_row(k);
      for (std::size_t r = 0; r < stride; ++r) {
        const double q = p[k * stride + r];
        mean[r] += q * u[r];
        if (k == 0) continue;
        phi[0][r] = std::max(phi[0][r], u[r]);
        second[r] = std::max(second[r], std::min(first[r], q));
        first[r] = std::max(first[r], q);
      }
    }
    const double most = std::log(static_cast<double>(classes));
    for (std::size_t r = 0; r < stride; ++r) {
      phi[1][r] = (lse[r] - mean[r]) / most;
      phi[2][r] = first[r] - second[r];
      phi[3][r] = first[r];
      phi[4][r] = 1.0;
    }
  }

  /// 1/T and its first two derivatives with respect to a, per row.
  struct Scale {
    Column value, slope, bend;
  };
  static Scale scale(Params theta, const std::array<Column, kParameters>& phi, std::size_t stride) {
    Column a, decay, log_term;
    for (std::size_t r = 0; r < stride; ++r) {
      a[r] = theta[kFeatures];
      for (std::size_t j = 0; j < kFeatures; ++j) a[r] += theta[j] * phi[j][r];
      decay[r] = -std::abs(a[r]);
    }
    core::kernels().f64.exp_nonpositive(decay.data(), stride);
    for (std::size_t r = 0; r < stride; ++r) log_term[r] = 1.0 + decay[r];
    core::kernels().f64.log_positive(log_term.data(), stride);
    Scale out;
    for (std::size_t r = 0; r < stride; ++r) {
      // log(1 + x) = x where 1 + x rounds to 1.
      const double tail = decay[r] < 1e-17 ? decay[r] : log_term[r];
      const double temperature = std::max(a[r], 0.0) + tail + kLeast;
      const double sigmoid = (a[r] >= 0.0 ? 1.0 : decay[r]) / (1.0 + decay[r]);
      const double complement = (a[r] >= 0.0 ? decay[r] : 1.0) / (1.0 + decay[r]);
      const double s = 1.0 / temperature;
      out.value[r] = s;
      out.slope[r] = -sigmoid * s * s;
      out.bend[r] = -sigmoid * complement * s * s + 2.0 * sigmoid * sigmoid * s * s * s;
    }
    return out;
  }

  static void logits(Params theta, const Tile& tile, double* v) {
    std::array<Column, kParameters> phi;
    features(tile, phi);
    scale_rows(tile, scale(theta, phi, tile.stride).value, v);
  }
  static void pullback(Params theta, const Tile& tile, const double* dv, double* gradient) {
    std::array<Column, kParameters> phi;
    features(tile, phi);
    const Scale s = scale(theta, phi, tile.stride);
    Column weight = sum_over_classes(tile, dv);
    for (std::size_t r = 0; r < tile.stride; ++r) weight[r] *= s.slope[r];
    for (std::size_t j = 0; j < kParameters; ++j) {
      gradient[j] += dot(weight.data(), phi[j].data(), tile.stride);
    }
  }
  static void pushforward(Params theta, const Tile& tile, Params direction, double* dv) {
    std::array<Column, kParameters> phi;
    features(tile, phi);
    const Scale s = scale(theta, phi, tile.stride);
    Column slope;
    for (std::size_t r = 0; r < tile.stride; ++r) {
      double a = 0.0;
      for (std::size_t j = 0; j < kParameters; ++j) a += direction[j] * phi[j][r];
      slope[r] = s.slope[r] * a;
    }
    scale_rows(tile, slope, dv);
  }
  static void curvature(Params theta, const Tile& tile, const double* p, const double* dv,
                        double* hessian) {
    std::array<Column, kParameters> phi;
    features(tile, phi);
    const Scale s = scale(theta, phi, tile.stride);
    std::vector<double> centred(tile.u, tile.u + tile.classes * tile.stride);
    core::kernels().f64.centre(p, tile.classes, centred.data());
    const Column variance = sum_over_classes(tile, centred.data());
    const Column slope = sum_over_classes(tile, dv);
    for (std::size_t i = 0; i < kParameters; ++i) {
      Column weighted;
      for (std::size_t r = 0; r < tile.stride; ++r) {
        const double second = s.bend[r] * slope[r] + s.slope[r] * s.slope[r] * variance[r];
        weighted[r] = second * phi[i][r];
      }
      for (std::size_t j = 0; j <= i; ++j) {
        hessian[i * kParameters + j] += dot(weighted.data(), phi[j].data(), tile.stride);
      }
    }
  }
  static Quadratic penalty(const AdaptiveTemperature& map, std::size_t) {
    std::vector<double> diagonal(kParameters, 2.0 * map.l2);
    diagonal[kFeatures] = 0.0;
    return {.diagonal = std::move(diagonal)};
  }
  static std::optional<Bounds> bounds() { return std::nullopt; }

 private:
  static void scale_rows(const Tile& tile, const Column& factor, double* v) {
    for (std::size_t k = 0; k < tile.classes; ++k) {
      for (std::size_t r = 0; r < tile.stride; ++r) {
        v[k * tile.stride + r] = factor[r] * tile.u_row(k)[r];
      }
    }
  }
  /// sum_k x_k u_k, per row.
  static Column sum_over_classes(const Tile& tile, const double* x) {
    Column sum{};
    for (std::size_t k = 0; k < tile.classes; ++k) {
      for (std::size_t r = 0; r < tile.stride; ++r) {
        sum[r] += x[k * tile.stride + r] * tile.u_row(k)[r];
      }
    }
    return sum;
  }
};
static_assert(Smooth<AdaptiveTemperature>);

}  // namespace credence::map
