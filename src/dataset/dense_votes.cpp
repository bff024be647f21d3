#include "dataset/dense_votes.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace credence::dataset {
namespace {

/// Numbers that are looked at together before the first of them is looked at alone.
constexpr std::size_t kGroup = 16;
/// Numbers of a block, whose votes stay in the nearest cache until they are appended.
constexpr std::size_t kBlockNumbers = 2048;

template <class T>
bool any_votes(const T* counts) {
  bool any = false;
  for (std::size_t j = 0; j < kGroup; ++j) any |= counts[j] != T(0);
  return any;
}

/// Writes the entries of a row that are not 0 and returns how many they are. Every entry is written
/// and only those are kept: which ones they are cannot be predicted, so a branch for each would
/// cost more.
template <class T>
std::size_t compress(const T* row, std::size_t first, std::size_t end, std::uint32_t* classes,
                     double* weights) {
  std::size_t next = 0;
  for (std::size_t k = first; k < end; ++k) {
    classes[next] = static_cast<std::uint32_t>(k);
    weights[next] = static_cast<double>(row[k]);
    next += row[k] != T(0) ? 1 : 0;
  }
  return next;
}

template <class T>
std::size_t compress_row(const T* row, std::size_t class_count, std::uint32_t* classes,
                         double* weights) {
  if (class_count < 2 * kGroup) return compress(row, 0, class_count, classes, weights);
  std::size_t next = 0, k = 0;
  for (; k + kGroup <= class_count; k += kGroup) {
    if (any_votes(row + k)) next += compress(row, k, k + kGroup, classes + next, weights + next);
  }
  return next + compress(row, k, class_count, classes + next, weights + next);
}

template <class V>
void append(const std::vector<V>& from, std::size_t count, std::vector<V>& to) {
  to.insert(to.end(), from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace

template <class T>
std::optional<Votes> dense_votes(const T* counts, std::size_t rows, std::size_t class_count) {
  if (rows == 0 || class_count == 0 || class_count > std::numeric_limits<std::uint32_t>::max()) {
    return std::nullopt;
  }
  const std::size_t most = std::clamp<std::size_t>(kBlockNumbers / class_count, 1, rows);
  std::vector<std::uint32_t> block_classes(most * class_count), classes;
  std::vector<double> block_weights(most * class_count), weights;
  std::vector<std::size_t> offsets(rows + 1, 0);
  bool usable = true;
  for (std::size_t first = 0; first < rows; first += most) {
    const std::size_t end = std::min(first + most, rows), before = classes.size();
    std::size_t next = 0;
    for (std::size_t i = first; i < end; ++i) {
      const std::size_t entries =
          compress_row(counts + i * class_count, class_count, block_classes.data() + next,
                       block_weights.data() + next);
      usable &= entries != 0;
      next += entries;
      offsets[i + 1] = before + next;
    }
    for (std::size_t e = 0; e < next; ++e) {
      usable &= block_weights[e] > 0.0 && block_weights[e] <= std::numeric_limits<double>::max();
    }
    if (!usable) return std::nullopt;
    append(block_classes, next, classes);
    append(block_weights, next, weights);
    if (first == 0) {  // the others will be much like these
      const double per_row = static_cast<double>(next) / static_cast<double>(end);
      const auto expected = static_cast<std::size_t>(1.05 * per_row * static_cast<double>(rows));
      classes.reserve(expected);
      weights.reserve(expected);
    }
  }
  return Votes::from_compressed(std::move(offsets), std::move(classes), std::move(weights),
                                class_count);
}

#define CREDENCE_DENSE_VOTES(T) \
  template std::optional<Votes> dense_votes(const T*, std::size_t, std::size_t);
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
