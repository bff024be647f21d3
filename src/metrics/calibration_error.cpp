// The family of expected calibration errors: gaps between confidence and agreement, by bins.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "credence/error.hpp"
#include "metrics/equal_mass.hpp"
#include "metrics/poisson_binomial.hpp"
#include "metrics/scored.hpp"

namespace credence {
namespace {

double sum_of_magnitudes(const std::vector<double>& sums) {
  double total = 0.0;
  for (const double sum : sums) total += std::abs(sum);
  return total;
}

}  // namespace

double ece_expected(std::span<const double> confidence, std::span<const double> agreement,
                    int bins) {
  if (confidence.size() != agreement.size() || confidence.empty()) {
    throw Error(ErrorCode::usage, "ece_expected: " + std::to_string(confidence.size()) +
                                      " confidences and " + std::to_string(agreement.size()) +
                                      " agreements; wanted one agreement per confidence");
  }
  if (bins < 1 || bins > kMaxBins) {
    throw Error(ErrorCode::usage, "ece_expected: " + std::to_string(bins) + " bins; wanted 1 to " +
                                      std::to_string(kMaxBins));
  }
  const auto gap = [&](std::size_t i) { return confidence[i] - agreement[i]; };
  return sum_of_magnitudes(core::bin_sums(core::UnitBins(bins), confidence, gap)) /
         static_cast<double>(confidence.size());
}

namespace metrics {
namespace {

/// The rows of each bin one after another: rows[first[b]] .. rows[first[b+1] - 1], ascending.
struct RowsByBin {
  std::vector<std::size_t> first, rows;
  explicit RowsByBin(const Scored& s) : first(s.bins.count() + 1, 0), rows(s.rows()) {
    for (const double c : s.confidence) ++first[s.bins.index(c) + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    for (std::size_t i = 0; i < s.rows(); ++i) rows[next[s.bins.index(s.confidence[i])]++] = i;
  }
  std::span<const std::size_t> bin(std::size_t b) const {
    return {rows.data() + first[b], first[b + 1] - first[b]};
  }
};

}  // namespace

double ece_voted(const Scored& s) {
  const auto gap = [&](std::size_t i) { return s.confidence[i] - static_cast<double>(s.hit[i]); };
  return s.mean(sum_of_magnitudes(core::bin_sums(s.bins, s.confidence, gap)));
}

double ece_true_exact(const Scored& s) {
  const RowsByBin by_bin(s);
  double total = 0.0;
  std::vector<double> chances;
  for (std::size_t b = 0; b < s.bins.count(); ++b) {
    Sum confidence;
    chances.clear();
    for (const std::size_t i : by_bin.bin(b)) {
      confidence.add(s.confidence[i]);
      chances.push_back(s.agreement[i]);
    }
    if (!chances.empty()) total += mean_absolute_deviation(confidence.value(), chances);
  }
  return s.mean(total);
}

double ece_floor(const Scored& s) {
  const auto variance = [&](std::size_t i) { return s.agreement[i] * (1.0 - s.agreement[i]); };
  double total = 0.0;
  for (const double sum : core::bin_sums(s.bins, s.confidence, variance)) {
    total += std::sqrt(2.0 / std::numbers::pi * sum);
  }
  return s.mean(total);
}

double aece_expected(const Scored& s) {
  std::vector<std::pair<double, double>> sorted(s.rows());
  for (std::size_t i = 0; i < s.rows(); ++i) sorted[i] = {s.confidence[i], s.agreement[i]};
  std::sort(sorted.begin(), sorted.end());
  double total = 0.0;
  for (const MassBin& bin : equal_mass_bins(sorted, s.options.bins)) {
    Sum gap;
    for (std::size_t i = bin.first; i < bin.last; ++i) gap.add(sorted[i].first - sorted[i].second);
    total += std::abs(gap.value());
  }
  return s.mean(total);
}

double cwece_expected(const Scored& s) {
  return s.mean(sum_of_magnitudes(s.class_gap)) / static_cast<double>(s.votes.classes());
}

double ece2_debiased(const Scored& s) {
  const RowsByBin by_bin(s);
  double total = 0.0;
  for (std::size_t b = 0; b < s.bins.count(); ++b) {
    const auto rows = by_bin.bin(b);
    // One row shows no variance: its squared gap cannot be told from noise and adds nothing.
    if (rows.size() < 2) continue;
    const auto count = static_cast<double>(rows.size());
    Sum gaps, squares;
    for (const std::size_t i : rows) gaps.add(s.confidence[i] - s.agreement[i]);
    const double mean = gaps.value() / count;
    for (const std::size_t i : rows) {
      const double off = s.confidence[i] - s.agreement[i] - mean;
      squares.add(off * off);
    }
    const double variance = squares.value() / (count - 1.0);
    total += count * (mean * mean - variance / count);
  }
  return s.mean(total);
}

std::vector<ReliabilityBin> reliability(const Scored& s) {
  std::vector<ReliabilityBin> result(s.bins.count());
  for (std::size_t i = 0; i < s.rows(); ++i) {
    ReliabilityBin& bin = result[s.bins.index(s.confidence[i])];
    ++bin.count;
    bin.confidence += s.confidence[i];
    bin.agreement += s.agreement[i];
    bin.accuracy += static_cast<double>(s.hit[i]);
  }
  for (ReliabilityBin& bin : result) {
    if (bin.count == 0) continue;
    const auto count = static_cast<double>(bin.count);
    bin.confidence /= count;
    bin.agreement /= count;
    bin.accuracy /= count;
  }
  return result;
}

}  // namespace metrics
}  // namespace credence
