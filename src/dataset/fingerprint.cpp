#include "dataset/fingerprint.hpp"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "core/array_kernels.hpp"

namespace credence {

struct RowHash::State {
  State() : state(XXH3_createState()) {
    if (state == nullptr) throw std::bad_alloc();
    XXH3_128bits_reset(state.get());
  }
  struct Free {
    void operator()(XXH3_state_t* memory) const { XXH3_freeState(memory); }
  };
  std::unique_ptr<XXH3_state_t, Free> state;
};

RowHash::RowHash() : state_(std::make_unique<State>()) {}
RowHash::~RowHash() = default;
RowHash::RowHash(RowHash&&) noexcept = default;
RowHash& RowHash::operator=(RowHash&&) noexcept = default;

void RowHash::add(const void* bytes, std::size_t count) {
  constexpr std::size_t kFew = 256;
  if (count >= kFew) {
    core::array_kernels().hash_bytes(state_->state.get(), bytes, count);
  } else if (count != 0) {
    XXH3_128bits_update(state_->state.get(), bytes, count);
  }
}

BlockHash RowHash::finish() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->state.get());
  return {hash.high64, hash.low64};
}

void RowHash::restart() { XXH3_128bits_reset(state_->state.get()); }

void add_sums(const BlockHash& right, BlockHash& left) {
  RowHash both;
  for (const BlockHash& hash : {left, right}) {
    both.add(hash.high);
    both.add(hash.low);
  }
  left = both.finish();
}

void Fingerprint::Column::close(BlockHash hash) {
  done.push({next++, 0, hash});
  rows = 0;
}

Fingerprint::Fingerprint(std::uint64_t first_block) {
  score_blocks_.next = vote_blocks_.next = first_block;
}

void Fingerprint::add(Scores scores) {
  for (std::size_t row = 0; row < scores.rows();) {
    const std::size_t count = std::min(kBlockRows - score_blocks_.rows, scores.rows() - row);
    score_hash_.add(scores.block(row, count).data(), count * scores.cols() * sizeof(float));
    row += count;
    score_blocks_.rows += count;
    if (score_blocks_.rows < kBlockRows) continue;
    score_blocks_.close(score_hash_.finish());
    score_hash_.restart();
  }
}

BlockHash Fingerprint::vote_hash() const {
  BlockHash hash = counts_.finish();
  add_sums(classes_.finish(), hash);
  add_sums(weights_.finish(), hash);
  return hash;
}

void Fingerprint::add(const Votes& votes) {
  std::vector<std::uint64_t> counts;
  for (std::size_t row = 0; row < votes.rows();) {
    const std::size_t count = std::min(kBlockRows - vote_blocks_.rows, votes.rows() - row);
    const auto offsets = votes.offsets().subspan(row, count + 1);
    counts.resize(count);
    for (std::size_t i = 0; i < count; ++i) counts[i] = offsets[i + 1] - offsets[i];
    const std::size_t first = offsets.front(), entries = offsets.back() - first;
    counts_.add(counts.data(), count * sizeof(std::uint64_t));
    classes_.add(votes.entry_classes().data() + first, entries * sizeof(std::uint32_t));
    weights_.add(votes.entry_weights().data() + first, entries * sizeof(double));
    row += count;
    vote_blocks_.rows += count;
    if (vote_blocks_.rows < kBlockRows) continue;
    vote_blocks_.close(vote_hash());
    for (RowHash* hash : {&counts_, &classes_, &weights_}) hash->restart();
  }
}

HashTree Fingerprint::scores() const {
  Column column = score_blocks_;
  if (column.rows != 0) column.close(score_hash_.finish());
  return std::move(column.done);
}

HashTree Fingerprint::votes() const {
  Column column = vote_blocks_;
  if (column.rows != 0) column.close(vote_hash());
  return std::move(column.done);
}

std::string fingerprint_of(const HashTree& scores, const HashTree& votes, std::size_t rows,
                           std::size_t class_count, std::size_t voted,
                           std::span<const std::string> classes) {
  RowHash all;
  for (const std::size_t number : {rows, class_count, voted}) all.add(std::uint64_t{number});
  for (const HashTree* tree : {&scores, &votes}) {
    const BlockHash root = tree->total();
    all.add(root.high);
    all.add(root.low);
  }
  // Every name is preceded by its length, so that no two lists run together.
  all.add(std::uint64_t{classes.size()});
  for (const std::string& name : classes) {
    all.add(std::uint64_t{name.size()});
    all.add(name.data(), name.size());
  }
  const BlockHash hash = all.finish();
  return fmt::format("{:016x}{:016x}", hash.high, hash.low);
}

std::string Dataset::fingerprint() const {
  Fingerprint print;
  print.add(scores);
  print.add(votes);
  return fingerprint_of(print.scores(), print.votes(), scores.rows(), scores.cols(), votes.rows(),
                        classes);
}

std::uint64_t dataset::checksum(Scores scores, const Votes* votes) {
  std::uint64_t hash = XXH3_64bits(scores.data(), scores.size() * sizeof(float));
  if (votes == nullptr) return hash;
  const auto add = [&](const auto& list) {
    hash = XXH3_64bits_withSeed(list.data(), list.size_bytes(), hash);
  };
  add(votes->offsets());
  add(votes->entry_classes());
  add(votes->entry_weights());
  return hash;
}

}  // namespace credence
