// Messages between a driver and pieces of the rows elsewhere: docs/solver.md has the layout.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/bytes.hpp"
#include "credence/row_work.hpp"
#include "dataset/gathered_rows.hpp"

namespace credence::experiment {

enum class Ask : std::uint8_t { survey, labels, fringes, tasks };
inline constexpr std::string_view kCommonMark = "credence rows 1", kOwnMark = "credence piece 1",
                                  kReplyMark = "credence reply 1";

using TagCounts = std::array<std::uint64_t, kTags>;
void write_counts(const TagCounts& counts, core::ByteWriter& out);
TagCounts read_counts(core::ByteReader& in);
std::uint64_t count_of(const TagSet& tags, const TagCounts& counts);

/// What a piece holds; the same in every reply, or rows have changed.
struct PieceFacts {
  std::uint64_t rows = 0, classes = 0, checksum = 0;
  Evidence evidence = Evidence::none;
  bool operator==(const PieceFacts&) const = default;
};
void write_facts(const PieceFacts& facts, core::ByteWriter& out);
PieceFacts read_facts(core::ByteReader& in);

/// Rows that a piece sends; `first` is their number among those of the task.
struct SentRows {
  std::size_t first = 0;
  Matrix<float> scores;
  Votes votes;
  std::vector<std::uint64_t> keys;
  RowBlock block() const {
    return {first, Scores(scores.data(), scores.rows(), scores.cols()),
            votes.rows() == 0 ? nullptr : &votes, keys};
  }
};
void write_rows(const RowBlock& rows, core::ByteWriter& out);
SentRows read_rows(core::ByteReader& in);

}  // namespace credence::experiment
