#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

#include "credence/error.hpp"
#include "credence/simulate.hpp"

namespace credence {
namespace {

// Rounding of seven digits in each of a few entries; a forgotten class is far beyond it.
constexpr double kSumTolerance = 1e-6;

std::string folded(std::string_view name) {
  std::string out(name);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string prefix(std::string_view origin) {
  return origin.empty() ? std::string() : fmt::format("{}: ", origin);
}

std::string place(std::size_t index, const std::vector<std::string>& names) {
  return names.empty() ? std::to_string(index) : fmt::format("{} ('{}')", index, names[index]);
}

std::optional<std::size_t> find(const std::vector<std::string>& names, const std::string& wanted) {
  const auto found = std::ranges::find(names, folded(wanted),
                                       [](const std::string& name) { return folded(name); });
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

/// For every name of `to` its place in `from`; an Error when they are not the same set.
std::vector<std::size_t> positions(const std::vector<std::string>& from,
                                   const std::vector<std::string>& to, std::string_view origin,
                                   std::string_view from_what, std::string_view to_what) {
  std::vector<std::size_t> result;
  for (const std::string& name : to) {
    const auto at = find(from, name);
    if (!at) {
      throw Error(ErrorCode::data,
                  fmt::format("{}no {} is named '{}', as one of the {} is; there are {}",
                              prefix(origin), from_what, name, to_what, fmt::join(from, ", ")),
                  "give both the same names, in any order");
    }
    result.push_back(*at);
  }
  return result;
}

void check_names(const std::vector<std::string>& names, std::size_t classes, std::string_view what,
                 std::string_view origin) {
  if (names.empty()) return;
  if (names.size() != classes) {
    throw Error(ErrorCode::data, fmt::format("{}{} names of {}, but {} of them", prefix(origin),
                                             names.size(), what, classes));
  }
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (const auto first = find(names, names[k]); *first != k) {
      throw Error(ErrorCode::data,
                  fmt::format("{}two {} are named '{}'", prefix(origin), what, names[k]));
    }
  }
}

/// 0, 1, 2, ...: the row numbers that data frames write before each row name nothing.
bool are_row_numbers(const std::vector<std::string>& names) {
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names[k] != std::to_string(k)) return false;
  }
  return true;
}

void check_shape(Rows values, std::string_view origin) {
  if (values.rows() == values.cols() && values.rows() >= 2) return;
  throw Error(ErrorCode::data,
              fmt::format("{}{} rows and {} columns; a confusion matrix has a row and a column for "
                          "each of two classes or more",
                          prefix(origin), values.rows(), values.cols()),
              "rows are what the example is, columns what the annotator says");
}

}  // namespace

ConfusionMatrix make_confusion_matrix(Rows values, ConfusionKind kind,
                                      std::vector<std::string> column_names,
                                      std::vector<std::string> row_names, std::string_view origin) {
  check_shape(values, origin);
  const std::size_t classes = values.rows();
  if (are_row_numbers(row_names)) row_names.clear();
  check_names(column_names, classes, "columns", origin);
  check_names(row_names, classes, "rows", origin);
  if (column_names.empty()) column_names = row_names;

  ConfusionMatrix matrix{Matrix<double>(classes, classes), column_names};
  for (std::size_t i = 0; i < classes; ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < classes; ++j) {
      if (!(values(i, j) >= 0.0) || !std::isfinite(values(i, j))) {
        throw Error(ErrorCode::data,
                    fmt::format("{}row {}, column {}: {} is not a probability", prefix(origin),
                                place(i, row_names), place(j, column_names), values(i, j)),
                    "write a number of 0 or more");
      }
      sum += values(i, j);
    }
    if (kind == ConfusionKind::probabilities && std::abs(sum - 1.0) > kSumTolerance) {
      throw Error(ErrorCode::data,
                  fmt::format("{}row {}: the answers' probabilities sum to {:.9g}; a row must sum "
                              "to 1 within 1e-6",
                              prefix(origin), place(i, row_names), sum),
                  "rows are what the example is, columns what the annotator says; counts and "
                  "rounded shares are divided by their sum with ‹normalise›");
    }
    if (!(sum > 0.0) || !std::isfinite(sum)) {
      throw Error(ErrorCode::data, fmt::format("{}row {}: sums to {}, so it tells no answer",
                                               prefix(origin), place(i, row_names), sum));
    }
    for (std::size_t j = 0; j < classes; ++j) matrix.probabilities(i, j) = values(i, j) / sum;
  }
  if (row_names.empty()) return matrix;
  const auto row_of = positions(row_names, column_names, origin, "row", "columns");
  ConfusionMatrix ordered = matrix;
  for (std::size_t i = 0; i < classes; ++i) {
    std::ranges::copy(matrix.probabilities.row(row_of[i]), ordered.probabilities.row(i).begin());
  }
  return ordered;
}

ConfusionMatrix reorder(const ConfusionMatrix& matrix, const std::vector<std::string>& classes,
                        std::string_view origin) {
  if (matrix.classes == classes) return matrix;
  if (classes.size() != matrix.class_count()) {
    throw Error(ErrorCode::data, fmt::format("{}{} classes, but {} are wanted", prefix(origin),
                                             matrix.class_count(), classes.size()));
  }
  const auto from = positions(matrix.classes, classes, origin, "class", "other classes");
  ConfusionMatrix ordered{Matrix<double>(classes.size(), classes.size()), classes};
  for (std::size_t i = 0; i < classes.size(); ++i) {
    for (std::size_t j = 0; j < classes.size(); ++j) {
      ordered.probabilities(i, j) = matrix.probabilities(from[i], from[j]);
    }
  }
  return ordered;
}

ConfusionMatrix isic_confusion() {
  // clang-format off
  const std::vector<double> table{
      0.73, 0.14, 0.02, 0.03, 0.08, 0.00, 0.00, 0.00,
      0.15, 0.76, 0.01, 0.01, 0.06, 0.01, 0.00, 0.00,
      0.02, 0.01, 0.81, 0.05, 0.07, 0.01, 0.01, 0.02,
      0.03, 0.01, 0.04, 0.65, 0.11, 0.00, 0.00, 0.16,
      0.12, 0.05, 0.03, 0.10, 0.62, 0.00, 0.00, 0.08,
      0.01, 0.02, 0.02, 0.01, 0.02, 0.87, 0.03, 0.02,
      0.00, 0.01, 0.02, 0.01, 0.01, 0.02, 0.91, 0.02,
      0.01, 0.01, 0.03, 0.18, 0.09, 0.00, 0.01, 0.67,
  };
  // clang-format on
  return make_confusion_matrix({table.data(), 8, 8}, ConfusionKind::probabilities,
                               {"MEL", "NV", "BCC", "AK", "BKL", "DF", "VL", "SCC"});
}

}  // namespace credence
