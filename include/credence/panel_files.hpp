// Panels in files: several score files as data sets of the same examples, and the calibrator.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "credence/io.hpp"
#include "credence/panel.hpp"

namespace credence::io {

/// Version of the file's format.
inline constexpr std::uint64_t kPanelVersion = 1;

struct LoadedPanel {
  Panel panel;
  std::vector<CalibratorInfo> infos;  ///< model by model
};

/// `infos` are those of the data that each model's calibrator was fitted to.
std::string panel_to_json(const Panel& panel, std::span<const CalibratorInfo> infos);
LoadedPanel panel_from_json(std::string_view text, std::string_view origin);

/// A calibrator of one model or of several, whichever the file holds.
using AnyCalibrator = std::variant<LoadedCalibrator, LoadedPanel>;
AnyCalibrator load_any_calibrator(const std::string& path);

/// The same examples as each model scored them: rows in the order of the first file (by id where
/// both have ids), columns in the order of its classes. Other examples, or classes, are an Error.
struct PanelData {
  std::vector<LoadedDataset> models;
  std::vector<std::string> names;  ///< of the score files, for messages and for the calibrator
  std::vector<Dataset> datasets() const;
};
/// One entry for each score file, with the same votes.
PanelData load_panel_data(const std::vector<DatasetFiles>& files);

/// Probabilities of the panel for its data, whose columns may stand in another order than at the
/// fit; those of the result keep it. A number of models that the panel does not have is an Error.
Matrix<double> apply_panel(const Panel& panel, const PanelData& data, const std::string& origin,
                           int threads);

}  // namespace credence::io
