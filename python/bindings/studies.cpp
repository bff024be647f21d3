// ablate and plan.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "credence/ablate.hpp"
#include "credence/comparison_run.hpp"
#include "credence/options.hpp"
#include "credence/output.hpp"
#include "credence/plan.hpp"
#include "credence/report.hpp"
#include "inputs.hpp"
#include "words.hpp"
#include "work.hpp"

namespace credence::python {
namespace {

struct PyAblation {
  std::vector<report::NamedText> files;
  std::vector<std::string> notes;
};

struct PyPlan {
  std::string json;
  std::vector<std::string> advice, notes;
};

void require_votes(const Inputs& inputs, const char* what) {
  if (inputs.has_votes()) return;
  throw Error(ErrorCode::usage, std::string("no annotations given to ") + what,
              "give votes, or labels= when only majority labels are known");
}

PyAblation ablate_inputs(const Inputs& inputs, AblateOptions options, const nb::object& progress) {
  require_votes(inputs, "ablate");
  PyAblation result;
  run(progress, [&](Monitor& monitor) {
    const std::shared_ptr<const Prepared> prepared = inputs.read();
    const io::LoadedDataset& loaded = prepared->loaded();
    options.progress = [&monitor](double share, const std::string& what) {
      return monitor.report(share, what);
    };
    result.files = report::ablation_files(report::run_ablation(
        loaded.data, options, provenance("ablate", inputs, loaded, words_of(options))));
    result.notes = loaded.join.notes;
  });
  return result;
}

void save(const PyAblation& self, const std::string& path) {
  io::OutputFolder folder(path);
  for (const report::NamedText& file : self.files) folder.add(file.name, file.text);
  folder.commit();
}

PyPlan plan_inputs(const Inputs& inputs, const PlanOptions& options) {
  require_votes(inputs, "plan from");
  PyPlan result;
  run(nb::none(), [&](Monitor&) {
    const std::shared_ptr<const Prepared> prepared = inputs.read();
    const io::LoadedDataset& loaded = prepared->loaded();
    const Plan found = plan(loaded.data, options);
    result.json = report::plan_json(found, provenance("plan", inputs, loaded, words_of(options)));
    result.advice = found.advice;
    result.notes = loaded.join.notes;
  });
  return result;
}

}  // namespace

void bind_studies(nb::module_& module) {
  nb::class_<PyAblation>(module, "Ablation")
      .def(
          "text",
          [](const PyAblation& self, const std::string& name) {
            return report::text_of(self.files, name);
          },
          nb::arg("name"))
      .def_prop_ro("notes",
                   [](const PyAblation& self) { return render(self.notes, Speech::python); })
      .def("save", &save, nb::arg("folder"));
  nb::class_<PyPlan>(module, "Plan")
      .def_ro("json", &PyPlan::json)
      .def_ro("advice", &PyPlan::advice)
      .def_prop_ro("notes", [](const PyPlan& self) { return render(self.notes, Speech::python); });
  module.def("ablate", &ablate_inputs, nb::arg("inputs"), nb::arg("options"),
             nb::arg("progress").none());
  module.def("plan", &plan_inputs, nb::arg("inputs"), nb::arg("options"));
}

}  // namespace credence::python
