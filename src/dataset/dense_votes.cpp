#include "dataset/dense_votes.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/array_kernels.hpp"
#include "core/parallel.hpp"
#include "dataset/nonzero_bits.hpp"
#include "dataset/vote_columns.hpp"

namespace credence::dataset {
namespace {

/// Numbers of a block, whose votes stay in the nearest cache until they are appended. Of many
/// classes few have votes.
constexpr std::size_t kBlockNumbers = 2048, kWideBlockNumbers = 16384;
/// Classes whose votes are looked up at once.
constexpr std::size_t kBits = 64;
/// Votes of a row that are taken in without asking whether there are so many: how many there are
/// cannot be predicted, and a branch for each would cost more.
constexpr std::size_t kAlways = 4;

/// All ones where the difference of two numbers below 2^63 is negative, otherwise 0.
inline std::uint64_t is_negative(std::uint64_t difference) { return 0 - (difference >> 63U); }

/// The votes of one row while they are taken in. Which votes a row has, and which are most, cannot
/// be predicted, so it is decided by arithmetic on the bits of the weights: those of numbers that
/// are not negative have their order.
template <class T>
struct RowIn {
  const T* row;
  std::uint32_t* classes;
  double* weights;
  std::size_t count = 0;
  double total = 0.0;
  std::uint64_t most = 0, winner = 0, tied = 0;

  /// The vote at the first bit, if there is any; `any` is the bit of any class of the row.
  [[gnu::always_inline]] void take(std::uint64_t bits, std::size_t first, std::uint64_t any) {
    const std::uint64_t has = (bits | (0 - bits)) >> 63U;
    const std::uint64_t k = first + static_cast<std::uint64_t>(std::countr_zero(bits | any));
    const std::uint64_t weight =
        std::bit_cast<std::uint64_t>(static_cast<double>(row[k])) & (0 - has);
    classes[count] = static_cast<std::uint32_t>(k);
    weights[count] = std::bit_cast<double>(weight);
    count += has;
    total += std::bit_cast<double>(weight);
    const std::uint64_t less = is_negative(weight - most), more = is_negative(most - weight);
    tied = (tied & less) | ~(less | more);
    winner ^= (winner ^ k) & more;
    most ^= (most ^ weight) & more;
  }
  [[gnu::always_inline]] void take_all(std::uint64_t bits, std::uint64_t any) {
    for (std::size_t j = 0; j < kAlways; ++j, bits &= bits - 1) take(bits, 0, any);
    for (; bits != 0; bits &= bits - 1) take(bits, 0, any);
  }
  VoteSummary summary() const { return {total, static_cast<std::uint32_t>(winner), tied != 0}; }
};

/// Where a kernel looks at more numbers at once than the compiler may. No part is shorter than a
/// word, which kernels want.
inline void read_wide_row(RowIn<float>& in, std::size_t class_count,
                          decltype(core::ArrayKernels::nonzero_bits) find) {
  constexpr std::size_t kMostWords = 32, kMost = kMostWords * kBits;
  std::uint64_t words[kMostWords];
  for (std::size_t first = 0, here = 0; first < class_count; first += here) {
    const std::size_t left = class_count - first;
    here = left <= kMost ? left : std::min(kMost, (left - kBits) / kBits * kBits);
    find(in.row + first, here, words);
    for (std::size_t k = 0; k < here; k += kBits) {
      for (std::uint64_t bits = words[k / kBits]; bits != 0; bits &= bits - 1) {
        in.take(bits, first + k, bits);
      }
    }
  }
}

template <class T>
[[gnu::always_inline]] inline void read_row(RowIn<T>& in, std::size_t class_count) {
  if (class_count <= kBits) {
    in.take_all(nonzero_bits(in.row, class_count), std::uint64_t{1} << (class_count - 1));
    return;
  }
  if constexpr (std::is_same_v<T, float>) {
    if (const auto find = core::array_kernels().nonzero_bits) {
      read_wide_row(in, class_count, find);
      return;
    }
  }
  for (std::size_t first = 0; first < class_count; first += kBits) {
    const std::size_t here = std::min(kBits, class_count - first);
    std::uint64_t bits = nonzero_bits(in.row + first, here);
    for (; bits != 0; bits &= bits - 1) in.take(bits, first, bits);
  }
}

/// Writes the votes of a row of few classes and returns how many there are.
template <class T>
[[gnu::always_inline]] inline std::size_t write_row(const T* row, std::size_t class_count,
                                                    std::uint32_t* classes, double* weights) {
  std::uint64_t bits = nonzero_bits(row, class_count);
  const std::uint64_t any = std::uint64_t{1} << (class_count - 1);
  std::size_t count = 0;
  const auto write = [&](std::uint64_t & left) __attribute__((always_inline)) {
    const int k = std::countr_zero(left | any);
    classes[count] = static_cast<std::uint32_t>(k);
    weights[count] = static_cast<double>(row[k]);
    count += (left | (0 - left)) >> 63U;
    left &= left - 1;
  };
  for (std::size_t j = 0; j < kAlways; ++j) write(bits);
  while (bits != 0) write(bits);
  return count;
}

/// The numbers as float32; false where one would change.
template <class T>
bool as_float32(const T* counts, std::size_t size, float* out) {
  bool same = true;
  for (std::size_t i = 0; i < size; ++i) {
    out[i] = static_cast<float>(counts[i]);
    same &= static_cast<double>(out[i]) == static_cast<double>(counts[i]);
  }
  return same;
}

/// The columns of some rows; each is appended to that of all rows.
struct BlockOfVotes {
  std::vector<std::uint32_t> classes;
  std::vector<double> weights;
  std::vector<std::size_t> ends;
  std::vector<double> totals;
  std::vector<std::uint32_t> voted;
  std::vector<unsigned char> tied;
  std::vector<float> counts;  // room for those that come as other numbers

  // Beyond the last vote there is room for those that turn out to be none.
  BlockOfVotes(std::size_t rows, std::size_t class_count)
      : classes(rows * class_count + std::max(kAlways, core::kCompressRoom)),
        weights(classes.size()),
        ends(rows),
        totals(rows),
        voted(rows),
        tied(rows),
        counts(rows * class_count) {}

  /// Sums up whole counts of few classes, many rows at a time; false for all others.
  template <class T>
  bool sum_up(const T* given, std::size_t rows, std::size_t class_count) {
    if (class_count >= core::kLongRow) return false;
    const float* numbers = counts.data();
    if constexpr (std::is_same_v<T, float>) {
      numbers = given;
    } else if (!as_float32(given, rows * class_count, counts.data())) {
      return false;
    }
    return core::array_kernels().sum_counts(numbers, rows, class_count, totals.data(), voted.data(),
                                            tied.data());
  }

  /// The votes of rows that were summed up; returns how many there are.
  template <class T>
  std::size_t list(const T* given, std::size_t rows, std::size_t class_count) {
    if (const auto compress = core::array_kernels().compress_counts) {
      const float* numbers = counts.data();
      if constexpr (std::is_same_v<T, float>) numbers = given;
      return compress(numbers, rows, class_count, classes.data(), weights.data(), ends.data());
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      next += write_row(given + i * class_count, class_count, classes.data() + next,
                        weights.data() + next);
      ends[i] = next;
    }
    return next;
  }
};

/// Positive and finite, all of them.
bool are_positive(std::span<const double> weights) {
  bool fine = true;
  for (const double w : weights) fine &= (w > 0.0) & (w <= std::numeric_limits<double>::max());
  return fine;
}

/// Whole numbers, all of them, and not too large to be found out quickly.
bool are_small_and_whole(std::span<const double> weights) {
  bool fine = true;
  for (const double w : weights) fine &= (w + 0x1p52) - 0x1p52 == w;
  return fine;
}

/// Rows of a block: whole tiles, where rows are summed up in tiles.
std::size_t block_rows(std::size_t class_count) {
  if (class_count >= core::kLongRow) {
    return std::max<std::size_t>(kWideBlockNumbers / class_count, 1);
  }
  const std::size_t tile = core::tile_rows(class_count);
  return std::max<std::size_t>(kBlockNumbers / class_count / tile, 1) * tile;
}

template <class V>
void append(const std::vector<V>& from, std::size_t count, std::vector<V>& to) {
  to.insert(to.end(), from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count));
}

/// What dense_votes() is made of, for some of the rows: a stretch of them for each thread.
template <class T>
std::optional<VoteColumns> columns_of(const T* counts, std::size_t rows, std::size_t class_count) {
  const std::size_t most = block_rows(class_count);
  BlockOfVotes block(most, class_count);
  VoteColumns all;
  all.class_count = class_count;
  all.offsets.reserve(rows + 1);
  all.offsets.push_back(0);
  all.totals.reserve(rows);
  all.voted.reserve(rows);
  for (std::size_t first = 0; first < rows; first += most) {
    const std::size_t here = std::min(most, rows - first), before = all.classes.size();
    const T* const given = counts + first * class_count;
    std::size_t next = 0;
    if (block.sum_up(given, here, class_count)) {
      next = block.list(given, here, class_count);
      for (std::size_t i = 0; i < here; ++i) block.ends[i] += before;
      all.kind.add({block.totals.data(), here}, {block.tied.data(), here});
    } else {
      bool usable = true;
      for (std::size_t i = 0; i < here; ++i) {
        RowIn<T> in{.row = given + i * class_count,
                    .classes = block.classes.data() + next,
                    .weights = block.weights.data() + next};
        read_row(in, class_count);
        next += in.count;
        block.ends[i] = before + next;
        block.totals[i] = in.total;
        block.voted[i] = static_cast<std::uint32_t>(in.winner);
        all.kind.add(in.summary());
        usable &= (in.count != 0) & (in.total <= std::numeric_limits<double>::max());
      }
      const std::span<const double> weights(block.weights.data(), next);
      if (!usable || !are_positive(weights)) return std::nullopt;
      all.kind.whole = all.kind.whole && (are_small_and_whole(weights) || are_whole(weights));
    }
    append(block.classes, next, all.classes);
    append(block.weights, next, all.weights);
    append(block.ends, here, all.offsets);
    append(block.totals, here, all.totals);
    append(block.voted, here, all.voted);
    if (first == 0) {  // the others will be much like these
      const double per_row = static_cast<double>(next) / static_cast<double>(here);
      const auto expected = static_cast<std::size_t>(1.05 * per_row * static_cast<double>(rows));
      all.classes.reserve(expected);
      all.weights.reserve(expected);
    }
  }
  return all;
}

/// Of rows that come one after the other.
VoteColumns joined(std::vector<std::optional<VoteColumns>> parts) {
  if (parts.size() == 1) return std::move(*parts.front());
  std::size_t rows = 0, entries = 0;
  for (const auto& part : parts) {
    rows += part->totals.size();
    entries += part->classes.size();
  }
  VoteColumns all;
  all.class_count = parts.front()->class_count;
  all.offsets.reserve(rows + 1);
  all.offsets.push_back(0);
  all.classes.reserve(entries);
  all.weights.reserve(entries);
  all.totals.reserve(rows);
  all.voted.reserve(rows);
  for (auto& part : parts) {
    const std::size_t before = all.classes.size();
    append(part->classes, part->classes.size(), all.classes);
    append(part->weights, part->weights.size(), all.weights);
    append(part->totals, part->totals.size(), all.totals);
    append(part->voted, part->voted.size(), all.voted);
    for (std::size_t i = 1; i < part->offsets.size(); ++i) {
      all.offsets.push_back(before + part->offsets[i]);
    }
    all.kind.add(part->kind);
    part.reset();
  }
  return all;
}

}  // namespace

template <class T>
std::optional<Votes> dense_votes(const T* counts, std::size_t rows, std::size_t class_count,
                                 int threads) {
  if (rows == 0 || class_count == 0 || class_count > std::numeric_limits<std::uint32_t>::max()) {
    return std::nullopt;
  }
  const auto team =
      std::min(rows, static_cast<std::size_t>(core::threads_for(rows * class_count, threads)));
  std::vector<std::optional<VoteColumns>> parts(team);
  core::parallel_for(static_cast<int>(team), team, [&](std::size_t i) {
    const std::size_t first = rows * i / team, end = rows * (i + 1) / team;
    parts[i] = columns_of(counts + first * class_count, end - first, class_count);
  });
  if (!std::ranges::all_of(parts, [](const auto& part) { return part.has_value(); })) {
    return std::nullopt;
  }
  return joined(std::move(parts)).votes(false);
}

#define CREDENCE_DENSE_VOTES(T) \
  template std::optional<Votes> dense_votes(const T*, std::size_t, std::size_t, int);
CREDENCE_DENSE_VOTES(float)
CREDENCE_DENSE_VOTES(double)
CREDENCE_DENSE_VOTES(std::int8_t)
CREDENCE_DENSE_VOTES(std::int16_t)
CREDENCE_DENSE_VOTES(std::int32_t)
CREDENCE_DENSE_VOTES(std::int64_t)
CREDENCE_DENSE_VOTES(std::uint8_t)
CREDENCE_DENSE_VOTES(std::uint16_t)
CREDENCE_DENSE_VOTES(std::uint32_t)
CREDENCE_DENSE_VOTES(std::uint64_t)
#undef CREDENCE_DENSE_VOTES

}  // namespace credence::dataset
