// Single examples of the first split: as a file, and as what a page shows.
#include <fmt/format.h>

#include "credence/error.hpp"
#include "credence/report.hpp"
#include "report/csv.hpp"
#include "report/thinning.hpp"

namespace credence::report {
namespace {

/// The evaluation rows with the names they go by.
class NamedRows {
 public:
  NamedRows(const Dataset& evaluation, const std::vector<std::size_t>& original_rows)
      : data_(evaluation), original_rows_(original_rows) {
    if (!original_rows.empty() && original_rows.size() != evaluation.rows()) {
      throw Error(ErrorCode::usage, fmt::format("{} row numbers for {} evaluation examples",
                                                original_rows.size(), evaluation.rows()));
    }
  }
  std::size_t row(std::size_t i) const { return original_rows_.empty() ? i : original_rows_[i]; }
  std::string id(std::size_t i) const { return data_.ids.empty() ? std::string() : data_.ids[i]; }
  std::string class_name(std::uint32_t k) const {
    return data_.classes.empty() ? std::to_string(k) : data_.classes[k];
  }

 private:
  const Dataset& data_;
  const std::vector<std::size_t>& original_rows_;
};

template <class T>
std::vector<T> kept(const std::vector<T>& all, std::size_t most) {
  std::vector<T> some;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_kept(i, all.size(), most)) some.push_back(all[i]);
  }
  return some;
}

}  // namespace

std::string examples_csv(const Comparison& comparison, const Dataset& evaluation,
                         const std::vector<std::size_t>& original_rows) {
  const NamedRows names(evaluation, original_rows);
  std::string out =
      "row,id,method,predicted,voted,votes,confidence,agreement,correct,nll,brier,entropy\n";
  for (const MethodResult& method : comparison.splits.front().methods) {
    const ExampleScores scores = examples(method.evaluation);
    const std::string name = csv_text(method.name);
    for (std::size_t i = 0; i < evaluation.rows(); ++i) {
      out += fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{}\n", names.row(i), csv_text(names.id(i)), name,
          csv_text(names.class_name(scores.predicted[i])),
          csv_text(names.class_name(evaluation.votes.voted(i))),
          csv_number(evaluation.votes.total(i)), csv_number(scores.confidence[i]),
          csv_number(scores.agreement[i]), int{scores.hit[i]}, csv_number(scores.nll[i]),
          csv_number(scores.brier[i]), csv_number(scores.entropy[i]));
    }
  }
  return out;
}

ExampleRecords example_records(const Comparison& comparison, const Dataset& evaluation,
                               const std::vector<std::size_t>& original_rows) {
  const NamedRows names(evaluation, original_rows);
  const std::vector<MethodResult>& methods = comparison.splits.front().methods;
  const ExampleScores first = examples(methods.front().evaluation);
  ExampleRecords records;
  records.available = evaluation.rows();
  for (std::size_t i = 0; i < evaluation.rows(); ++i) {
    const std::string id = names.id(i);
    records.names.push_back(id.empty() ? fmt::format("row {}", names.row(i)) : id);
    records.votes.push_back(evaluation.votes.total(i));
    records.predicted.push_back(names.class_name(first.predicted[i]));
    records.voted.push_back(names.class_name(evaluation.votes.voted(i)));
  }
  for (const MethodResult& method : methods) {
    const ExampleScores scores = examples(method.evaluation);
    records.methods.push_back({method.name,
                               {scores.confidence.begin(), scores.confidence.end()},
                               {scores.agreement.begin(), scores.agreement.end()},
                               {scores.hit.begin(), scores.hit.end()}});
  }
  return records;
}

ExampleRecords thinned(const ExampleRecords& all, std::size_t most) {
  ExampleRecords some;
  some.available = all.available;
  some.names = kept(all.names, most);
  some.votes = kept(all.votes, most);
  some.predicted = kept(all.predicted, most);
  some.voted = kept(all.voted, most);
  for (const ExampleRecords::Method& method : all.methods) {
    some.methods.push_back({method.name, kept(method.confidence, most),
                            kept(method.agreement, most), kept(method.correct, most)});
  }
  return some;
}

}  // namespace credence::report
