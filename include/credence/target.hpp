// Targets: what to believe about the labels.
#pragma once

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
  mean_complement,     ///< mean over examples of 1 - p[y*], p the uncalibrated model
  class_complement,    ///< the same mean over the examples voted k, one epsilon per class
  prediction_entropy,  ///< H(p_i) / log K, one epsilon per example
  fixed,
};

struct NoTarget {  ///< for maps that learn nothing
  static constexpr auto needs = Evidence::none;
  bool operator==(const NoTarget&) const = default;
};
struct Voted {  ///< one-hot at the voted label
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
struct Smoothed {  ///< (1-e) one-hot at the voted label + e/K
  static constexpr auto needs = Evidence::voted;
  Epsilon rule = Epsilon::mean_complement;
  double fixed = 0.1;  ///< used by Epsilon::fixed only
  bool operator==(const Smoothed&) const = default;
};

using TargetSpec = std::variant<NoTarget, Voted, Annotators, Sampled, Smoothed>;

/// The name used in free combinations (`annotators+histogram`) and in calibrator files.
std::string_view target_name(const TargetSpec& target);
Evidence needs(const TargetSpec& target);

/// Row i of the target is q[i,k] = sum of its (class, weight) pairs + uniform(i) / K.
class Targets {
 public:
  std::size_t rows() const { return offsets_.size() - 1; }
  std::size_t entries() const { return classes_.size(); }
  VoteRow row(std::size_t i) const {
    const std::size_t first = offsets_[i], count = offsets_[i + 1] - first;
    return {{classes_.data() + first, count}, {weights_.data() + first, count}};
  }
  double uniform(std::size_t i) const { return uniform_.empty() ? 0.0 : uniform_[i]; }
  bool has_uniform() const { return !uniform_.empty(); }
  /// q[i,k].
  double at(std::size_t i, std::uint32_t k, std::size_t classes) const;

  void push(std::span<const std::uint32_t> classes, std::span<const double> weights);
  void push_one(std::uint32_t label, double weight);
  void set_uniform(std::vector<double> mass) { uniform_ = std::move(mass); }
  void reserve(std::size_t rows, std::size_t entries);

 private:
  std::vector<std::size_t> offsets_{0};
  std::vector<std::uint32_t> classes_;
  std::vector<double> weights_;
  std::vector<double> uniform_;
};

/// Turns votes into targets. Throws Error(evidence), naming a method the votes do allow, when they
/// do not suffice. Draw s of row i of a sampled target depends on (seed, i, s) only.
Targets make_target(const TargetSpec& target, const Dataset& data, std::uint64_t seed);

}  // namespace credence
