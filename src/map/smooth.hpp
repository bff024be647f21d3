// What the fitter needs of a map it can differentiate. Tiles are class-major, see core/kernels.hpp:
// tile[k * stride + r] with stride = core::tile_rows(K), or 1 where a calibrator is applied to a
// single row.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/kernels.hpp"
#include "credence/map.hpp"
#include "credence/matrix.hpp"
#include "map/about.hpp"

namespace credence::map {

/// A quadratic added to the loss: with d = theta - origin, 1/2 sum_j diagonal[j] d_j^2 and, for
/// each set of tied parameters, + 1/2 weight (sum of its d_j)^2. A negative weight takes from the
/// diagonal what it holds of the mean of the tied ones.
struct Quadratic {
  /// Every step-th parameter from the first.
  struct Tied {
    std::size_t first = 0, step = 1, count = 0;
    double weight = 0.0;
  };
  std::vector<double> diagonal;  ///< empty: no penalty
  std::vector<double> origin;    ///< empty: zeros
  std::vector<Tied> tied;

  double value(Params theta) const;
  void add_gradient(Params theta, double* gradient) const;
  /// Adds to the lower triangle of a row-major P x P matrix.
  void add_curvature(std::size_t parameters, double* hessian) const;
  void add_product(Params direction, double* out) const;
};

struct Bounds {
  double low, high;  ///< for every parameter
};

/// One tile of rows as the fitter sees it.
struct Tile {
  std::size_t classes;
  std::size_t stride;
  const double* u;
  /// Behind log_probs any u stands for its log-softmax: a map may read it with any shift.
  Gauge gauge = Gauge::log_probs;
  const double* remembered = nullptr;  ///< what Math<M>::remember made of u, where there is such
  double* row(double* tile, std::size_t k) const { return tile + k * stride; }
  const double* u_row(std::size_t k) const { return u + k * stride; }
};

/// `logits`: v = f(u; theta). `pullback`: gradient += (df/dtheta)^T dv. `pushforward`:
/// dv = (df/dtheta) direction. `curvature`: adds the Hessian of the loss, given p = softmax(v) and
/// dv = p - q, to the lower triangle; a map whose Hessian has more structure names a class
/// `Curvature` instead. In every function rows past the data have p = dv = 0. `sizes`: the root
/// mean square of what each parameter multiplies, from those of the inputs (of what is remembered,
/// where there is such). `penalty`: what is added to the mean loss of so many rows.
template <class M>
concept Differentiable = requires(const M& m, std::size_t classes, Params theta, const Tile& tile,
                                  double* v, const double* dv, double* out) {
  { Math<M>::parameters(classes) } -> std::same_as<std::size_t>;
  { Math<M>::identity(classes) } -> std::same_as<std::vector<double>>;
  { Math<M>::logits(theta, tile, v) } -> std::same_as<void>;
  { Math<M>::pullback(theta, tile, dv, out) } -> std::same_as<void>;
  { Math<M>::pushforward(theta, tile, theta, v) } -> std::same_as<void>;
  { Math<M>::penalty(m, classes, classes) } -> std::same_as<Quadratic>;
  { Math<M>::bounds() } -> std::same_as<std::optional<Bounds>>;
  { Math<M>::sizes(std::vector<double>()) } -> std::same_as<std::vector<double>>;
};

/// With its curvature, which Newton's method needs.
template <class M>
concept Smooth = Differentiable<M> &&(

    requires { typename Math<M>::Curvature; } ||
    requires(Params theta, const Tile& tile, const double* dv, double* out) {
      { Math<M>::curvature(theta, tile, dv, dv, out) } -> std::same_as<void>;
    });

/// A map that remembers numbers of every row, which cost more than the rest.
template <class M>
concept Remembering = Differentiable<M> && requires(const Tile& tile, double* out) {
  { Math<M>::remember(tile, out) } -> std::same_as<void>;
  { Math<M>::remembered(tile.classes) } -> std::same_as<std::size_t>;  ///< numbers of a row
};

/// A map that can give the same logits to every row.
template <class M>
concept CanBeConstant = Smooth<M> && requires(const std::vector<double>& logits) {
  { Math<M>::constant(logits) } -> std::same_as<std::vector<double>>;
};

/// A map that is not convex and contains a temperature for all rows, where its fit begins.
template <class M>
concept ContainsTemperature = Smooth<M> && requires(double temperature) {
  { Math<M>::at_temperature(temperature) } -> std::same_as<std::vector<double>>;
  { Math<M>::starts(temperature) } -> std::same_as<std::vector<std::vector<double>>>;
};

/// A map that is not convex and begins where a ridge map ends (fit/channel).
template <class M>
concept Channelled = Differentiable<M> && requires {
  typename Math<M>::Ridge;
};

/// A map that multiplies every row by a number of its own: the maximum of a softmax then need not
/// wait for that number.
template <class M>
concept Scaling = Smooth<M> && requires(Params theta, const Tile& tile, double* out) {
  { Math<M>::factors(theta, tile, out) } -> std::same_as<void>;
};

/// Adds up the Hessian tile by tile as a row-major lower triangle.
template <class M>
class PlainCurvature {
 public:
  explicit PlainCurvature(std::size_t) {}
  static std::size_t packed_size(std::size_t classes) {
    const std::size_t size = Math<M>::parameters(classes);
    return size * size;
  }
  void add(Params theta, const Tile& tile, const double* p, const double* dv, double* packed) {
    Math<M>::curvature(theta, tile, p, dv, packed);
  }
  void flush(double*) {}
  static void unpack(std::size_t, std::vector<double>&) {}
};

template <class M>
struct CurvatureOf {
  using type = PlainCurvature<M>;
};
template <class M>
requires requires { typename Math<M>::Curvature; }
struct CurvatureOf<M> {
  using type = typename Math<M>::Curvature;
};

/// Sum over the rows of a tile of x * y, in the order every instruction set uses.
inline double dot(const double* x, const double* y, std::size_t stride) {
  double sum = 0.0;
  core::kernels().f64.multiply_transposed(x, 1, y, 1, stride, &sum, 1, false);
  return sum;
}

/// hessian -= x x^T for `size` rows of a tile, lower triangle.
inline void subtract_products(const std::vector<double>& x, std::size_t size, std::size_t stride,
                              double* hessian) {
  std::vector<double> minus(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) minus[i] = -x[i];
  core::kernels().f64.multiply_transposed(minus.data(), size, x.data(), size, stride, hessian, size,
                                          true);
}

}  // namespace credence::map
