// Brings the scores of several models to the same rows and columns.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "credence/aligned_calibrator.hpp"
#include "credence/error.hpp"
#include "credence/panel_files.hpp"

namespace credence::io {
namespace {

constexpr const char* kSameExamples =
    "every model must have scored the same examples: give each file the rows of the others";

void check_same_classes(const Dataset& data, const std::string& name, const Dataset& first,
                        const std::string& first_name) {
  if (data.classes_count() != first.classes_count()) {
    throw Error(ErrorCode::data,
                fmt::format("{} has {} classes, {} has {}", name, data.classes_count(), first_name,
                            first.classes_count()),
                "all models must score the same classes");
  }
  if (data.classes.empty() || first.classes.empty()) return;
  if (positions_by_name(data.classes, first.classes).empty()) {
    throw Error(ErrorCode::data,
                fmt::format("{} has classes {}; {} has {}", name, fmt::join(data.classes, ", "),
                            first_name, fmt::join(first.classes, ", ")),
                "all models must score the same classes, in any order");
  }
}

/// Where each row of `first` stands in `data`; empty where both have one order.
std::vector<std::size_t> order_of_first(const Dataset& data, const std::string& name,
                                        const Dataset& first, const std::string& first_name) {
  if (data.rows() != first.rows()) {
    throw Error(
        ErrorCode::data,
        fmt::format("{} has {} rows, {} has {}", name, data.rows(), first_name, first.rows()),
        kSameExamples);
  }
  if (data.ids.empty() || first.ids.empty() || data.ids == first.ids) return {};
  std::unordered_map<std::string_view, std::size_t> place;
  for (std::size_t i = 0; i < data.rows(); ++i) place.emplace(data.ids[i], i);
  std::vector<std::size_t> order;
  for (const std::string& id : first.ids) {
    const auto found = place.find(id);
    if (found == place.end()) {
      throw Error(ErrorCode::data,
                  fmt::format("{} has no row for id '{}', which {} has", name, id, first_name),
                  kSameExamples);
    }
    order.push_back(found->second);
  }
  return order;
}

/// As much of the end of each path as tells them apart: the result should not depend on where the
/// files are.
std::vector<std::string> short_names(const std::vector<std::string>& paths) {
  const auto tail = [](const std::string& path, std::size_t parts) {
    std::size_t at = path.size();
    for (; parts > 0 && at != std::string::npos && at > 0; --parts) at = path.rfind('/', at - 1);
    return at == std::string::npos || at == 0 ? path : path.substr(at + 1);
  };
  constexpr std::size_t kMostParts = 8;
  for (std::size_t parts = 1; parts <= kMostParts; ++parts) {
    std::vector<std::string> names;
    for (const std::string& path : paths) names.push_back(tail(path, parts));
    if (std::set<std::string>(names.begin(), names.end()).size() == names.size()) return names;
  }
  return paths;
}

}  // namespace

std::vector<Dataset> PanelData::datasets() const {
  std::vector<Dataset> all;
  for (const LoadedDataset& model : models) all.push_back(model.data);
  return all;
}

PanelData load_panel_data(const std::vector<DatasetFiles>& files) {
  PanelData panel;
  for (const DatasetFiles& one : files) {
    LoadedDataset loaded = load_dataset(one);
    const std::string name = display_name(one.scores.path);
    if (!panel.models.empty()) {
      const Dataset& first = panel.models.front().data;
      const std::string& first_name = panel.names.front();
      check_same_classes(loaded.data, name, first, first_name);
      const auto order = order_of_first(loaded.data, name, first, first_name);
      if (!order.empty()) loaded.data = loaded.data.select(order);
      align_classes(loaded.data, first.classes);
    }
    panel.models.push_back(std::move(loaded));
    panel.names.push_back(name);
  }
  panel.names = short_names(panel.names);
  return panel;
}

Matrix<double> apply_panel(const Panel& panel, const PanelData& data, const std::string& origin,
                           int threads) {
  if (data.models.size() != panel.models.size()) {
    std::vector<std::string> names;
    for (const PanelModel& model : panel.models) names.push_back(model.name);
    throw Error(
        ErrorCode::model,
        fmt::format("{} reads the scores of {} models, {} {} given", origin, panel.models.size(),
                    data.models.size(), data.models.size() == 1 ? "was" : "were"),
        fmt::format("give the scores of each, in the order of the fit: {}",
                    fmt::join(names, ", ")));
  }
  const std::vector<std::string>& fitted = panel.models.front().calibrator.classes;
  const Dataset& first = data.models.front().data;
  if (first.classes_count() != panel.class_count()) {
    throw Error(ErrorCode::model,
                fmt::format("{} was fitted for {} classes, {} has {}", origin, panel.class_count(),
                            data.names.front(), first.classes_count()));
  }
  std::vector<std::size_t> column;  // of the scores, by class of the fit
  if (!fitted.empty() && !first.classes.empty()) {
    column = positions_by_name(fitted, first.classes);
    if (column.empty()) {
      throw Error(
          ErrorCode::model,
          fmt::format("{} was fitted for classes {}; {} has {}", origin, fmt::join(fitted, ", "),
                      data.names.front(), fmt::join(first.classes, ", ")),
          "the scores must be of the same classes, in any order");
    }
  }
  const std::size_t rows = first.rows(), classes = panel.class_count();
  std::vector<Matrix<float>> moved;
  moved.reserve(data.models.size());
  std::vector<Scores> scores;
  for (const LoadedDataset& model : data.models) {
    if (column.empty()) {
      scores.push_back(model.data.scores);
      continue;
    }
    Matrix<float> own(rows, classes);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t k = 0; k < classes; ++k) own(i, k) = model.data.scores(i, column[k]);
    }
    moved.push_back(std::move(own));
    scores.push_back(std::as_const(moved.back()).view());
  }
  Matrix<double> found(rows, classes);
  panel.apply(scores, found.view(), threads);
  if (column.empty()) return found;
  Matrix<double> result(rows, classes);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < classes; ++k) result(i, column[k]) = found(i, k);
  }
  return result;
}

}  // namespace credence::io
