// Maps: how scores may bend. A map reads u = log_softmax(scores) (or the raw scores, see Gauge) and
// gives calibrated logits; its learned numbers are one vector of doubles.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace credence {

/// Which representative of a row's logits the per-class and matrix maps see.
enum class Gauge {
  log_probs,  ///< u = log_softmax(z): logits, log-probabilities and probabilities agree
  raw,        ///< u = z as given (the paper's form)
};

/// Temperatures are kept in [kMinTemperature, kMaxTemperature]; reaching a bound is reported.
inline constexpr double kMinTemperature = 1e-2;
inline constexpr double kMaxTemperature = 1e3;

struct Identity {  ///< f(u) = u; no parameters
  bool operator==(const Identity&) const = default;
};
struct Temperature {  ///< f(u) = b u; theta = [b], b = 1/T
  bool operator==(const Temperature&) const = default;
};
struct ClassTemperatures {  ///< f(u)_k = b_k u_k; theta = [b_1..b_K]
  bool operator==(const ClassTemperatures&) const = default;
};
struct DiagonalAffine {  ///< f(u)_k = w_k u_k + c_k; theta = [w_1..w_K, c_1..c_K], sum c = 0
  bool operator==(const DiagonalAffine&) const = default;
};
struct MatrixAffine {    ///< f(u) = W u + c; theta = [W row-major, c]
  double lambda = 1e-3;  ///< weight of the mean squared off-diagonal entry of W (ODIR)
  double mu = 1e-3;      ///< weight of the mean squared bias
  bool operator==(const MatrixAffine&) const = default;
};
struct AdaptiveTemperature {  ///< f(u) = u / (softplus(w.phi(u) + c) + 0.1); theta = [w_1..w_4, c]
  double l2 = 1e-3;           ///< weight of sum w^2
  bool operator==(const AdaptiveTemperature&) const = default;
};
struct Floor {  ///< f(u) = log((1-a) softmax(b u) + a/K); theta = [c, t], b = softplus(c) + 0.001,
                ///< a = 1/(1+exp(-t))
  double prior = 0.1;  ///< how many examples the prior of each parameter is worth
  bool operator==(const Floor&) const = default;
};
struct AdaptiveFloor {  ///< the same with b = softplus(w.phi(u) + c) + 0.001; theta = [w_1, w_2, c,
                        ///< t]
  double prior = 0.1;   ///< how many examples the prior of each parameter is worth
  bool operator==(const AdaptiveFloor&) const = default;
};
/// f = W x + c over features x of the log-probabilities s, shrunk towards [I, 0] by a penalty worth
/// `tau` examples: no more than a temperature where rows are few. theta = [W row-major, c].
struct RidgeLog {      ///< x = s
  double tau = 100.0;  ///< weight of the sum of squares off the diagonal, divided by 2 n
  bool operator==(const RidgeLog&) const = default;
};
struct RidgeBoth {  ///< x = [s, 4 p], p = softmax(s)
  double tau = 100.0;
  bool operator==(const RidgeBoth&) const = default;
};
struct RidgeSharp {  ///< x = [s, 4 p, 4 softmax(2 s)]
  double tau = 100.0;
  bool operator==(const RidgeSharp&) const = default;
};
/// P = softmax(ridge map) C: C_jk is how often annotators say k when the model believes j.
/// theta = [W row-major, c, C row-major]
struct ChannelLog {     ///< behind RidgeLog
  double tau = 1000.0;  ///< of the ridge map
  bool operator==(const ChannelLog&) const = default;
};
struct ChannelBoth {  ///< behind RidgeBoth
  double tau = 100.0;
  bool operator==(const ChannelBoth&) const = default;
};
struct Clip {           ///< f(u) = b log((1-a) softmax(u) + a/K); theta = [c, t] as for Floor
  double prior = 1e-3;  ///< how many examples the prior of each parameter is worth
  bool operator==(const Clip&) const = default;
};
/// f(u)_k = sum_m W_km phi_m(s_k) + c_k, s = log_softmax(u): a broken line for each class.
/// theta = [W row-major, c]
struct Curves {
  double tau = 100.0;  ///< weight of the squared differences between classes, divided by 2 n
  bool operator==(const Curves&) const = default;
};
struct TopLabelIsotonic {  ///< theta = [steps-1 thresholds, steps values]
  /// Examples that each step is given besides its own, half of them right: 1 is Jeffreys' prior.
  double step_prior = 0.0;
  bool operator==(const TopLabelIsotonic&) const = default;
};
struct TopLabelHistogram {  ///< theta = bin values; an empty bin is -1: "leave it alone"
  int bins = 15;
  double step_prior = 0.0;  ///< as for isotonic steps
  bool operator==(const TopLabelHistogram&) const = default;
};

using MapSpec =
    std::variant<Identity, Temperature, ClassTemperatures, DiagonalAffine, MatrixAffine,
                 AdaptiveTemperature, Floor, AdaptiveFloor, RidgeLog, RidgeBoth, RidgeSharp,
                 ChannelLog, ChannelBoth, Clip, Curves, TopLabelIsotonic, TopLabelHistogram>;

/// The name used in free combinations and in calibrator files.
std::string_view map_name(const MapSpec& map);
/// What it does, in a line.
std::string_view map_meaning(const MapSpec& map);

namespace detail {
template <class... Maps>
constexpr std::array<MapSpec, sizeof...(Maps)> each_once(const std::variant<Maps...>&) {
  return {Maps{}...};
}
}  // namespace detail

/// Every map, as free combinations (`annotators+histogram`) may name them.
inline constexpr auto kMaps = detail::each_once(MapSpec{});

}  // namespace credence
