// Were these rows fitted on? A score on rows that a calibrator has seen flatters it, and a part of
// them is enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "credence/dataset.hpp"

namespace credence {

/// A trace of the rows that a calibrator was fitted to, small enough for its file: the smallest
/// hashes of their scores, whatever kind of scores they are given as. Whether one of these rows is
/// among others can be told for certain, so the share of them that is found estimates the share of
/// all.
struct RowSketch {
  std::size_t rows = 0;
  std::size_t distinct = 0;             ///< about how many of them have scores of their own
  std::vector<std::uint64_t> smallest;  ///< ascending, at most kMostHashes
  static constexpr std::size_t kMostHashes = 2048;
  bool operator==(const RowSketch&) const = default;
};

/// Takes rows as they come. The order of rows and of classes does not matter.
class RowSketcher {
 public:
  /// A hash that is kept, and how many rows have it.
  struct Kept {
    std::uint64_t hash;
    std::size_t rows;
    bool operator==(const Kept&) const = default;
  };
  RowSketcher() = default;
  /// As another one was, from what kept() gave: the smallest hashes, ascending.
  RowSketcher(std::size_t rows, std::vector<Kept> kept) : rows_(rows), kept_(std::move(kept)) {}

  void add(Scores scores);
  /// The same while a first look is taken: `others` and `top` get what it finds, row by row.
  void add(Scores scores, float* others, std::uint32_t* top);
  /// Adds the rows of another one.
  void merge(const RowSketcher& other);
  RowSketch finish() const;
  std::size_t rows() const { return rows_; }
  const std::vector<Kept>& kept();

 private:
  void add(std::span<const std::uint64_t> hashes);
  void absorb();
  std::uint64_t bound() const;  ///< larger hashes are not kept

  std::size_t rows_ = 0;
  std::vector<Kept> kept_;              ///< the smallest so far, ascending
  std::vector<std::uint64_t> waiting_;  ///< not among them yet
};
RowSketch sketch_rows(const Dataset& data);

/// Counts rows that were fitted on, as they come.
class FittedRows {
 public:
  explicit FittedRows(const RowSketch& fitted);
  void add(Scores scores);
  /// As rows_fitted_on() of all of them.
  std::optional<std::size_t> count() const;

 private:
  RowSketch fitted_;
  std::vector<bool> found_;
};

/// About how many rows of `data` were fitted on; empty where that cannot be told, because the
/// sketch is empty or scores are so coarse that different examples share them. Exact up to
/// kMostHashes fitted rows.
std::optional<std::size_t> rows_fitted_on(const RowSketch& fitted, const Dataset& data);

/// How many rows of `data` have the scores of a row of `other`; empty where scores are coarse.
std::optional<std::size_t> rows_in_common(const Dataset& data, const Dataset& other);

}  // namespace credence
