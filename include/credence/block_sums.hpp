// Sums over blocks of rows in one canonical shape: a binary tree over the blocks' numbers.
//
// Floating-point addition is not associative, so who adds what first decides the last bits. Here
// blocks 2j and 2j+1 are always added first, then pairs of pairs, whoever holds them: any division
// of the blocks among threads, files or machines merges to the same bits. A run of neighbouring
// blocks keeps only the nodes that its own blocks complete, at most two per level.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace credence {

/// Rows in a block, by absolute row number.
inline constexpr std::size_t kBlockRows = 1024;

/// left += right, entry by entry.
void add_sums(const std::vector<double>& right, std::vector<double>& left);

/// A tree over anything that can be added: add_sums(right, left) puts the sums of the blocks that
/// follow into those of the blocks before.
template <class Sums>
class BlockTree {
 public:
  /// The sum of blocks [first, first + 2^level), first a multiple of 2^level.
  struct Node {
    std::uint64_t first = 0;
    std::uint32_t level = 0;
    Sums sums;
    std::uint64_t end() const { return first + (std::uint64_t{1} << level); }
    bool operator==(const Node&) const = default;
  };

  /// Nodes come in order: each must begin where the last one ends, the first anywhere.
  void push(Node node) {
    assert(nodes_.empty() || nodes_.back().end() == node.first);
    nodes_.push_back(std::move(node));
    while (nodes_.size() > 1 && are_siblings(nodes_[nodes_.size() - 2], nodes_.back())) {
      Node right = std::move(nodes_.back());
      nodes_.pop_back();
      add_sums(right.sums, nodes_.back().sums);
      ++nodes_.back().level;
      spare_.push_back(std::move(right.sums));
    }
  }
  /// Adds the blocks that follow this tree's.
  void merge(BlockTree right) {
    for (Node& node : right.nodes_) push(std::move(node));
  }

  bool empty() const { return nodes_.empty(); }
  /// Blocks [first(), end()) are in the tree.
  std::uint64_t first() const { return nodes_.empty() ? 0 : nodes_.front().first; }
  std::uint64_t end() const { return nodes_.empty() ? 0 : nodes_.back().end(); }
  std::span<const Node> nodes() const { return nodes_; }
  /// The sum of everything: from the last node to the first, smallest first.
  Sums total() const {
    if (nodes_.empty()) return {};
    Sums sum = nodes_.back().sums;
    for (std::size_t i = nodes_.size() - 1; i-- > 0;) {
      Sums larger = nodes_[i].sums;
      add_sums(sum, larger);
      sum = std::move(larger);
    }
    return sum;
  }

  bool operator==(const BlockTree& other) const { return nodes_ == other.nodes_; }

 protected:
  /// Memory of a node that was added to another, with whatever is in it.
  Sums recycled() {
    if (spare_.empty()) return {};
    Sums memory = std::move(spare_.back());
    spare_.pop_back();
    return memory;
  }

 private:
  static bool are_siblings(const Node& left, const Node& right) {
    return left.level == right.level && (left.first >> left.level) % 2 == 0;
  }

  std::vector<Node> nodes_;
  std::vector<Sums> spare_;
};

/// The tree of lists of numbers of one length.
class BlockSums : public BlockTree<std::vector<double>> {
 public:
  using BlockTree::push;
  /// Blocks come in order; the first may have any number.
  void push(std::uint64_t block, std::span<const double> sums) {
    Node node{block, 0, recycled()};
    node.sums.assign(sums.begin(), sums.end());
    push(std::move(node));
  }
};

}  // namespace credence
