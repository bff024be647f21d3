#include "experiment/diagrams.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/bins.hpp"
#include "core/parallel.hpp"
#include "metrics/bins/equal_mass.hpp"

namespace credence::experiment {
namespace {

constexpr int kMapBins = 20;

bool whole(double value) { return value == std::floor(value); }

/// m votes are m annotators only where they are counted.
bool are_counts(const Votes& votes) {
  if (votes.are_shares()) return false;
  for (std::size_t i = 0; i < votes.rows(); ++i) {
    if (!std::ranges::all_of(votes.row(i).weights, whole)) return false;
  }
  return true;
}

std::vector<BinSpread> spreads(const Evaluation& evaluation, const Votes& votes, bool counted) {
  struct Sums {
    double agreement = 0.0, accuracy = 0.0;              // squared deviations
    double agreement_noise = 0.0, accuracy_noise = 0.0;  // variances
  };
  const ExampleScores scores = examples(evaluation);
  const core::UnitBins bins(static_cast<int>(evaluation.reliability.size()));
  std::vector<Sums> sums(bins.count());
  for (std::size_t i = 0; i < scores.confidence.size(); ++i) {
    const double c = std::min(scores.confidence[i], 1.0);
    const std::size_t b = bins.index(scores.confidence[i]);
    const double r = scores.agreement[i] - evaluation.reliability[b].agreement;
    const double a = static_cast<double>(scores.hit[i]) - evaluation.reliability[b].accuracy;
    sums[b].agreement += r * r;
    sums[b].accuracy += a * a;
    sums[b].agreement_noise += c * (1.0 - c) / votes.total(i);
    sums[b].accuracy_noise += c * (1.0 - c);
  }
  std::vector<BinSpread> result(bins.count());
  for (std::size_t b = 0; b < result.size(); ++b) {
    const auto n = static_cast<double>(evaluation.reliability[b].count);
    if (n > 1.0) {
      result[b].agreement_error = std::sqrt(sums[b].agreement / (n - 1.0) / n);
      result[b].accuracy_error = std::sqrt(sums[b].accuracy / (n - 1.0) / n);
    }
    if (n > 0.0) {
      if (counted) result[b].agreement_noise = std::sqrt(sums[b].agreement_noise) / n;
      result[b].accuracy_noise = std::sqrt(sums[b].accuracy_noise) / n;
    }
  }
  return result;
}

/// Examples by their confidence before, and where the bins of similar confidence begin and end.
struct ByConfidence {
  std::vector<std::size_t> order;
  std::vector<metrics::MassBin> bins;
};

ByConfidence by_confidence(std::span<const double> confidence) {
  ByConfidence result;
  result.order.resize(confidence.size());
  std::iota(result.order.begin(), result.order.end(), std::size_t{0});
  std::ranges::stable_sort(result.order, {}, [&](std::size_t i) { return confidence[i]; });
  std::vector<std::pair<double, double>> sorted;
  sorted.reserve(confidence.size());
  for (const std::size_t i : result.order) sorted.emplace_back(confidence[i], 0.0);
  result.bins = metrics::equal_mass_bins(sorted, kMapBins);
  return result;
}

/// The value that `share` of the sorted ones do not exceed.
double quantile(std::span<const double> sorted, double share) {
  const auto rank = std::ceil(share * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

std::vector<ConfidenceMapBin> confidence_map(std::span<const double> before,
                                             std::span<const double> after,
                                             const ByConfidence& by) {
  std::vector<ConfidenceMapBin> result;
  std::vector<double> values;
  for (const metrics::MassBin& run : by.bins) {
    ConfidenceMapBin bin{.count = run.last - run.first};
    values.clear();
    for (std::size_t at = run.first; at < run.last; ++at) {
      bin.before += before[by.order[at]];
      bin.after += after[by.order[at]];
      values.push_back(after[by.order[at]]);
    }
    bin.before /= static_cast<double>(bin.count);
    bin.after /= static_cast<double>(bin.count);
    std::ranges::sort(values);
    bin.low = quantile(values, 0.1);
    bin.high = quantile(values, 0.9);
    result.push_back(bin);
  }
  return result;
}

ErrorDensity error_density(const Evaluation& evaluation) {
  ErrorDensity grid;
  grid.counts.assign(grid.columns * grid.rows, 0);
  const ExampleScores scores = examples(evaluation);
  const double scale = std::log(static_cast<double>(std::max<std::size_t>(evaluation.classes, 2)));
  const core::UnitBins columns(static_cast<int>(grid.columns)), rows(static_cast<int>(grid.rows));
  for (std::size_t i = 0; i < scores.confidence.size(); ++i) {
    const double error = std::abs(scores.confidence[i] - scores.agreement[i]);
    ++grid.counts[rows.index(error) * grid.columns + columns.index(scores.entropy[i] / scale)];
  }
  return grid;
}

std::vector<std::pair<double, std::size_t>> votes_histogram(const Votes& votes) {
  constexpr std::size_t kMostEntries = 50;
  std::vector<double> totals(votes.rows());
  for (std::size_t i = 0; i < totals.size(); ++i) totals[i] = votes.total(i);
  std::ranges::sort(totals);
  std::vector<std::pair<double, std::size_t>> result;
  for (const double m : totals) {
    if (result.empty() || result.back().first != m) result.emplace_back(m, 0);
    ++result.back().second;
  }
  if (result.size() <= kMostEntries) return result;
  struct Range {
    double sum = 0.0;
    std::size_t rows = 0;
  };
  std::vector<Range> ranges(kMostEntries);
  const double least = totals.front(), width = totals.back() - least;
  for (const auto& [m, rows] : result) {
    const auto at = static_cast<std::size_t>((m - least) / width * double{kMostEntries});
    Range& range = ranges[std::min(at, kMostEntries - 1)];
    range.sum += m * static_cast<double>(rows);
    range.rows += rows;
  }
  result.clear();
  for (const Range& range : ranges) {
    if (range.rows == 0) continue;
    result.emplace_back(range.sum / static_cast<double>(range.rows), range.rows);
  }
  return result;
}

}  // namespace

void add_diagrams(SplitResult& split, const Votes& votes, bool first, int threads) {
  const Evaluation& uncalibrated = split.method("uncalibrated").evaluation;
  if (!uncalibrated.kept) return;
  const bool counted = are_counts(votes);
  const std::span<const double> before = examples(uncalibrated).confidence;
  const ByConfidence by = first ? by_confidence(before) : ByConfidence{};
  core::parallel_for(core::resolve_threads(threads), split.methods.size(), [&](std::size_t j) {
    MethodResult& method = split.methods[j];
    method.diagrams.reliability = spreads(method.evaluation, votes, counted);
    if (!first) return;
    const std::span<const double> after = examples(method.evaluation).confidence;
    method.diagrams.confidence_map = confidence_map(before, after, by);
    method.diagrams.error_density = error_density(method.evaluation);
  });
}

VoteDiagrams vote_diagrams(const Votes& votes) {
  constexpr int kEntropyBins = 20;
  VoteDiagrams result;
  if (votes.rows() == 0) return result;
  const std::size_t classes = votes.classes();
  const double scale = std::log(static_cast<double>(std::max<std::size_t>(classes, 2)));
  const core::UnitBins bins(kEntropyBins);
  const bool confusion = classes <= kMostConfusionClasses;
  result.entropy_histogram.assign(bins.count(), 0);
  result.annotator_shares.assign(classes, 0.0);
  result.voted_shares.assign(classes, 0.0);
  if (confusion) {
    result.confusion.assign(classes * classes, 0.0);
    result.confusion_rows.assign(classes, 0);
  }
  for (std::size_t i = 0; i < votes.rows(); ++i) {
    const VoteRow row = votes.row(i);
    const std::uint32_t voted = votes.voted(i);
    double entropy = 0.0;
    for (std::size_t j = 0; j < row.classes.size(); ++j) {
      const double share = row.weights[j] / votes.total(i);
      entropy -= share * std::log(share);
      result.annotator_shares[row.classes[j]] += share;
      if (confusion) result.confusion[voted * classes + row.classes[j]] += share;
    }
    ++result.entropy_histogram[bins.index(entropy / scale)];
    result.voted_shares[voted] += 1.0;
    if (confusion) ++result.confusion_rows[voted];
  }
  const auto n = static_cast<double>(votes.rows());
  for (double& share : result.annotator_shares) share /= n;
  for (double& share : result.voted_shares) share /= n;
  for (std::size_t cell = 0; cell < result.confusion.size(); ++cell) {
    const std::size_t rows = result.confusion_rows[cell / classes];
    if (rows > 0) result.confusion[cell] /= static_cast<double>(rows);
  }
  if (are_counts(votes)) result.votes_histogram = votes_histogram(votes);
  return result;
}

}  // namespace credence::experiment
