#include <fmt/format.h>

#include "credence/report.hpp"
#include "report/csv.hpp"
#include "report/estimates.hpp"

namespace credence::report {
namespace {

std::string interval(const Estimate* e) {
  if (e == nullptr) return ",,,";
  return fmt::format("{},{},{},{}", csv_number(e->value), csv_number(e->standard_error),
                     csv_number(e->low), csv_number(e->high));
}

}  // namespace

std::string results_csv(const Comparison& comparison) {
  std::string out =
      "seed,method,rank,recommended,oracle,temperature,metric,value,standard_error,low,high,"
      "reference,minus_reference,minus_reference_standard_error,minus_reference_low,"
      "minus_reference_high,"
      "minus_uncalibrated,minus_uncalibrated_standard_error,minus_uncalibrated_low,"
      "minus_uncalibrated_high\n";
  for (const SplitResult& split : comparison.splits) {
    for (std::size_t i = 0; i < split.methods.size(); ++i) {
      const MethodResult& method = split.methods[i];
      const double temperature = method.calibrator.temperature();
      const std::string start =
          fmt::format("{},{},{},{},{},{}", split.seed, csv_text(method.name), i + 1,
                      method.name == split.recommended ? 1 : 0, method.oracle ? 1 : 0,
                      csv_number(temperature > 0.0 ? std::optional(temperature) : std::nullopt));
      for (const Estimate& e : method.estimates) {
        out += fmt::format("{},{},{},{},{},{}\n", start, e.name, interval(&e),
                           csv_text(split.references.front()),
                           interval(difference(split, method, split.references.front(), e.name)),
                           interval(difference(split, method, "uncalibrated", e.name)));
      }
    }
  }
  return out;
}

}  // namespace credence::report
