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

/// Error that grows with disagreement, `slope` as steeply.
inline std::vector<EntropyCurve> entropy_curves(std::size_t count = 4) {
  std::vector<EntropyCurve> all;
  for (std::size_t m = 0; m < count; ++m) {
    EntropyCurve curve{methods()[m * 5 % methods().size()], {}};
    const double slope = 0.28 + 0.05 * static_cast<double>(m);
    for (std::size_t i = 0; i < 8; ++i) {
      const double entropy = 0.01 + 0.09 * static_cast<double>(i);
      const double error = 0.012 * static_cast<double>(m + 1) + slope * entropy * (1.2 - entropy);
      const double width = 0.006 + 0.002 * static_cast<double>(i);
      curve.points.push_back({entropy, error, error - width, error + width, 282});
    }
    all.push_back(std::move(curve));
  }
  return all;
}

inline Density density() {
  Density result{40, 30, {}, "uncalibrated"};
  for (std::size_t r = 0; r < result.rows; ++r) {
    for (std::size_t c = 0; c < result.columns; ++c) {
      const double entropy = (static_cast<double>(c) + 0.5) / 40;
      const double error = (static_cast<double>(r) + 0.5) / 30;
      const double centre = 0.05 + 0.45 * entropy, width = 0.03 + 0.2 * entropy;
      const double height = c == 0 ? 900 : 40 * (1 - entropy) * (entropy < 0.8 ? 1 : 0);
      const double z = (error - centre) / width;
      result.counts.push_back(std::floor(height * std::exp(-0.5 * z * z)));
    }
  }
  return result;
}

inline Curves set_size_curves(std::size_t count = 3) {
  Curves result{"calibration examples", "ece_true", true, true, {}};
  for (std::size_t m = 0; m < count; ++m) {
    Curve curve{methods()[m * 3 % methods().size()], {}};
    for (const double n : {125.0, 250.0, 500.0, 1250.0, 2500.0}) {
      const double gain = static_cast<double>(m + 1) * 0.9 / n;
      curve.points.push_back({n, 0.013 + 0.003 * static_cast<double>(m) + gain, gain * 0.7});
    }
    result.curves.push_back(std::move(curve));
  }
  return result;
}

inline MetricBars bars(std::size_t count = 17) {
  MetricBars result;
  result.metric = "ece_true";
  result.meaning =
      "gap between confidence and the answers of annotators, mean over draws of one answer each";
  result.percent = true;
  result.interval = "mean ± sd over 5 splits";
  result.floor = 0.0063;
  result.floor_label = "what a perfect model would show";
  for (std::size_t i = 0; i < count; ++i) {
    MethodValue m;
    m.method = methods()[i % methods().size()];
    const double at = static_cast<double>(i);
    const double value = 0.0092 + 0.0004 * at + 0.00019 * at * at;
    m.value = value;
    m.low = value - 0.0011 - 0.0001 * at;
    m.high = value + 0.0011 + 0.0001 * at;
    m.recommended = i == 0;
    m.oracle = m.method == "oracle-ts";
    m.tied_with_best = i < 4;
    for (int s = -2; s <= 2; ++s) m.seeds.push_back(value + 0.0006 * s * (s % 2 == 0 ? 1.0 : 0.4));
    if (i == 5) m.value = m.low = m.high = std::nullopt, m.seeds.clear();
    result.methods.push_back(std::move(m));
  }
  return result;
}

inline Heatmap heatmap(std::size_t rows = 17) {
  Heatmap map;
  map.metrics = {"nll", "brier", "ece_true", "ece_expected", "aece_expected", "accuracy"};
  for (std::size_t r = 0; r < rows; ++r) {
    map.methods.push_back(methods()[r % methods().size()]);
    for (std::size_t c = 0; c < map.metrics.size(); ++c) {
      HeatCell cell;
      const double rank = static_cast<double>((r + c * 3) % 17);
      cell.value = 0.21 + 0.013 * rank;
      cell.text = rank == 16 ? "1.0312" : "0.2" + std::to_string(100 + static_cast<int>(rank) * 13);
      cell.goodness = 1 - rank / 16;
      cell.tied_with_best = rank < 2;
      if (r == 5 && c == 0) cell = {};
      map.cells.push_back(std::move(cell));
    }
  }
  return map;
}

}  // namespace credence::figure::samples
