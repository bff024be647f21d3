// A number of a target or a map that is not learned: calibrator files and requests carry it.
#pragma once

#include <concepts>
#include <limits>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace credence::core {

/// No bound from above.
inline constexpr double kAnyNumber = std::numeric_limits<double>::max();

struct Setting {
  std::string_view name;
  double value;
  double least, most;
  bool is_whole;
  /// Came to a map that files had already: they leave it out while it is 0.
  bool is_late = false;
};

/// The settings of whichever alternative `spec` holds. Each alternative visits its own with
/// `settings(alternative, visit)`, found through `About`.
template <template <class> class About, class... Alternatives>
std::vector<Setting> settings_of(const std::variant<Alternatives...>& spec) {
  std::vector<Setting> all;
  std::visit(
      [&]<class A>(const A& alternative) {
        About<A>::settings(alternative, [&]<class T>(std::string_view name, const T& field,
                                                     double least, double most,
                                                     bool is_late = false) {
          all.push_back({name, static_cast<double>(field), least, most, std::integral<T>, is_late});
        });
      },
      spec);
  return all;
}

/// Sets them, in the same order.
template <template <class> class About, class... Alternatives>
void set_settings(std::variant<Alternatives...>& spec, std::span<const double> values) {
  std::visit(
      [&]<class A>(A& alternative) {
        std::size_t next = 0;
        About<A>::settings(alternative,
                           [&]<class T>(std::string_view, T& field, double, double, bool = false) {
                             field = static_cast<T>(values[next++]);
                           });
      },
      spec);
}

}  // namespace credence::core
