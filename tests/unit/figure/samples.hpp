// Small made-up data, one per kind of figure, shaped like what real comparisons give.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "credence/figures.hpp"

namespace credence::figure::samples {

/// Confidence bins of a model that is `excess` too sure in the middle of the scale.
inline Reliability diagram(std::string method, double excess, Truth truth = Truth::annotators) {
  constexpr std::array<std::size_t, 15> kCounts{0,  0,  0,   0,   3,   21,  44,  70,
                                                82, 96, 104, 131, 158, 247, 1301};
  Reliability result;
  result.method = std::move(method);
  result.truth = truth;
  result.notes = {"ece_expected 4.1 % [3.2, 5.0]", "ece_floor 0.6 %"};
  for (std::size_t b = 0; b < kCounts.size(); ++b) {
    ReliabilityBin bin;
    bin.from = static_cast<double>(b) / 15;
    bin.to = static_cast<double>(b + 1) / 15;
    bin.count = kCounts[b];
    if (bin.count > 0) {
      const double n = static_cast<double>(bin.count);
      bin.confidence = bin.from + (b == 14 ? 0.85 : 0.52) / 15;
      const double wobble = 0.02 * static_cast<double>(static_cast<int>(b * 7 % 5) - 2);
      const double c = bin.confidence;
      bin.agreement = c - 4 * excess * c * (1 - c) + wobble * (1 - c) * 2;
      const double error = std::sqrt(bin.agreement * (1 - bin.agreement) * 0.35 / n);
      bin.low = std::max(0.0, bin.agreement - 1.96 * error);
      bin.high = std::min(1.0, bin.agreement + 1.96 * error);
      bin.noise = std::sqrt(c * (1 - c) / (n * 12));
    }
    result.bins.push_back(bin);
  }
  return result;
}

inline Caption caption(std::string id) {
  return {"A figure", "What the figure shows, in words.", std::move(id)};
}

inline const std::vector<std::string>& methods() {
  static const std::vector<std::string> kNames{
      "dirichlet-soft", "soft-platt",  "slts",   "mcts",  "vs",
      "ir-soft",        "oracle-ts",   "ts",     "ats",   "platt",
      "dirichlet-hard", "hist-bin",    "ent-ls", "cc-ls", "ls-ts",
      "fixed-ls",       "uncalibrated"};
  return kNames;
}

inline std::vector<Reliability> grid(std::size_t count = 17) {
  std::vector<Reliability> all;
  for (std::size_t i = 0; i < count; ++i) {
    Reliability d =
        diagram(methods()[i % methods().size()], -0.06 + 0.012 * static_cast<double>(i % 17));
    d.notes = {"ece_expected 4.1 % [3.2, 5.0]"};
    all.push_back(std::move(d));
  }
  return all;
}

}  // namespace credence::figure::samples
