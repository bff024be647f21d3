// The fingerprint of a dataset, from rows that arrive in pieces.
//
// Blocks of 1,024 rows are hashed one by one, and their hashes along the tree of blocks, scores and
// votes apart. So pieces can be hashed wherever they lie, and merged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "credence/block_sums.hpp"
#include "credence/dataset.hpp"

namespace credence {

struct BlockHash {
  std::uint64_t high = 0, low = 0;
  bool operator==(const BlockHash&) const = default;
};
/// The hash of two neighbours, left by right.
void add_sums(const BlockHash& right, BlockHash& left);
using HashTree = BlockTree<BlockHash>;

/// 128 bits of everything that is added.
class RowHash {
 public:
  RowHash();
  ~RowHash();
  RowHash(RowHash&&) noexcept;
  RowHash& operator=(RowHash&&) noexcept;
  void add(const void* bytes, std::size_t count);
  void add(std::uint64_t value) { add(&value, sizeof value); }
  BlockHash finish() const;
  void restart();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Add scores and votes, each in the order of their rows; cut into pieces however they are, the
/// fingerprint is Dataset::fingerprint().
class Fingerprint {
 public:
  /// Of rows from the beginning of a block on.
  explicit Fingerprint(std::uint64_t first_block = 0);

  void add(Scores scores);
  void add(const Votes& votes);
  /// The hashes so far, of whole blocks and of the last one.
  HashTree scores() const;
  HashTree votes() const;

 private:
  /// Where a column of blocks stands.
  struct Column {
    HashTree done;
    std::uint64_t next = 0;      // the block under way
    std::size_t rows = 0;        // of it
    void close(BlockHash hash);  // ends the block
  };
  BlockHash vote_hash() const;

  Column score_blocks_, vote_blocks_;
  RowHash score_hash_, counts_, classes_, weights_;
};

/// Of `rows` rows whose hashes are these; `voted` of them have votes.
std::string fingerprint_of(const HashTree& scores, const HashTree& votes, std::size_t rows,
                           std::size_t class_count, std::size_t voted,
                           std::span<const std::string> classes);

namespace dataset {
/// 64 bits that tell whether some rows are still the same; `votes` may be null.
std::uint64_t checksum(Scores scores, const Votes* votes);
}  // namespace dataset

}  // namespace credence
