#include <fmt/format.h>

#include "credence/error.hpp"
#include "credence/report.hpp"
#include "report/csv.hpp"

namespace credence::report {

std::string examples_csv(const Comparison& comparison, const Dataset& evaluation,
                         const std::vector<std::size_t>& original_rows) {
  if (!original_rows.empty() && original_rows.size() != evaluation.rows()) {
    throw Error(ErrorCode::usage, fmt::format("{} row numbers for {} evaluation examples",
                                              original_rows.size(), evaluation.rows()));
  }
  const auto class_name = [&](std::uint32_t k) {
    return evaluation.classes.empty() ? std::to_string(k) : csv_text(evaluation.classes[k]);
  };
  std::string out =
      "row,id,method,predicted,voted,votes,confidence,agreement,correct,nll,brier,entropy\n";
  for (const MethodResult& method : comparison.splits.front().methods) {
    const ExampleScores scores = examples(method.evaluation);
    const std::string name = csv_text(method.name);
    for (std::size_t i = 0; i < evaluation.rows(); ++i) {
      out += fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{}\n", original_rows.empty() ? i : original_rows[i],
          evaluation.ids.empty() ? std::string() : csv_text(evaluation.ids[i]), name,
          class_name(scores.predicted[i]), class_name(evaluation.votes.voted(i)),
          csv_number(evaluation.votes.total(i)), csv_number(scores.confidence[i]),
          csv_number(scores.agreement[i]), int{scores.hit[i]}, csv_number(scores.nll[i]),
          csv_number(scores.brier[i]), csv_number(scores.entropy[i]));
    }
  }
  return out;
}

}  // namespace credence::report
