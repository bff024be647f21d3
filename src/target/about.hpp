// What is known of a target: words, settings, and how the targets of some rows are made. Each
// target says this of itself in its own file (About<T>); everything that treats all targets alike
// asks here.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/setting.hpp"
#include "credence/target.hpp"

namespace credence::target {

/// Rows whose targets are wanted.
struct RowsView {
  std::size_t first = 0;  ///< number of the first row among all
  Scores scores;
  const Votes* votes = nullptr;
  std::span<const std::uint64_t> keys = {};  ///< by which rows are drawn, or empty: by number
  std::size_t votes_first = 0;               ///< where the first row stands in `votes`

  std::uint32_t voted(std::size_t i) const { return votes->voted(votes_first + i); }
  RowsView block(std::size_t from, std::size_t count) const {
    return {first + from, scores.block(from, count), votes,
            keys.empty() ? keys : keys.subspan(from, count), votes_first + from};
  }
};

/// What targets of some rows are made from besides the rows.
struct Sources {
  std::span<const double> epsilon;  ///< smoothing weights
  std::uint64_t seed = 0;
};

/// What holds of a target that does not say otherwise.
struct Facts {
  static constexpr bool follows_annotators = false;  ///< and not a single label
  /// Calls visit(name, field, least, most) for every number of the target.
  template <class Target, class Visit>
  static void settings(Target&, const Visit&) {}
  /// How many sums over all rows its smoothing weights come from; 0: it has none.
  template <class Target>
  static std::size_t doubt_sums(const Target&, std::size_t) {
    return 0;
  }
};

/// One specialisation per target, in its own file.
template <class T>
struct About;

template <class T>
concept Described = std::derived_from<About<T>, Facts> &&
    requires(const T& target, const RowsView& rows, const Sources& sources) {
  { About<T>::name(target) } -> std::same_as<std::string_view>;
  { About<T>::meaning(target) } -> std::same_as<std::string_view>;
  { About<T>::in_brief } -> std::convertible_to<std::string_view>;
  { About<T>::of_rows(target, rows, sources) } -> std::same_as<Targets>;
};

// The same for any target.
bool follows_annotators(const TargetSpec& target);
std::vector<core::Setting> settings_of(const TargetSpec& target);
void set_settings(TargetSpec& target, std::span<const double> values);

/// The targets of these rows, which may borrow their votes.
Targets of_rows(const TargetSpec& target, const RowsView& rows, const Sources& sources);

/// Smoothing weights are found before, from sums over the blocks of all rows.
std::size_t doubt_sums(const TargetSpec& target, std::size_t classes);
void add_doubt(const TargetSpec& target, const RowsView& rows, double* sums);
std::vector<double> epsilon_of(const TargetSpec& target, std::span<const double> sums,
                               std::size_t rows);

/// Throws Error(evidence), naming a method that the evidence does allow.
void check_evidence(const TargetSpec& target, Evidence found);

}  // namespace credence::target
