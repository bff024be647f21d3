#include "panel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>
#include <variant>

#include "credence/aligned_calibrator.hpp"
#include "credence/files.hpp"
#include "credence/options.hpp"
#include "credence/panel_fit.hpp"
#include "credence/settings.hpp"
#include "text/json_output.hpp"
#include "text/progress.hpp"
#include "text/table.hpp"
#include "text/terminal.hpp"

namespace credence::cli {
namespace {

constexpr double kErrorsEachSide = 1.96;  // of a 95 % interval

io::PanelData load_several(const DatasetOptions& options) {
  const Progress progress("reading scores");
  return io::load_panel_data(panel_files(options));
}

void print_panel_notes(const io::PanelData& data) {
  std::vector<std::string> all;
  for (const io::LoadedDataset& model : data.models) {
    all.insert(all.end(), model.join.notes.begin(), model.join.notes.end());
  }
  print_notes(all);
}

std::string panel_as_text(const Panel& panel, std::size_t rows, const std::string& output) {
  const auto number = [](const std::optional<double>& value, double error) {
    return value ? fmt::format("{:.4f} ± {:.4f}", *value, kErrorsEachSide * error)
                 : std::string("-");
  };
  std::string out = fmt::format("auto of {} models: {} examples, {} classes\n", panel.models.size(),
                                grouped(rows), panel.class_count());
  TextTable table({"model", "held-out nll", "exponent"}, "lrr");
  for (const PanelModel& model : panel.models) {
    table.row({printable(model.name), number(model.nll, model.standard_error),
               model.exponent > 0.0 ? fmt::format("{:.3f}", model.exponent) : "-"});
  }
  table.row({"together", number(panel.nll, panel.standard_error), ""});
  out += table.text("  ");
  if (panel.gain > 0.0) {
    out += fmt::format("  together {:.4f} ± {:.4f} below the best model alone\n", panel.gain,
                       kErrorsEachSide * panel.gain_error);
  }
  for (const std::string& note : panel.notes) out += fmt::format("  {}\n", printable(note));
  return out +
         fmt::format("  written to {}\n", output == "-" ? "standard output" : printable(output));
}

std::string panel_as_json(const Panel& panel, std::size_t rows, const std::string& output) {
  Json models = Json::array();
  for (const PanelModel& model : panel.models) {
    models.push_back({{"name", model.name},
                      {"exponent", model.exponent},
                      {"nll", optional_json(model.nll)},
                      {"standard_error", model.standard_error}});
  }
  return to_text({{"method", "auto"},
                  {"rows", rows},
                  {"classes", panel.class_count()},
                  {"nll", optional_json(panel.nll)},
                  {"standard_error", panel.standard_error},
                  {"gain", panel.gain},
                  {"gain_standard_error", panel.gain_error},
                  {"models", models},
                  {"notes", panel.notes},
                  {"output", output}});
}

}  // namespace

void fit_several(const MethodSpec& method, const DatasetOptions& options, const FitOptions& how,
                 const std::string& output, Format format) {
  const io::PanelData data = load_several(options);
  const std::vector<Dataset> models = data.datasets();
  require_evidence(method, models.front(), options.votes.empty() ? options.labels : options.votes);
  print_panel_notes(data);
  const Panel panel = [&] {
    Progress progress("fitting auto");
    return fit_panel(method, models, data.names, how, [&progress](double share) {
      progress.update(fmt::format("{:.0f} %", 100.0 * share));
      return true;
    });
  }();
  std::vector<io::CalibratorInfo> infos;
  const std::vector<io::ScoreFile> files = score_files(options);
  for (std::size_t m = 0; m < models.size(); ++m) {
    infos.push_back(io::calibrator_info(models[m], files[m].kind, how.seed));
  }
  io::OutputFiles file;
  file.add(output, io::panel_to_json(panel, infos));
  const std::size_t rows = models.front().rows();
  const std::string summary = format == Format::json ? panel_as_json(panel, rows, output)
                                                     : panel_as_text(panel, rows, output);
  if (output == "-") {
    std::fputs(summary.c_str(), stderr);
  } else {
    print(summary);
  }
  publish(file);
}

void check_models(const io::AnyCalibrator& calibrator, const DatasetOptions& data,
                  const std::string& origin) {
  const auto* panel = std::get_if<io::LoadedPanel>(&calibrator);
  const std::size_t wanted = panel == nullptr ? 1 : panel->panel.models.size();
  const std::size_t given = score_files(data).size();
  if (given == wanted || given == 0) return;
  std::string hint = "give the score file of that model alone";
  if (panel != nullptr) {
    hint = "give one for each, in the order of the fit:";
    for (const PanelModel& model : panel->panel.models) hint += " " + model.name;
  }
  throw Error(ErrorCode::usage,
              fmt::format("{} reads the scores of {} model{}, {} {} given", origin, wanted,
                          wanted == 1 ? "" : "s", given, given == 1 ? "was" : "were"),
              hint);
}

PanelRows apply_several(const io::LoadedPanel& loaded, const DatasetOptions& options,
                        const std::string& origin, int threads) {
  io::PanelData data = load_several(options);
  print_panel_notes(data);
  PanelRows rows;
  rows.probabilities = io::apply_panel(loaded.panel, data, origin, threads);
  const Dataset& first = data.models.front().data;
  rows.ids = first.ids;
  rows.classes =
      first.classes.empty() ? loaded.panel.models.front().calibrator.classes : first.classes;
  return rows;
}

report::EvaluationResult evaluate_several(const io::LoadedPanel& loaded,
                                          const DatasetOptions& options, const std::string& origin,
                                          const report::EvaluationOptions& how) {
  io::PanelData data = load_several(options);
  Matrix<double> probabilities = io::apply_panel(loaded.panel, data, origin, how.threads);
  io::LoadedDataset first = std::move(data.models.front());
  first.probabilities = std::move(probabilities);
  const ScoreKind kind = score_files(options).front().kind;
  report::EvaluationResult result =
      report::evaluate(std::move(first), kind, std::nullopt, origin, data.names.front(), how);
  result.subject.method = fmt::format("auto of {} models", loaded.panel.models.size());
  result.subject.fitted_fingerprint = loaded.infos.front().fingerprint;
  result.subject.fitted_rows = rows_fitted_on(loaded.infos.front().sketch, result.loaded.data);
  return result;
}

}  // namespace credence::cli
