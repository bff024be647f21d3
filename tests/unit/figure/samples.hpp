// Small synthetic data, one per kind of figure, shaped like what real comparisons give.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
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
  result.notes = {"ece_expected 4.10 points [3.20, 5.00]"};
  for (std::size_t b = 0; b < kCounts.size(); ++b) {
    DrawnBin bin;
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
    d.notes = {"4.10 [3.20, 5.00]"};
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

/// What is left where every probability is right: the votes are few.
inline EntropyCurve perfect_curve() {
  EntropyCurve curve{"a perfect model", {}};
  for (std::size_t i = 0; i < 8; ++i) {
    const double entropy = 0.01 + 0.09 * static_cast<double>(i);
    curve.points.push_back({entropy, 0.01 + 0.12 * entropy, {}, {}, 282});
  }
  return curve;
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

inline Confusion confusion(std::size_t classes = 8) {
  static const std::vector<std::string> kNames{"airplane", "automobile", "bird", "cat",
                                               "deer",     "dog",        "frog", "horse"};
  Confusion result;
  for (std::size_t r = 0; r < classes; ++r) {
    result.classes.push_back(r < kNames.size() ? kNames[r] : "class " + std::to_string(r));
    result.examples.push_back(180 + 37 * (r * 5 % 11));
    const double right = 0.97 - 0.04 * static_cast<double>(r % 4);
    double left = 1 - right;
    std::vector<double> row(classes, 0.0);
    for (std::size_t step = 1; step < classes && step < 5; ++step) {
      const double part = step == 4 || step + 1 == classes ? left : left * 0.6;
      row[(r + step) % classes] += part;
      left -= part;
    }
    row[r] = right + left;
    result.shares.insert(result.shares.end(), row.begin(), row.end());
  }
  return result;
}

inline VoteDistribution votes(std::size_t classes = 8) {
  VoteDistribution result;
  result.classes = confusion(classes).classes;
  double total = 0;
  for (std::size_t b = 0; b < 20; ++b) {
    const double at = static_cast<double>(b) / 20;
    result.entropy_counts.push_back(b == 0 ? 2410.0 : std::floor(900 * (1 - at) * (1 - at) * at));
  }
  for (std::size_t v = 44; v <= 60; ++v) {
    const double z = (static_cast<double>(v) - 51) / 2.5;
    result.votes_per_example.emplace_back(static_cast<double>(v),
                                          static_cast<std::size_t>(1600 * std::exp(-0.5 * z * z)));
  }
  for (std::size_t k = 0; k < classes; ++k) {
    result.annotator_shares.push_back(10 + static_cast<double>(k * 7 % 5));
    total += result.annotator_shares.back();
  }
  for (double& share : result.annotator_shares) share /= total;
  for (std::size_t k = 0; k < classes; ++k) {
    result.voted_shares.push_back(result.annotator_shares[k] * (k % 2 == 0 ? 1.06 : 0.94));
  }
  return result;
}

inline std::vector<ConfidenceMap> maps(std::size_t count = 3) {
  std::vector<ConfidenceMap> all;
  for (std::size_t m = 0; m < count; ++m) {
    ConfidenceMap map{methods()[m * 7 % methods().size()], {}};
    for (std::size_t i = 0; i < 20; ++i) {
      const double before = 0.3 + 0.7 * (static_cast<double>(i) + 0.5) / 20;
      const double after =
          before - (0.06 + 0.09 * static_cast<double>(m)) * before * (1 - before) * 4 * 0.8;
      const double spread = 0.25 * (1 - before) * before;
      map.points.push_back({before, after, after - spread, std::min(1.0, after + spread)});
    }
    all.push_back(std::move(map));
  }
  return all;
}

inline ToyPanels toy(std::size_t points = 240) {
  ToyPanels result;
  result.clusters = {"left", "right", "top"};
  std::uint64_t state = 7;
  const auto uniform = [&] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state >> 33) / 2147483648.0;
  };
  for (std::size_t i = 0; i < points; ++i) {
    const std::size_t k = i % 3;
    const double x = uniform() + uniform() + uniform() + uniform() - 2;
    const double y = uniform() + uniform() + uniform() + uniform() - 2;
    const double across = k == 0 ? -1.2 : k == 1 ? 1.2 : 0;
    const double up = k == 2 ? 1.8 : 0;
    result.points.push_back({across + x, up + y, k, std::abs(across + x) < 0.4 && up + y < 1.0});
  }
  result.by_vote = diagram("fitted to majority labels (ts)", 0.09);
  result.by_annotators = diagram("fitted to all annotators (slts)", 0.0);
  return result;
}

}  // namespace credence::figure::samples
