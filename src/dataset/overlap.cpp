#include "credence/overlap.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>

#include "core/array_kernels.hpp"
#include "core/bucket_sort.hpp"

namespace credence {
namespace {

// Where fewer rows than this share have scores of their own (a forest's votes, a rounded table),
// equal scores do not mean equal examples.
constexpr double kCoarse = 0.9;
// 48 bits: 12 digits in a file, and a chance below 1e-5 that one of a million rows collides with
// one of 2,048.
constexpr std::uint64_t kHashBits = (std::uint64_t{1} << 48U) - 1;

/// Calls body(hashes, first row) for the rows, some at a time.
///
/// The hashes are the same for any order of the classes, which may differ between two files, and
/// for logits, log-probabilities and probabilities of one model: what counts is how far each class
/// is below the largest. They are rounded, since float32 numbers of one row agree to about 1e-6
/// between kinds, and cut where probabilities have become 0; now and then a row falls on two sides
/// of a step and is missed. Two classes have one such number, which needs finer steps to tell rows
/// apart. `others` and `top`, unless they are null, get a first look at the rows.
template <class Body>
void for_each_hashes(Scores scores, const Body& body, float* others = nullptr,
                     std::uint32_t* top = nullptr) {
  constexpr std::size_t kRows = 256;
  constexpr double kLowest = -30.0;
  const double steps = scores.cols() > 2 ? 1e4 : 1e5;
  const core::ArrayKernels& kernels = core::array_kernels();
  std::array<std::uint64_t, kRows> hashes;
  for (std::size_t first = 0; first < scores.rows(); first += kRows) {
    const std::size_t count = std::min(kRows, scores.rows() - first);
    const float* const rows = scores.row(first).data();
    if (others == nullptr) {
      kernels.hash_rows(rows, count, scores.cols(), steps, kLowest, hashes.data());
    } else {
      kernels.look_at_rows(rows, count, scores.cols(), steps, kLowest, hashes.data(),
                           others + first, top + first);
    }
    const std::span<std::uint64_t> found(hashes.data(), count);
    for (std::uint64_t& hash : found) {
      hash = (hash ^ (hash >> 32U)) * 0xd6e8feb86659fd93U;
      hash = (hash ^ (hash >> 32U)) & kHashBits;
    }
    body(std::span<const std::uint64_t>(found), first);
  }
}

std::vector<std::uint64_t> all_hashes(const Dataset& data) {
  std::vector<std::uint64_t> hashes(data.rows());
  for_each_hashes(data.scores, [&](std::span<const std::uint64_t> some, std::size_t first) {
    std::ranges::copy(some, hashes.begin() + static_cast<std::ptrdiff_t>(first));
  });
  core::bucket_sort(hashes, kHashBits);
  return hashes;
}

std::size_t distinct_count(const std::vector<std::uint64_t>& sorted) {
  std::size_t count = sorted.empty() ? 0 : 1;
  for (std::size_t i = 1; i < sorted.size(); ++i) count += sorted[i] != sorted[i - 1] ? 1 : 0;
  return count;
}

bool is_coarse(std::size_t distinct, std::size_t rows) {
  return static_cast<double>(distinct) < kCoarse * static_cast<double>(rows);
}

/// Hashes in order, each with the number of rows that have it: those of before, and more.
std::vector<RowSketcher::Kept> with_counts(const std::vector<RowSketcher::Kept>& before,
                                           std::span<const std::uint64_t> sorted) {
  std::vector<RowSketcher::Kept> all;
  all.reserve(before.size() + sorted.size());
  auto known = before.begin();
  for (const std::uint64_t hash : sorted) {
    while (known != before.end() && known->hash <= hash) all.push_back(*known++);
    if (!all.empty() && all.back().hash == hash) {
      ++all.back().rows;
    } else {
      all.push_back({hash, 1});
    }
  }
  all.insert(all.end(), known, before.end());
  return all;
}

}  // namespace

std::uint64_t RowSketcher::bound() const {
  return kept_.size() == RowSketch::kMostHashes ? kept_.back().hash : kHashBits;
}

void RowSketcher::add(Scores scores) { add(scores, nullptr, nullptr); }

void RowSketcher::add(Scores scores, float* others, std::uint32_t* top) {
  rows_ += scores.rows();
  for_each_hashes(
      scores, [&](std::span<const std::uint64_t> hashes, std::size_t) { add(hashes); }, others,
      top);
}

void RowSketcher::add(std::span<const std::uint64_t> hashes) {
  constexpr std::size_t kRoom = 16 * RowSketch::kMostHashes;
  const std::uint64_t most = bound();
  std::size_t count = waiting_.size();
  waiting_.resize(count + hashes.size());
  for (const std::uint64_t hash : hashes) {  // which are small enough cannot be predicted
    waiting_[count] = hash;
    count += hash <= most ? 1 : 0;
  }
  waiting_.resize(count);
  if (count >= kRoom) absorb();
}

void RowSketcher::absorb() {
  // Of many, few are kept: the others need not be in order. Hashes are spread evenly, so it is
  // known about where those end. Where too many of these are equal, all are sorted after all.
  constexpr std::size_t kMost = RowSketch::kMostHashes, kEnough = kMost + kMost / 8;
  std::vector<Kept> all;
  const std::size_t candidates = kept_.size() + waiting_.size();
  if (candidates > 2 * kEnough) {
    const std::uint64_t enough = bound() / candidates * kEnough;
    std::vector<std::uint64_t> small(waiting_.size());
    std::size_t count = 0;
    for (const std::uint64_t hash : waiting_) {
      small[count] = hash;
      count += hash < enough ? 1 : 0;
    }
    small.resize(count);
    core::bucket_sort(small, enough);
    all = with_counts(kept_, small);
    if (all.size() < kMost || all[kMost - 1].hash >= enough) all.clear();
  }
  if (all.empty()) {
    core::bucket_sort(waiting_, kHashBits);
    all = with_counts(kept_, waiting_);
  }
  if (all.size() > kMost) all.resize(kMost, Kept{0, 0});
  kept_ = std::move(all);
  waiting_.clear();
}

const std::vector<RowSketcher::Kept>& RowSketcher::kept() {
  absorb();
  return kept_;
}

// Whatever is among the smallest of all is among the smallest of each part that has it, so the
// counts of the hashes that stay are exact.
void RowSketcher::merge(const RowSketcher& other) {
  RowSketcher right(other);
  std::vector<Kept> all;
  const std::vector<Kept> left = kept();
  std::ranges::merge(left, right.kept(), std::back_inserter(all), {}, &Kept::hash, &Kept::hash);
  kept_.clear();
  for (const Kept& one : all) {
    if (!kept_.empty() && kept_.back().hash == one.hash) {
      kept_.back().rows += one.rows;
    } else if (kept_.size() < RowSketch::kMostHashes) {
      kept_.push_back(one);
    } else {
      break;
    }
  }
  rows_ += other.rows_;
}

RowSketch RowSketcher::finish() const {
  RowSketcher copy(*this);
  copy.absorb();
  RowSketch sketch{.rows = rows_, .distinct = 0, .smallest = {}};
  std::size_t behind = 0;
  for (const Kept& kept : copy.kept_) {
    sketch.smallest.push_back(kept.hash);
    behind += kept.rows;
  }
  const double share =
      behind == 0 ? 1.0 : static_cast<double>(copy.kept_.size()) / static_cast<double>(behind);
  sketch.distinct = static_cast<std::size_t>(std::llround(share * static_cast<double>(rows_)));
  return sketch;
}

RowSketch sketch_rows(const Dataset& data) {
  RowSketcher sketcher;
  sketcher.add(data.scores);
  return sketcher.finish();
}

FittedRows::FittedRows(const RowSketch& fitted)
    : fitted_(fitted), found_(fitted.smallest.size(), false) {}

void FittedRows::add(Scores scores) {
  if (fitted_.smallest.empty()) return;
  for_each_hashes(scores, [&](std::span<const std::uint64_t> hashes, std::size_t) {
    for (const std::uint64_t hash : hashes) {
      if (hash > fitted_.smallest.back()) continue;
      const auto place = std::ranges::lower_bound(fitted_.smallest, hash);
      if (*place == hash) found_[static_cast<std::size_t>(place - fitted_.smallest.begin())] = true;
    }
  });
}

std::optional<std::size_t> FittedRows::count() const {
  if (found_.empty() || is_coarse(fitted_.distinct, fitted_.rows)) return std::nullopt;
  const double share =
      static_cast<double>(std::ranges::count(found_, true)) / static_cast<double>(found_.size());
  return static_cast<std::size_t>(std::llround(share * static_cast<double>(fitted_.rows)));
}

std::optional<std::size_t> rows_fitted_on(const RowSketch& fitted, const Dataset& data) {
  FittedRows rows(fitted);
  rows.add(data.scores);
  return rows.count();
}

std::optional<std::size_t> rows_in_common(const Dataset& data, const Dataset& other) {
  const std::vector<std::uint64_t> one = all_hashes(data), two = all_hashes(other);
  if (is_coarse(distinct_count(one), one.size()) || is_coarse(distinct_count(two), two.size())) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(std::ranges::count_if(
      one, [&](std::uint64_t hash) { return std::ranges::binary_search(two, hash); }));
}

}  // namespace credence
