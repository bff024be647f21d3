#include "credence/block_sums.hpp"

#include <cassert>
#include <utility>

namespace credence {
namespace {

void add(const std::vector<double>& right, std::vector<double>& left) {
  assert(left.size() == right.size());
  for (std::size_t j = 0; j < left.size(); ++j) left[j] += right[j];
}

bool are_siblings(const BlockSums::Node& left, const BlockSums::Node& right) {
  return left.level == right.level && (left.first >> left.level) % 2 == 0;
}

}  // namespace

void BlockSums::push(Node node) {
  assert(nodes_.empty() || nodes_.back().end() == node.first);
  nodes_.push_back(std::move(node));
  while (nodes_.size() > 1 && are_siblings(nodes_[nodes_.size() - 2], nodes_.back())) {
    Node right = std::move(nodes_.back());
    nodes_.pop_back();
    add(right.sums, nodes_.back().sums);
    ++nodes_.back().level;
    spare_.push_back(std::move(right.sums));
  }
}

void BlockSums::merge(BlockSums right) {
  for (Node& node : right.nodes_) push(std::move(node));
}

std::vector<double> BlockSums::total() const {
  if (nodes_.empty()) return {};
  std::vector<double> sum = nodes_.back().sums;
  for (std::size_t i = nodes_.size() - 1; i-- > 0;) {
    std::vector<double> larger = nodes_[i].sums;
    add(sum, larger);
    sum = std::move(larger);
  }
  return sum;
}

std::vector<double> BlockSums::recycled() {
  if (spare_.empty()) return {};
  std::vector<double> memory = std::move(spare_.back());
  spare_.pop_back();
  return memory;
}

}  // namespace credence
