#include "certainty_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "credence/error.hpp"

namespace credence::cli {

std::size_t CertaintyColumns::count(std::size_t classes) const {
  return model_ ? certainty_columns(classes, next_) : 0;
}

std::vector<std::string> CertaintyColumns::names(std::vector<std::string> classes,
                                                 std::size_t count) const {
  if (!model_) return classes;
  for (std::size_t k = classes.size(); k < count; ++k) classes.push_back(fmt::format("p{}", k));
  std::vector<std::string> all = classes;
  all.emplace_back("concentration");
  all.emplace_back("disagreement");
  if (next_.votes > 0) {
    for (const std::string& name : classes) all.push_back("low_" + name);
    for (const std::string& name : classes) all.push_back("high_" + name);
  }
  std::vector<std::string> sorted = all;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
    throw Error(ErrorCode::usage,
                fmt::format("--second-order adds a column '{}', and a class has that name", *twice),
                "name the classes otherwise, with --score-classes");
  }
  return all;
}

Rows CertaintyColumns::with(Rows probabilities) {
  if (!model_) return probabilities;
  const std::size_t classes = probabilities.cols(), rows = probabilities.rows();
  const std::size_t columns = classes + count(classes);
  if (wide_.rows() < rows || wide_.cols() != columns) wide_ = Matrix<double>(rows, columns);
  const MutRows out(wide_.data(), rows, columns);
  for (std::size_t i = 0; i < rows; ++i) {
    std::ranges::copy(probabilities.row(i), out.row(i).begin());
    certainty_row(*model_, probabilities.row(i), next_, out.row(i).subspan(classes));
  }
  return out;
}

}  // namespace credence::cli
