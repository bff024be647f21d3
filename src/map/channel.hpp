// What annotators say when the model believes a class: P = p C with p = softmax of a ridge map and
// a row-stochastic K x K matrix C, so that f = log P. theta = [W row-major, c, C row-major]. Each
// row of C has a Dirichlet prior, -(2/n) sum A_jk log C_jk with A = 0.98 I + 0.02/K: annotators
// mostly say what is there. Not convex; the fit begins at the optimum of the ridge map and C = A
// (fit/channel).
#pragma once

#include <cfloat>
#include <cstdint>

#include "map/ridge.hpp"

namespace credence::map {

/// The matrix of what annotators say that the prior has most faith in.
inline double usual_channel(std::size_t j, std::size_t k, std::size_t classes) {
  return (j == k ? 0.98 : 0.0) + 0.02 / static_cast<double>(classes);
}
/// Of how many examples the prior speaks, for each class.
inline constexpr double kChannelPrior = 2.0;

template <std::size_t kBlocks>
struct ChannelMath {
  using Front = RidgeMath<kBlocks>;

  static std::size_t parameters(std::size_t classes) {
    return Front::parameters(classes) + classes * classes;
  }
  static std::vector<double> identity(std::size_t classes) {
    std::vector<double> theta = Front::identity(classes);
    theta.resize(parameters(classes), 0.0);
    for (std::size_t k = 0; k < classes; ++k) {
      theta[Front::parameters(classes) + k * classes + k] = 1.0;
    }
    return theta;
  }
  static std::size_t remembered(std::size_t classes) { return Front::remembered(classes); }
  static void remember(const Tile& tile, double* out) { Front::remember(tile, out); }

  static void logits(Params theta, const Tile& tile, double* v) {
    const core::Lease<double> p(tile.classes * tile.stride);
    believed(theta, tile, p.data());
    said(theta, tile, p.data(), v);
    core::kernels().f64.log_positive(v, tile.classes * tile.stride);
  }
  static void pullback(Params theta, const Tile& tile, const double* dv, double* gradient) {
    const std::size_t classes = tile.classes, stride = tile.stride, count = classes * stride;
    const core::Lease<double> p(count), said_by(count), back(count);
    believed(theta, tile, p.data());
    said(theta, tile, p.data(), said_by.data());
    for (std::size_t i = 0; i < count; ++i) said_by[i] = dv[i] / said_by[i];
    const std::size_t front = Front::parameters(classes);
    core::kernels().f64.multiply_transposed(p.data(), classes, said_by.data(), classes, stride,
                                            gradient + front, classes, false);
    core::kernels().f64.multiply(theta.data() + front, classes, classes, classes, nullptr,
                                 said_by.data(), back.data(), stride);
    core::kernels().f64.centre(p.data(), classes, back.data());
    Front::pullback(theta.first(front), tile, back.data(), gradient);
  }
  static void pushforward(Params theta, const Tile& tile, Params direction, double* dv) {
    const std::size_t classes = tile.classes, count = classes * tile.stride;
    const core::Lease<double> p(count), said_by(count), moved(count), more(count);
    believed(theta, tile, p.data());
    said(theta, tile, p.data(), said_by.data());
    Front::logits(direction.first(Front::parameters(classes)), tile, moved.data());
    core::kernels().f64.centre(p.data(), classes, moved.data());
    multiply_channel(theta, tile, moved.data(), dv);
    multiply_channel(direction, tile, p.data(), more.data());
    for (std::size_t i = 0; i < count; ++i) dv[i] = (dv[i] + more[i]) / said_by[i];
  }
  /// Without that of C, which is not a quadratic.
  template <class Map>
  static Quadratic penalty(const Map& map, std::size_t classes, std::size_t rows) {
    Quadratic sum = Front::penalty(map, classes, rows);
    sum.diagonal.resize(parameters(classes), 0.0);
    sum.origin.resize(parameters(classes), 0.0);
    return sum;
  }
  static std::optional<Bounds> bounds() { return std::nullopt; }
  static std::vector<double> sizes(const std::vector<double>& remembered) {
    std::vector<double> all = Front::sizes(remembered);
    all.resize(parameters(remembered.size() / kBlocks), 1.0);
    return all;
  }

 private:
  /// p, the probabilities of the ridge map.
  static void believed(Params theta, const Tile& tile, double* p) {
    const Params front = theta.first(Front::parameters(tile.classes));
    if (tile.stride == 1) {
      const core::Lease<double> v(tile.classes);
      Front::logits(front, tile, v.data());
      return core::kernels().softmax_row_f64(v.data(), tile.classes, p);
    }
    const core::Lease<double> lse(tile.stride);
    Front::logits(front, tile, p);
    core::kernels().f64.softmax(p, tile.classes, lse.data());
  }
  /// x C, for rows of a tile.
  static void multiply_channel(Params theta, const Tile& tile, const double* x, double* out) {
    const std::size_t classes = tile.classes;
    const Params channel = theta.last(classes * classes);
    const core::Lease<double> transposed(classes * classes);
    for (std::size_t j = 0; j < classes; ++j) {
      for (std::size_t k = 0; k < classes; ++k) {
        transposed[k * classes + j] = channel[j * classes + k];
      }
    }
    core::kernels().f64.multiply(transposed.data(), classes, classes, classes, nullptr, x, out,
                                 tile.stride);
  }
  /// P; a probability below the smallest normal float32 stands for 0, as it does in score files.
  static void said(Params theta, const Tile& tile, const double* p, double* out) {
    multiply_channel(theta, tile, p, out);
    const std::size_t count = tile.classes * tile.stride;
    for (std::size_t i = 0; i < count; ++i) out[i] = std::max(out[i], double{FLT_MIN});
  }
};

/// What both channels have in common besides.
template <std::size_t kBlocks>
struct ChannelFacts : Facts {
  static constexpr std::string_view action =
      "applies a matrix that was shrunk towards no change, and then a table of what annotators say "
      "for each class";
  static constexpr bool is_convex = false;
  using Shared = RidgeMath<kBlocks>;

  template <class Map, class Visit>
  static void settings(Map& map, const Visit& visit) {
    visit("tau", map.tau, 0.0, core::kAnyNumber);
  }
  template <class Map>
  static std::vector<Block> blocks(const Map&, std::size_t classes, std::size_t) {
    return {{"weights", {classes, Shared::features(classes)}},
            {"bias", {classes}},
            {"channel", {classes, classes}, Numbers::shares}};
  }
  static double reach(Params theta, std::size_t classes, double in) {
    const double front =
        RidgeFacts<kBlocks>::reach(theta.first(theta.size() - classes * classes), classes, in);
    return std::isfinite(front) ? -std::log(static_cast<double>(FLT_MIN)) : HUGE_VAL;
  }
  template <class Map, class Graph>
  static Lowered lower(const Map&, Params theta, std::size_t classes, Graph& graph,
                       const std::string& u) {
    const auto k = static_cast<std::int64_t>(classes);
    const std::string v = RidgeFacts<kBlocks>::lower_ridge(
        theta.first(theta.size() - classes * classes), classes, graph, u);
    const std::string p = graph.node("Softmax", {v}, {{"axis", -1}});
    const std::string channel = graph.constant("channel", theta.last(classes * classes), {k, k});
    return {graph.node("MatMul", {p, channel}), true};
  }
};

template <>
struct Math<ChannelLog> : ChannelMath<1> {
  using Ridge = RidgeLog;
};
template <>
struct Math<ChannelBoth> : ChannelMath<2> {
  using Ridge = RidgeBoth;
};
static_assert(Differentiable<ChannelLog> && Remembering<ChannelBoth> && !Smooth<ChannelLog>);

template <>
struct About<ChannelLog> : ChannelFacts<1> {
  static constexpr std::string_view name = "channel-log";
  static constexpr std::string_view meaning =
      "ridge-log, then a matrix of what annotators say for each class (‹tau›); 2K^2+K parameters";
};
template <>
struct About<ChannelBoth> : ChannelFacts<2> {
  static constexpr std::string_view name = "channel-both";
  static constexpr std::string_view meaning =
      "ridge-both, then a matrix of what annotators say for each class (‹tau›); 3K^2+K parameters";
};

}  // namespace credence::map
