// What to know before a fit begins.
#include <algorithm>
#include <iterator>

#include "credence/fit.hpp"
#include "credence/text.hpp"
#include "fit/passes/fast_passes.hpp"

namespace credence {
namespace {

/// Additions and multiplications that one processor does in a second of such a fit, about.
constexpr double kOperations = 5e10;
/// Shorter fits are over before anybody could stop them.
constexpr double kShort = 60.0;

/// A pass multiplies a row by the matrix, and its result by the row.
double seconds(std::size_t rows, std::size_t classes, std::size_t inputs) {
  const double pass =
      4.0 * static_cast<double>(rows) * static_cast<double>(classes) * static_cast<double>(inputs);
  return FitOptions{}.max_passes * pass / kOperations;
}

std::string in_minutes(double seconds) {
  const double minutes = seconds / 60.0;
  if (minutes < 90.0) {
    const auto whole = static_cast<std::size_t>(minutes + 0.5);
    return std::to_string(whole) + (whole == 1 ? " minute" : " minutes");
  }
  return std::to_string(static_cast<std::size_t>(minutes / 60.0 + 0.5)) + " hours";
}

}  // namespace

std::vector<std::string> cautions_before(const MethodSpec& method, std::size_t rows,
                                         std::size_t classes) {
  std::vector<std::string> cautions;
  for (const MethodSpec::StageSpec& stage : method.stages) {
    const std::size_t inputs = fit_detail::matrix_inputs(stage.map, classes);
    const std::size_t parameters = inputs == 0 ? 0 : classes * (inputs + 1);
    const double time = seconds(rows, classes, inputs);
    if (parameters <= rows || time < kShort) continue;
    cautions.push_back(
        "'" + method.name + "' fits " + grouped_digits(parameters) + " numbers to " +
        grouped_digits(rows) + " rows: expect it to take about " + in_minutes(time) +
        " of processor time, to end at the limit of passes and not at the optimum, "
        "and to do badly on other rows; 'auto' leaves such matrices out, 'soft-platt' "
        "fits " +
        grouped_digits(2 * classes) + " numbers");
  }
  return cautions;
}

std::vector<std::string> cautions_before(std::span<const std::string> methods, std::size_t rows,
                                         std::size_t classes) {
  std::vector<std::string> all;
  for (const std::string& name : methods) {
    std::ranges::move(cautions_before(parse_method(name), rows, classes), std::back_inserter(all));
  }
  return all;
}

}  // namespace credence
