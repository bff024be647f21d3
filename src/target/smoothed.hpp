// The majority label, smoothed by what the model's own doubt, or a fixed weight, says.
#pragma once

#include "target/about.hpp"

namespace credence::target {

template <>
struct About<Smoothed> : Facts {
  static constexpr std::string_view in_brief = "the majority label, smoothed";
  static std::string_view name(const Smoothed& target);
  static std::string_view meaning(const Smoothed& target);
  template <class Target, class Visit>
  static void settings(Target& target, const Visit& visit) {
    if (target.rule == Epsilon::fixed) visit("epsilon", target.fixed, 0.0, 1.0);
  }
  static Targets of_rows(const Smoothed& target, const RowsView& rows, const Sources& sources);

  static std::size_t doubt_sums(const Smoothed& target, std::size_t classes);
  static void add_doubt(const Smoothed& target, const RowsView& rows, double* sums);
  static std::vector<double> epsilon_of(const Smoothed& target, std::span<const double> sums,
                                        std::size_t rows);
};

}  // namespace credence::target
