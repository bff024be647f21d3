// Annotations drawn from those that are there.
#pragma once

#include <limits>

#include "target/about.hpp"

namespace credence::target {

template <>
struct About<Sampled> : Facts {
  static constexpr bool follows_annotators = true;
  static constexpr std::string_view in_brief = "one annotator each";
  static std::string_view name(const Sampled&) { return "sampled"; }
  static std::string_view meaning(const Sampled&) {
    return "annotations drawn from those shares (‹target_draws›, ‹fit_seed›)";
  }
  template <class Target, class Visit>
  static void settings(Target& target, const Visit& visit) {
    visit("draws", target.draws, 1.0, std::numeric_limits<int>::max());
  }
  static Targets of_rows(const Sampled& target, const RowsView& rows, const Sources& sources);
};

}  // namespace credence::target
