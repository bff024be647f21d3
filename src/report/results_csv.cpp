#include <fmt/format.h>

#include "credence/report.hpp"
#include "report/csv.hpp"

namespace credence::report {
namespace {

std::string interval(const EstimateRecord& e) {
  return fmt::format("{},{},{},{}", csv_number(e.value), csv_number(e.standard_error),
                     csv_number(e.low), csv_number(e.high));
}

}  // namespace

std::string results_csv(const Results& results) {
  std::string out =
      "seed,method,rank,recommended,oracle,temperature,metric,value,standard_error,low,high,"
      "reference,minus_reference,minus_reference_standard_error,minus_reference_low,"
      "minus_reference_high,"
      "minus_uncalibrated,minus_uncalibrated_standard_error,minus_uncalibrated_low,"
      "minus_uncalibrated_high\n";
  for (const SplitRecord& split : results.splits) {
    for (const MethodRecord& method : split.methods) {
      const std::string start = fmt::format("{},{},{},{},{},{}", split.seed, csv_text(method.name),
                                            method.rank, method.recommended ? 1 : 0,
                                            method.oracle ? 1 : 0, csv_number(method.temperature));
      for (const auto& [metric, estimate] : method.metrics) {
        out += fmt::format("{},{},{},{},{},{}\n", start, metric, interval(estimate),
                           csv_text(split.references.front()),
                           interval(method.difference(split.references.front(), metric)),
                           interval(method.difference("uncalibrated", metric)));
      }
    }
  }
  return out;
}

}  // namespace credence::report
