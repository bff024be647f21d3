// What a comparison advises, and what following the advice would change.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace credence {

enum class Verdict : std::uint8_t {
  ship,     ///< the candidate has a clearly lower nll than the model as it is
  keep,     ///< no method clearly beats the model as it is
  too_few,  ///< too few examples to choose among methods: a temperature is the default
};
inline constexpr std::array kVerdicts{Verdict::ship, Verdict::keep, Verdict::too_few};

/// "ship", "keep", "too-few".
std::string_view to_string(Verdict verdict);

/// Fewer calibration or test rows, or groups where there are any, cannot tell methods apart: the
/// standard error of a difference in nll is then of the size of the differences that are found.
inline constexpr std::size_t kFewestRows = 100, kFewestGroups = 5;
/// Intervals resample groups; with fewer than this they are too narrow.
inline constexpr std::size_t kFewGroups = 30;

/// A share of examples with its interval.
struct ShareEstimate {
  double value = 0.0, low = 0.0, high = 1.0;
  bool operator==(const ShareEstimate&) const = default;
};

/// Of the test rows whose majority label is a class, the share predicted as that class.
struct RecallChange {
  std::size_t label = 0;     ///< the class
  std::size_t examples = 0;  ///< with that majority label
  ShareEstimate before, after;
  bool operator==(const RecallChange&) const = default;
};

/// What the candidate changes in what the model decides.
struct Decisions {
  std::size_t rows = 0, changed = 0;  ///< test rows, and those predicted otherwise than before
  std::vector<RecallChange> recalls;  ///< of every class that is some row's majority label
  bool operator==(const Decisions&) const = default;
};

}  // namespace credence
