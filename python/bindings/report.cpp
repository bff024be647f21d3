#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "bindings.hpp"
#include "credence/io.hpp"
#include "credence/output.hpp"
#include "credence/page.hpp"

namespace credence::python {
namespace {

std::vector<std::pair<std::string, std::string>> figures_of(const report::Results& self) {
  std::vector<std::pair<std::string, std::string>> figures;
  for (report::Figure& figure : report::figures(self)) {
    figures.emplace_back(std::move(figure.name), std::move(figure.svg));
  }
  return figures;
}

void save_figures(const report::Results& self, const std::string& path,
                  const std::vector<std::string>& formats) {
  io::OutputFolder folder(path);
  for (const report::Figure& figure : report::figures(self)) {
    for (const std::string& name : formats) {
      const report::FigureFormat format = report::read_figure_format(name);
      folder.add(figure.name + "." + name, report::convert_figure(figure.svg, format));
    }
  }
  folder.commit();
}

}  // namespace

void bind_report(nb::module_& module) {
  nb::class_<report::Results>(module, "Results", "Results, for drawing.")
      .def_static(
          "read",
          [](const std::vector<std::string>& paths, const report::PageOptions& options) {
            return report::read_results(paths, options);
          },
          nb::arg("paths"), nb::arg("options"))
      .def("page", [](const report::Results& self) { return report::page(self).html; })
      .def("figures", &figures_of)
      .def("save_figures", &save_figures, nb::arg("folder"), nb::arg("formats"));
  module.def(
      "write_text",
      [](const std::string& path, const std::string& text) { io::write_text(path, text); },
      nb::arg("path"), nb::arg("text"));
  module.def(
      "write_bytes",
      [](const std::string& path, const nb::bytes& bytes) {
        io::write_text(path, std::string(bytes.c_str(), bytes.size()));
      },
      nb::arg("path"), nb::arg("bytes"));
}

}  // namespace credence::python
