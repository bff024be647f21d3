// Trees of sums over blocks as bytes: each node with its place, and its sums as the caller writes
// them.
#pragma once

#include "core/bytes.hpp"
#include "credence/block_sums.hpp"

namespace credence::core {

/// Calls write(sums) for every node, after its place.
template <class Tree, class Write>
void write_tree(const Tree& tree, ByteWriter& out, const Write& write) {
  out.u64(tree.nodes().size());
  for (const auto& node : tree.nodes()) {
    out.u64(node.first);
    out.u64(node.level);
    write(node.sums);
  }
}

/// Calls read() for the sums of every node.
template <class Tree, class Read>
Tree read_tree(ByteReader& in, const Read& read) {
  Tree tree;
  for (std::uint64_t left = in.length(24); left > 0; --left) {
    typename Tree::Node node;
    node.first = in.u64();
    const std::uint64_t level = in.u64();
    // 2^50 blocks are more than there will ever be.
    if (level > 50 || node.first >> level << level != node.first ||
        (!tree.empty() && tree.end() != node.first)) {
      in.fail("holds sums of blocks that do not follow each other");
    }
    node.level = static_cast<std::uint32_t>(level);
    node.sums = read();
    tree.push(std::move(node));
  }
  return tree;
}

/// The same for numbers, as many in every node.
inline void write_sums(const BlockSums& tree, ByteWriter& out) {
  write_tree(tree, out, [&](const std::vector<double>& sums) { out.numbers(sums); });
}
inline BlockSums read_sums(ByteReader& in) {
  std::size_t width = 0;
  bool first = true;
  return read_tree<BlockSums>(in, [&] {
    std::vector<double> sums = in.numbers();
    if (!first && sums.size() != width) in.fail("holds sums of different lengths");
    first = false;
    width = sums.size();
    return sums;
  });
}

}  // namespace credence::core
