// Several models of the same examples.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "credence/aligned_calibrator.hpp"
#include "credence/options.hpp"
#include "credence/panel_files.hpp"
#include "credence/panel_fit.hpp"
#include "credence/settings.hpp"
#include "inputs.hpp"
#include "work.hpp"

namespace credence::python {
namespace {

struct PyPanel {
  io::LoadedPanel loaded;
  std::vector<std::string> notes;  ///< of reading the data it was fitted to
  std::string json() const { return io::panel_to_json(loaded.panel, loaded.infos); }
};

io::PanelData read_models(const std::vector<Inputs>& inputs,
                          const std::vector<std::string>& names) {
  std::vector<io::DatasetFiles> files;
  for (std::size_t m = 0; m < inputs.size(); ++m) {
    files.push_back(inputs[m].files);
    // Messages name models as the user does.
    if (files.back().scores.given) files.back().scores.path = names[m];
  }
  io::PanelData data = io::load_panel_data(files);
  data.names = names;
  return data;
}

PyPanel fit_models(const std::vector<Inputs>& inputs, const std::vector<std::string>& names,
                   const FitOptions& options, const nb::object& progress) {
  PyPanel result;
  const MethodSpec method = parse_method("auto");
  run(progress, [&](Monitor& monitor) {
    const io::PanelData data = read_models(inputs, names);
    const std::vector<Dataset> models = data.datasets();
    require_evidence(method, models.front(), "votes");
    result.loaded.panel = fit_panel(method, models, names, options, [&](double share) {
      return monitor.report(share, "fitting candidates");
    });
    for (std::size_t m = 0; m < models.size(); ++m) {
      result.loaded.infos.push_back(
          io::calibrator_info(models[m], inputs[m].files.scores.kind, options.seed));
    }
    result.notes = data.models.front().join.notes;
  });
  return result;
}

nb::object predict_models(const PyPanel& self, const std::vector<Inputs>& inputs, int threads,
                          const nb::object& progress) {
  std::vector<std::string> names;
  for (std::size_t m = 0; m < inputs.size(); ++m) {
    const auto& models = self.loaded.panel.models;
    names.push_back(m < models.size() ? models[m].name : std::to_string(m));
  }
  Matrix<double> found;
  run(progress, [&](Monitor&) {
    found = io::apply_panel(self.loaded.panel, read_models(inputs, names), "the calibrator",
                            threads);
  });
  std::vector<double> values(found.data(), found.data() + found.rows() * found.cols());
  return to_numpy(std::move(values), found.rows(), found.cols());
}

std::vector<std::string> kinds_of(const PyPanel& self) {
  std::vector<std::string> kinds;
  for (const io::CalibratorInfo& info : self.loaded.infos) kinds.push_back(info.score_kind);
  return kinds;
}

}  // namespace

void bind_panel(nb::module_& module) {
  nb::class_<PyPanel>(module, "Panel")
      .def_static(
          "from_json",
          [](const std::string& text, const std::string& origin) {
            return PyPanel{io::panel_from_json(text, origin), {}};
          },
          nb::arg("text"), nb::arg("origin"))
      .def("to_json", &PyPanel::json)
      .def(
          "save",
          [](const PyPanel& self, const std::string& path) { io::write_text(path, self.json()); },
          nb::arg("path"))
      .def("predict", &predict_models, nb::arg("inputs"), nb::arg("threads"),
           nb::arg("progress").none())
      .def_prop_ro("kinds", &kinds_of)
      .def_prop_ro("notes",
                   [](const PyPanel& self) { return render(self.notes, Speech::python); });
  module.def("fit_panel", &fit_models, nb::arg("inputs"), nb::arg("names"), nb::arg("options"),
             nb::arg("progress").none());
}

}  // namespace credence::python
