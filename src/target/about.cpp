#include "target/about.hpp"

#include "target/all_targets.hpp"

namespace credence {

std::string_view target_name(const TargetSpec& target) {
  return std::visit([]<class T>(const T& t) { return target::About<T>::name(t); }, target);
}

std::string_view target_meaning(const TargetSpec& target) {
  return std::visit([]<class T>(const T& t) { return target::About<T>::meaning(t); }, target);
}

std::string_view target_in_brief(const TargetSpec& target) {
  return std::visit([]<class T>(const T&) { return target::About<T>::in_brief; }, target);
}

Evidence needs(const TargetSpec& target) {
  return std::visit([](const auto& spec) { return spec.needs; }, target);
}

}  // namespace credence

namespace credence::target {

bool follows_annotators(const TargetSpec& target) {
  return std::visit([]<class T>(const T&) { return About<T>::follows_annotators; }, target);
}

std::vector<core::Setting> settings_of(const TargetSpec& target) {
  return core::settings_of<About>(target);
}

void set_settings(TargetSpec& target, std::span<const double> values) {
  core::set_settings<About>(target, values);
}

Targets of_rows(const TargetSpec& target, const RowsView& rows, const Sources& sources) {
  return std::visit([&]<class T>(const T& t) { return About<T>::of_rows(t, rows, sources); },
                    target);
}

std::size_t doubt_sums(const TargetSpec& target, std::size_t classes) {
  return std::visit([&]<class T>(const T& t) { return About<T>::doubt_sums(t, classes); }, target);
}

void add_doubt(const TargetSpec& target, const RowsView& rows, double* sums) {
  std::visit(
      [&]<class T>(const T& t) {
        if constexpr (requires { About<T>::add_doubt(t, rows, sums); }) {
          About<T>::add_doubt(t, rows, sums);
        }
      },
      target);
}

std::vector<double> epsilon_of(const TargetSpec& target, std::span<const double> sums,
                               std::size_t rows) {
  return std::visit(
      [&]<class T>(const T& t) -> std::vector<double> {
        if constexpr (requires { About<T>::epsilon_of(t, sums, rows); }) {
          return About<T>::epsilon_of(t, sums, rows);
        }
        return {};
      },
      target);
}

}  // namespace credence::target
