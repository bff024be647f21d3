// Some of the rows of blocks that come one after the other, gathered until they fill blocks of
// their own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "credence/block_sums.hpp"
#include "credence/dataset.hpp"

namespace credence::dataset {

class GatheredRows {
 public:
  /// The first row to come is number `first` among those that are gathered.
  explicit GatheredRows(std::size_t classes, std::size_t first = 0)
      : classes_(classes), first_(first) {}

  std::size_t first() const { return first_; }
  std::size_t rows() const { return rows_; }

  /// Adds the rows i of a block for which keeps(i).
  template <class Keeps>
  void add(Scores scores, const Votes* votes, std::span<const std::uint64_t> keys,
           const Keeps& keeps) {
    add(scores, votes, keys, 0, scores.rows(), keeps);
  }
  /// The same for i in [from, to).
  template <class Keeps>
  void add(Scores scores, const Votes* votes, std::span<const std::uint64_t> keys, std::size_t from,
           std::size_t to, const Keeps& keeps) {
    for (std::size_t i = from; i < to; ++i) {
      if (!keeps(i)) continue;
      const auto row = scores.row(i);
      scores_.insert(scores_.end(), row.begin(), row.end());
      if (!keys.empty()) keys_.push_back(keys[i]);
      if (votes != nullptr) {
        const VoteRow of_row = votes->row(i);
        entry_classes_.insert(entry_classes_.end(), of_row.classes.begin(), of_row.classes.end());
        entry_weights_.insert(entry_weights_.end(), of_row.weights.begin(), of_row.weights.end());
        offsets_.push_back(entry_classes_.size());
      }
      ++rows_;
    }
  }

  /// Calls use(first, scores, votes, keys) with the whole blocks that are there, at the end with
  /// all rows, and forgets them.
  template <class Use>
  void give(bool at_end, const Use& use) {
    const std::size_t whole = (first_ + rows_) / kBlockRows * kBlockRows;
    give_rows(at_end ? rows_ : whole > first_ ? whole - first_ : 0, use);
  }
  /// The same with the first `count` rows.
  template <class Use>
  void give_rows(std::size_t count, const Use& use) {
    if (count == 0) return;
    Votes votes;
    if (offsets_.size() > 1) {
      const auto entries = static_cast<std::ptrdiff_t>(offsets_[count]);
      votes = Votes::from_compressed(
          {offsets_.begin(), offsets_.begin() + static_cast<std::ptrdiff_t>(count) + 1},
          {entry_classes_.begin(), entry_classes_.begin() + entries},
          {entry_weights_.begin(), entry_weights_.begin() + entries}, classes_);
    }
    const std::span<const std::uint64_t> keys(keys_);
    use(first_, Scores(scores_.data(), count, classes_),
        votes.rows() == 0 ? static_cast<const Votes*>(nullptr) : &votes,
        keys.empty() ? keys : keys.first(count));
    forget(count);
  }

 private:
  template <class T>
  static void drop(std::vector<T>& from, std::size_t count) {
    from.erase(from.begin(),
               from.begin() + static_cast<std::ptrdiff_t>(std::min(count, from.size())));
  }
  void forget(std::size_t count) {
    if (offsets_.size() > 1) {
      const std::size_t entries = offsets_[count];
      drop(entry_classes_, entries);
      drop(entry_weights_, entries);
      drop(offsets_, count);
      for (std::size_t& offset : offsets_) offset -= entries;
    }
    drop(scores_, count * classes_);
    drop(keys_, count);
    first_ += count;
    rows_ -= count;
  }

  std::size_t classes_, first_, rows_ = 0;
  std::vector<float> scores_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::size_t> offsets_{0};
  std::vector<std::uint32_t> entry_classes_;
  std::vector<double> entry_weights_;
};

}  // namespace credence::dataset
