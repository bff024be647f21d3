// Which rows a calibrator learns from and which rows judge it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "credence/dataset.hpp"

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

}  // namespace credence
