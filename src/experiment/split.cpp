#include "credence/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.hpp"
#include "credence/error.hpp"
#include "experiment/label_order.hpp"

namespace credence {
namespace {

// Streams apart, so that splitting, folding and whatever else draws from the user's seed are
// independent.
constexpr std::uint64_t kSplitStream = 0x73706c6974ULL, kFoldStream = 0x666f6c64ULL;

void check_share(double share) {
  if (share > 0.0 && share < 1.0) return;
  throw Error(ErrorCode::usage,
              fmt::format("a calibration share of {} leaves one part empty", share),
              "choose a share between 0 and 1, for example 0.5");
}

/// 0 .. count-1 in an order given by (seed, stream).
std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed, std::uint64_t stream) {
  const std::uint64_t own = core::mix64(seed ^ stream);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::uint64_t> key(count);
  for (std::size_t i = 0; i < count; ++i) key[i] = core::random_bits(own, i, 0);
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return key[a] != key[b] ? key[a] < key[b] : a < b;
  });
  return order;
}

/// The rows that have a label, as in_label_order scans them.
template <class Labels>
auto all_rows(const Labels& labels) {
  return [&labels](const auto& emit) {
    for (std::size_t i = 0; i < labels.size(); ++i) emit(i, i, labels[i]);
  };
}

/// Row j of the order calibrates when round(share * (j+1)) steps up: every stretch of the order, so
/// every label, gives its share up to one row.
class Quota {
 public:
  Quota(double share, std::size_t rows) : share_(share), rows_(rows) {
    check_share(share);
    if (rows >= 2) return;
    throw Error(ErrorCode::data, fmt::format("{} example(s) cannot be split in two parts", rows),
                "give calibration and evaluation examples in files of their own");
  }
  bool calibrates(std::size_t position) const { return of(position + 1) > of(position); }

 private:
  std::size_t of(std::size_t count) const {
    const auto so_far = static_cast<std::size_t>(std::llround(share_ * static_cast<double>(count)));
    return count == rows_ ? std::clamp(so_far, std::size_t{1}, rows_ - 1)
                          : std::min(so_far, rows_ - 1);
  }
  double share_;
  std::size_t rows_;
};

std::size_t group_count(std::span<const std::uint32_t> groups) {
  return groups.empty() ? 0 : std::size_t{*std::ranges::max_element(groups)} + 1;
}

std::vector<std::size_t> group_sizes(std::span<const std::uint32_t> groups) {
  std::vector<std::size_t> sizes(group_count(groups), 0);
  for (const std::uint32_t g : groups) ++sizes[g];
  return sizes;
}

Split from_marks(const std::vector<bool>& calibrates) {
  Split split;
  for (std::size_t i = 0; i < calibrates.size(); ++i) {
    (calibrates[i] ? split.calibration : split.evaluation).push_back(i);
  }
  return split;
}

}  // namespace

Split stratified_split(const Votes& votes, double calibration_share, std::uint64_t seed) {
  const Quota quota(calibration_share, votes.rows());
  std::vector<bool> calibrates(votes.rows(), false);
  experiment::in_label_order(
      seed, kSplitStream, votes.rows(), all_rows(votes.voted()),
      [&](std::size_t row, std::size_t position) { calibrates[row] = quota.calibrates(position); });
  return from_marks(calibrates);
}

Split group_split(std::span<const std::uint32_t> groups, double calibration_share,
                  std::uint64_t seed) {
  check_share(calibration_share);
  const std::vector<std::size_t> sizes = group_sizes(groups);
  const auto used = static_cast<std::size_t>(
      std::ranges::count_if(sizes, [](std::size_t size) { return size > 0; }));
  if (used < 2) {
    throw Error(ErrorCode::data, "all examples belong to one group, which cannot be split",
                "leave out ‹groups›, or give calibration and evaluation rows yourself");
  }
  const double wanted = calibration_share * static_cast<double>(groups.size());
  std::vector<bool> taken(sizes.size(), false);
  std::size_t rows = 0, groups_taken = 0;
  for (const std::size_t g : shuffled(sizes.size(), seed, kSplitStream)) {
    if (sizes[g] == 0 || groups_taken + 1 == used) continue;
    const double before = std::abs(wanted - static_cast<double>(rows));
    const double after = std::abs(wanted - static_cast<double>(rows + sizes[g]));
    if (groups_taken > 0 && after >= before) continue;
    taken[g] = true;
    rows += sizes[g];
    ++groups_taken;
  }
  std::vector<bool> calibrates(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) calibrates[i] = taken[groups[i]];
  return from_marks(calibrates);
}

Split make_split(const Dataset& data, double calibration_share, std::uint64_t seed) {
  return data.groups.empty() ? stratified_split(data.votes, calibration_share, seed)
                             : group_split(data.groups, calibration_share, seed);
}

Split given_split(std::span<const std::size_t> calibration_rows, std::size_t rows) {
  std::vector<bool> calibrates(rows, false);
  for (const std::size_t i : calibration_rows) {
    if (i >= rows) {
      throw Error(ErrorCode::data,
                  fmt::format("calibration row {} does not exist: there are {} rows", i, rows),
                  "rows are counted from 0");
    }
    calibrates[i] = true;
  }
  Split split = from_marks(calibrates);
  if (split.calibration.empty() || split.evaluation.empty()) {
    throw Error(ErrorCode::data,
                fmt::format("the calibration rows leave {} rows to fit and {} rows to evaluate",
                            split.calibration.size(), split.evaluation.size()),
                "both parts need rows");
  }
  return split;
}

std::vector<std::uint32_t> label_folds(const RowLabels& labels, std::uint32_t folds,
                                       std::uint64_t seed) {
  std::vector<std::uint32_t> fold(labels.size());
  experiment::in_label_order(seed, kFoldStream, std::max<std::size_t>(fold.size(), 1),
                             all_rows(labels), [&](std::size_t row, std::size_t position) {
                               fold[row] = static_cast<std::uint32_t>(position % folds);
                             });
  return fold;
}

std::vector<std::uint32_t> make_folds(const Dataset& data, std::uint32_t folds,
                                      std::uint64_t seed) {
  std::vector<std::uint32_t> fold(data.rows());
  if (data.groups.empty()) {
    experiment::in_label_order(seed, kFoldStream, std::max<std::size_t>(fold.size(), 1),
                               all_rows(data.votes.voted()),
                               [&](std::size_t row, std::size_t position) {
                                 fold[row] = static_cast<std::uint32_t>(position % folds);
                               });
    return fold;
  }
  // Large groups first into the emptiest fold; the shuffle decides between equals.
  const std::vector<std::size_t> sizes = group_sizes(data.groups);
  std::vector<std::size_t> order = shuffled(sizes.size(), seed, kFoldStream);
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t g) { return sizes[g]; });
  std::vector<std::size_t> filled(folds, 0);
  std::vector<std::uint32_t> fold_of_group(sizes.size());
  for (const std::size_t g : order) {
    const auto emptiest = std::ranges::min_element(filled) - filled.begin();
    fold_of_group[g] = static_cast<std::uint32_t>(emptiest);
    filled[static_cast<std::size_t>(emptiest)] += sizes[g];
  }
  for (std::size_t i = 0; i < fold.size(); ++i) fold[i] = fold_of_group[data.groups[i]];
  return fold;
}

std::vector<std::uint8_t> split_and_fold(const RowLabels& labels, double calibration_share,
                                         std::uint32_t folds, std::uint64_t seed,
                                         std::size_t most_rows) {
  if (folds >= kTags) {
    throw Error(ErrorCode::usage,
                fmt::format("{} folds; rows that are read in passes allow {}", folds, kTags - 1));
  }
  const Quota quota(calibration_share, labels.size());
  std::vector<std::uint8_t> tags(labels.size(), 0);
  experiment::in_label_order(seed, kSplitStream, most_rows, all_rows(labels),
                             [&](std::size_t row, std::size_t position) {
                               tags[row] = quota.calibrates(position) ? 1 : 0;
                             });
  // Folds are of the calibration rows, numbered among themselves. A tag above 0 stays above 0.
  const auto calibrating = [&](const auto& emit) {
    std::size_t number = 0;
    for (std::size_t i = 0; i < tags.size(); ++i) {
      if (tags[i] != 0) emit(number++, i, labels[i]);
    }
  };
  experiment::in_label_order(seed, kFoldStream, most_rows, calibrating,
                             [&](std::size_t row, std::size_t position) {
                               tags[row] = static_cast<std::uint8_t>(1 + position % folds);
                             });
  return tags;
}

}  // namespace credence
