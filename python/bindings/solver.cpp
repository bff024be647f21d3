// Requests and states as bytes objects: a driver in Python holds no pointer into the engine.
#include "credence/solver.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "bytes.hpp"
#include "calibrator.hpp"
#include "credence/settings.hpp"
#include "inputs.hpp"
#include "work.hpp"

namespace credence::python {
namespace {

Evidence read_evidence(const std::string& name) {
  for (const Evidence evidence :
       {Evidence::none, Evidence::voted, Evidence::annotations, Evidence::distributions}) {
    if (to_string(evidence) == name) return evidence;
  }
  throw Error(ErrorCode::usage, "evidence is '" + name + "'",
              "wanted 'none', 'voted', 'annotations' or 'distributions'");
}

std::optional<nb::bytes> next_request(const Solver& solver) {
  const Request* const request = solver.next();
  if (request == nullptr) return std::nullopt;
  return to_python(to_bytes(*request));
}

nb::bytes answer(const nb::bytes& request_bytes, const Inputs& inputs, std::size_t first_row,
                 int threads) {
  const Request request = request_from_bytes(from_python(request_bytes));
  std::vector<std::byte> out;
  run(nb::none(), [&](Monitor&) {
    const std::shared_ptr<const Prepared> prepared = inputs.read();
    const Dataset& data = prepared->loaded().data;
    const std::vector<std::uint64_t> keys = row_keys(data);
    out = to_bytes(accumulate(request, {first_row, data.scores, &data.votes, keys}, threads));
  });
  return to_python(out);
}

nb::bytes merge_states(const std::vector<nb::bytes>& states) {
  std::vector<State> read;
  for (const nb::bytes& state : states) read.push_back(state_from_bytes(from_python(state)));
  return to_python(to_bytes(merge(std::move(read))));
}

/// A solver and what the calibrator's file says of the fit.
struct PySolver {
  Solver solver;
  io::CalibratorInfo info;

  PySolver(Solver the_solver, const std::string& input) : solver(std::move(the_solver)) {
    info.rows = solver.rows().rows;
    info.score_kind = input;
    info.evidence = std::string(to_string(solver.rows().evidence));
    info.seed = solver.options().seed;
  }

  PyCalibrator result() const {
    PyCalibrator out;
    out.loaded = {solver.result(), info};
    return out;
  }
};

}  // namespace

void bind_solver(nb::module_& module) {
  nb::class_<PySolver>(module, "Solver")
      .def(
          "__init__",
          [](PySolver* self, const std::string& method, std::size_t rows, std::size_t classes,
             const std::string& evidence, std::vector<std::string> class_names,
             const std::string& input, const FitOptions& options, const MethodSettings& settings,
             bool resumable) {
            new (self) PySolver(
                Solver(with_settings(parse_method(method), settings),
                       {rows, classes, read_evidence(evidence), std::move(class_names)}, options,
                       resumable),
                input);
          },
          nb::arg("method"), nb::arg("rows"), nb::arg("classes"), nb::arg("evidence"),
          nb::arg("class_names"), nb::arg("input"), nb::arg("options"), nb::arg("settings"),
          nb::arg("resumable"))
      .def("save", [](const PySolver& self) { return to_python(self.solver.save()); })
      .def_static(
          "resume",
          [](const nb::bytes& saved, const std::string& input) {
            return PySolver(Solver::resume(from_python(saved)), input);
          },
          nb::arg("saved"), nb::arg("input"))
      .def("next", [](const PySolver& self) { return next_request(self.solver); })
      .def(
          "tell",
          [](PySolver& self, const nb::bytes& state) {
            self.solver.tell(state_from_bytes(from_python(state)));
          },
          nb::arg("state"))
      .def("result", &PySolver::result);
  module.def("accumulate", &answer, nb::arg("request"), nb::arg("rows"), nb::arg("first_row"),
             nb::arg("threads"));
  module.def("merge", &merge_states, nb::arg("states"));
}

}  // namespace credence::python
