// Targets: what to believe about the labels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "credence/dataset.hpp"

namespace credence {

/// How a smoothed target chooses its smoothing weight epsilon.
enum class Epsilon {
  mean_complement,   ///< mean over examples of 1 - p[y*], p the uncalibrated model
  class_complement,  ///< the same mean over the examples whose majority label is k, one epsilon per
                     ///< class
  prediction_entropy,  ///< H(p_i) / log K, one epsilon per example
  fixed,
};

struct NoTarget {  ///< for maps that learn nothing
  static constexpr auto needs = Evidence::none;
  bool operator==(const NoTarget&) const = default;
};
struct Voted {  ///< one-hot at the majority label
  static constexpr auto needs = Evidence::voted;
  bool operator==(const Voted&) const = default;
};
struct Annotators {  ///< the annotators' own distribution
  static constexpr auto needs = Evidence::distributions;
  bool operator==(const Annotators&) const = default;
};
struct Sampled {  ///< frequencies of `draws` annotations drawn with replacement
  static constexpr auto needs = Evidence::annotations;
  int draws = 1;
  bool operator==(const Sampled&) const = default;
};
struct Smoothed {  ///< (1-e) one-hot at the majority label + e/K
  static constexpr auto needs = Evidence::voted;
  Epsilon rule = Epsilon::mean_complement;
  double fixed = 0.1;  ///< used by Epsilon::fixed only
  bool operator==(const Smoothed&) const = default;
};

using TargetSpec = std::variant<NoTarget, Voted, Annotators, Sampled, Smoothed>;

/// The name used in free combinations (`annotators+histogram`) and in calibrator files.
std::string_view target_name(const TargetSpec& target);
/// What it is, in a line, and in a few words.
std::string_view target_meaning(const TargetSpec& target);
std::string_view target_in_brief(const TargetSpec& target);
Evidence needs(const TargetSpec& target);

/// The targets that free combinations (`annotators+histogram`) may name.
inline constexpr std::array<TargetSpec, 7> kTargets{
    Voted{},
    Annotators{},
    Sampled{},
    Smoothed{Epsilon::mean_complement},
    Smoothed{Epsilon::class_complement},
    Smoothed{Epsilon::prediction_entropy},
    Smoothed{Epsilon::fixed},
};

/// Classes of a target and their weights, which are to be divided by the total.
struct TargetRow {
  std::span<const std::uint32_t> classes;
  std::span<const double> weights;
  double total;
};

/// Row i of the target is q[i,k] = sum of its (class, weight / total) pairs + uniform(i) / K.
class Targets {
 public:
  Targets() = default;
  /// The share of votes of every class. Borrowed: the votes must stay where they are.
  static Targets shares_of(const Votes& votes);

  std::size_t rows() const { return votes_ != nullptr ? votes_->rows() : offsets_.size() - 1; }
  std::size_t entries() const { return votes_ != nullptr ? votes_->entries() : classes_.size(); }
  TargetRow row(std::size_t i) const {
    const bool borrowed = votes_ != nullptr;
    const std::size_t* const offsets = borrowed ? votes_->offsets().data() : offsets_.data();
    const std::uint32_t* const classes =
        borrowed ? votes_->entry_classes().data() : classes_.data();
    const double* const weights = borrowed ? votes_->entry_weights().data() : weights_.data();
    const std::size_t first = offsets[i], count = offsets[i + 1] - first;
    return {{classes + first, count}, {weights + first, count}, total(i)};
  }
  /// What the weights of row i are to be divided by.
  double total(std::size_t i) const { return votes_ != nullptr ? votes_->total(i) : 1.0; }
  /// Where the entries of row i begin among all entries; i may be rows(). Rows follow each other.
  std::size_t begin(std::size_t i) const {
    return votes_ != nullptr ? votes_->offsets()[i] : offsets_[i];
  }
  /// The same, borrowing nothing, with totals of 1: for callers that read rows repeatedly.
  Targets written_out() const;
  double uniform(std::size_t i) const { return uniform_.empty() ? 0.0 : uniform_[i]; }
  bool has_uniform() const { return !uniform_.empty(); }
  /// q[i,k].
  double at(std::size_t i, std::uint32_t k, std::size_t classes) const;

  void push(const TargetRow& row);
  void push_one(std::uint32_t label, double weight);
  void set_uniform(std::vector<double> mass) { uniform_ = std::move(mass); }
  void reserve(std::size_t rows, std::size_t entries);

 private:
  const Votes* votes_ = nullptr;
  std::vector<std::size_t> offsets_{0};
  std::vector<std::uint32_t> classes_;
  std::vector<double> weights_;
  std::vector<double> uniform_;
};

/// What stands for each row in random draws: its id where ids are known, so that the same examples
/// in another order draw the same; empty without ids.
std::vector<std::uint64_t> row_keys(const Dataset& data);

/// Turns votes into targets, which may borrow from `data`. Throws Error(evidence), naming a method
/// the votes do allow, when they do not suffice. Draw s of row i of a sampled target depends on
/// (seed, i, s) only.
Targets make_target(const TargetSpec& target, const Dataset& data, std::uint64_t seed);

}  // namespace credence
