#include "experiment/diagrams.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "core/bins.hpp"
#include "core/parallel.hpp"
#include "experiment/perfect_errors.hpp"
#include "metrics/bins/equal_mass.hpp"

namespace credence::experiment {
namespace {

constexpr int kMapBins = 20;

/// Sums of deviations from a bin's mean by unit: an example, or a group, whose examples vary
/// together. Their squares give the standard error of the mean.
class Deviations {
 public:
  /// Once for every example of the bin, group after group or without groups.
  void add(double deviation, std::optional<std::uint32_t> group) {
    if (!group || group_ != group) close();
    group_ = group;
    open_ = true;
    sum_ += deviation;
    ++examples_;
  }
  /// Empty for a single unit, which shows no spread.
  std::optional<double> error() {
    close();
    if (units_ < 2.0) return std::nullopt;
    return std::sqrt(units_ / (units_ - 1.0) * squares_) / static_cast<double>(examples_);
  }

 private:
  void close() {
    if (!open_) return;
    squares_ += sum_ * sum_;
    units_ += 1.0;
    sum_ = 0.0;
    open_ = false;
  }

  std::optional<std::uint32_t> group_;
  bool open_ = false;
  std::size_t examples_ = 0;
  double sum_ = 0.0, squares_ = 0.0, units_ = 0.0;
};

/// All rows, those of a group one after the other; in their order without groups.
std::vector<std::size_t> rows_by_group(std::size_t rows, std::span<const std::uint32_t> groups) {
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!groups.empty())
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return groups[i]; });
  return order;
}

std::optional<std::uint32_t> group_of(std::span<const std::uint32_t> groups, std::size_t row) {
  return groups.empty() ? std::nullopt : std::optional(groups[row]);
}

std::vector<BinSpread> spreads(const Evaluation& evaluation, const Votes& votes, bool counted,
                               std::span<const std::uint32_t> groups) {
  struct Sums {
    Deviations agreement, accuracy;
    double agreement_noise = 0.0, accuracy_noise = 0.0;  // variances
  };
  const ExampleScores scores = examples(evaluation);
  const core::UnitBins bins(static_cast<int>(evaluation.reliability.size()));
  std::vector<Sums> sums(bins.count());
  for (const std::size_t i : rows_by_group(scores.confidence.size(), groups)) {
    const double c = std::min(scores.confidence[i], 1.0);
    const std::size_t b = bins.index(scores.confidence[i]);
    const double hit = static_cast<double>(scores.hit[i]);
    sums[b].agreement.add(scores.agreement[i] - evaluation.reliability[b].agreement,
                          group_of(groups, i));
    sums[b].accuracy.add(hit - evaluation.reliability[b].accuracy, group_of(groups, i));
    sums[b].agreement_noise += c * (1.0 - c) / votes.total(i);
    sums[b].accuracy_noise += c * (1.0 - c);
  }
  std::vector<BinSpread> result(bins.count());
  for (std::size_t b = 0; b < result.size(); ++b) {
    const auto n = static_cast<double>(evaluation.reliability[b].count);
    result[b].agreement_error = sums[b].agreement.error();
    result[b].accuracy_error = sums[b].accuracy.error();
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

bool are_counts(const Votes& votes) {
  const auto whole = [](double weight) { return weight == std::floor(weight); };
  return !votes.are_shares() && std::ranges::all_of(votes.entry_weights(), whole);
}

void group_entropy_errors(Evaluation& evaluation, std::span<const std::uint32_t> groups) {
  if (groups.empty()) return;
  const ExampleScores scores = examples(evaluation);
  std::vector<std::size_t> order = rows_by_group(scores.entropy.size(), {});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return scores.entropy[i]; });
  std::size_t first = 0;
  for (EntropyBin& bin : evaluation.pointwise_by_entropy) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
    std::vector<std::size_t> rows(begin, begin + static_cast<std::ptrdiff_t>(bin.count));
    std::ranges::stable_sort(rows, {}, [&](std::size_t i) { return groups[i]; });
    Deviations deviations;
    for (const std::size_t i : rows) {
      deviations.add(std::abs(scores.confidence[i] - scores.agreement[i]) - bin.error, groups[i]);
    }
    bin.standard_error = deviations.error().value_or(std::numeric_limits<double>::quiet_NaN());
    first += bin.count;
  }
}

void add_diagrams(SplitResult& split, const Dataset& test, bool first, int threads) {
  const Votes& votes = test.votes;
  const Evaluation& uncalibrated = split.method("uncalibrated").evaluation;
  if (!uncalibrated.kept) return;
  const bool counted = are_counts(votes);
  const std::span<const double> before = examples(uncalibrated).confidence;
  const ByConfidence by = first ? by_confidence(before) : ByConfidence{};
  core::parallel_for(core::resolve_threads(threads), split.methods.size(), [&](std::size_t j) {
    MethodResult& method = split.methods[j];
    method.diagrams.reliability = spreads(method.evaluation, votes, counted, test.groups);
    group_entropy_errors(method.evaluation, test.groups);
    if (!first) return;
    const std::span<const double> after = examples(method.evaluation).confidence;
    method.diagrams.confidence_map = confidence_map(before, after, by);
    method.diagrams.error_density = error_density(method.evaluation);
    if (counted && method.name == split.candidate) {
      add_perfect_errors(method.evaluation, method.calibrator, test, split.seed);
    }
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
