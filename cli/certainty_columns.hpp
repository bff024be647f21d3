// What `apply --second-order` adds to each row of probabilities.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "credence/second_order.hpp"

namespace credence::cli {

class CertaintyColumns {
 public:
  CertaintyColumns() = default;  ///< none
  CertaintyColumns(const SecondOrder& model, const NextVotes& next) : model_(model), next_(next) {}

  std::size_t count(std::size_t classes) const;
  /// The names of all columns, those of the classes first. Two of the same name are an Error.
  std::vector<std::string> names(std::vector<std::string> classes, std::size_t count) const;
  /// The probabilities with the columns after them; valid until the next call.
  Rows with(Rows probabilities);

 private:
  std::optional<SecondOrder> model_;
  NextVotes next_;
  Matrix<double> wide_;
};

}  // namespace credence::cli
