// Which rows a calibrator learns from and which rows judge it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "credence/dataset.hpp"
#include "credence/row_work.hpp"

namespace credence {

/// Row numbers, ascending.
struct Split {
  std::vector<std::size_t> calibration, evaluation;
};

/// Gives round(share * n) rows to calibration, the same share of every majority label up to one
/// row. Row i's place among the rows of its label depends on (seed, i) only. Both parts get a row
/// when there are two; an Error(data) otherwise.
Split stratified_split(const Votes& votes, double calibration_share, std::uint64_t seed);

/// Whole groups (patients, recordings): groups are taken in an order that depends on the seed until
/// the share of rows is as near as it gets. One group alone is an Error(data).
Split group_split(std::span<const std::uint32_t> groups, double calibration_share,
                  std::uint64_t seed);

/// By groups where the data have them, by majority label otherwise.
Split make_split(const Dataset& data, double calibration_share, std::uint64_t seed);

/// The listed rows calibrate, all others evaluate. A row that is out of range, or a part without
/// rows, is an Error.
Split given_split(std::span<const std::size_t> calibration_rows, std::size_t rows);

/// A fold in [0, folds) for every row: whole groups where given, otherwise every majority label
/// spread evenly. There may be fewer folds than asked for when there are fewer rows or groups.
std::vector<std::uint32_t> make_folds(const Dataset& data, std::uint32_t folds, std::uint64_t seed);

/// The same from majority labels alone, without groups.
std::vector<std::uint32_t> label_folds(const RowLabels& labels, std::uint32_t folds,
                                       std::uint64_t seed);

/// For rows that somebody else has: 0 for every row that evaluates, 1 + its fold for every row that
/// calibrates; the very rows of stratified_split, and make_folds of its calibration rows. About
/// 48 bytes for each of `most_rows` rows are held beside labels and tags.
std::vector<std::uint8_t> split_and_fold(const RowLabels& labels, double calibration_share,
                                         std::uint32_t folds, std::uint64_t seed,
                                         std::size_t most_rows = std::size_t{1} << 21);

}  // namespace credence
