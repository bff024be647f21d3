#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <utility>

#include "bindings.hpp"
#include "credence/io.hpp"
#include "credence/output.hpp"
#include "credence/page.hpp"

namespace credence::python {
namespace {

using Results = std::shared_ptr<const report::Results>;
struct PyResults {
  Results results;
};

std::vector<std::pair<std::string, std::string>> figures_of(const PyResults& self) {
  std::vector<std::pair<std::string, std::string>> figures;
  for (report::Figure& figure : report::figures(*self.results)) {
    figures.emplace_back(std::move(figure.name), std::move(figure.svg));
  }
  return figures;
}

void save_figures(const PyResults& self, const std::string& path,
                  const std::vector<std::string>& formats) {
  io::OutputFolder folder(path);
  for (const report::Figure& figure : report::figures(*self.results)) {
    for (const std::string& name : formats) {
      const report::FigureFormat format = report::read_figure_format(name);
      folder.add(figure.name + "." + name, report::convert_figure(figure.svg, format));
    }
  }
  folder.commit();
}

}  // namespace

void bind_report(nb::module_& module) {
  nb::class_<PyResults>(module, "Results", "Results read back, for drawing.")
      .def_static(
          "read",
          [](const std::vector<std::string>& paths, const report::PageOptions& options) {
            return PyResults{report::read_results(paths, options)};
          },
          nb::arg("paths"), nb::arg("options"))
      .def_static(
          "from_text",
          [](const std::string& json, const std::string& examples,
             const report::PageOptions& options) {
            return PyResults{report::read_results_text(json, examples, options)};
          },
          nb::arg("json"), nb::arg("examples"), nb::arg("options"))
      .def("page", [](const PyResults& self) { return report::page(*self.results).html; })
      .def("figures", &figures_of)
      .def("save_figures", &save_figures, nb::arg("folder"), nb::arg("formats"));
  module.def(
      "write_text",
      [](const std::string& path, const std::string& text) { io::write_text(path, text); },
      nb::arg("path"), nb::arg("text"));
}

}  // namespace credence::python
