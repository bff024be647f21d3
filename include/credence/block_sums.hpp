// Sums over blocks of rows in one canonical shape: a binary tree over the blocks' numbers.
//
// Floating-point addition is not associative, so who adds what first decides the last bits. Here
// blocks 2j and 2j+1 are always added first, then pairs of pairs, whoever holds them: any division
// of the blocks among threads, files or machines merges to the same bits. A run of neighbouring
// blocks keeps only the nodes that its own blocks complete, at most two per level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace credence {

/// Rows in a block, by absolute row number.
inline constexpr std::size_t kBlockRows = 1024;

class BlockSums {
 public:
  /// The sum of blocks [first, first + 2^level), first a multiple of 2^level.
  struct Node {
    std::uint64_t first = 0;
    std::uint32_t level = 0;
    std::vector<double> sums;
    std::uint64_t end() const { return first + (std::uint64_t{1} << level); }
    bool operator==(const Node&) const = default;
  };

  /// Blocks come in order; the first may have any number.
  void push(std::uint64_t block, std::span<const double> sums) {
    Node node{block, 0, recycled()};
    node.sums.assign(sums.begin(), sums.end());
    push(std::move(node));
  }
  /// The same for a node, which must begin where the last one ends.
  void push(Node node);
  /// Adds the blocks that follow this tree's.
  void merge(BlockSums right);

  bool empty() const { return nodes_.empty(); }
  /// Blocks [first(), end()) are in the tree.
  std::uint64_t first() const { return nodes_.empty() ? 0 : nodes_.front().first; }
  std::uint64_t end() const { return nodes_.empty() ? 0 : nodes_.back().end(); }
  std::span<const Node> nodes() const { return nodes_; }
  /// The sum of everything: from the last node to the first, smallest first.
  std::vector<double> total() const;

  bool operator==(const BlockSums& other) const { return nodes_ == other.nodes_; }

 private:
  std::vector<double> recycled();

  std::vector<Node> nodes_;
  std::vector<std::vector<double>> spare_;  ///< memory of nodes that were added to others
};

}  // namespace credence
