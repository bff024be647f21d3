// Rows that lie elsewhere: a driver in Python carries bytes, the engine knows what they mean.
#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "bytes.hpp"
#include "calibrator.hpp"
#include "credence/auto_fit.hpp"
#include "credence/row_work.hpp"
#include "credence/settings.hpp"
#include "inputs.hpp"
#include "rows.hpp"
#include "work.hpp"

namespace credence::python {
namespace {

std::vector<std::byte> copied(const nb::bytes& bytes) {
  const std::span<const std::byte> view = from_python(bytes);
  return {view.begin(), view.end()};
}

/// Calls Python from whichever thread asks for rows.
RowsInPieces::Transport transport_of(const PyRows& rows) {
  RowsInPieces::Transport transport;
  transport.run = [&rows](const Bytes& common, const std::vector<Bytes>& own) {
    const nb::gil_scoped_acquire acquire;
    nb::list messages;
    for (const Bytes& one : own) messages.append(to_python(one));
    std::vector<Bytes> replies;
    for (const nb::handle reply : rows.run(to_python(common), messages)) {
      replies.push_back(copied(nb::cast<nb::bytes>(reply)));
    }
    return replies;
  };
  transport.tag = [&rows](const std::vector<std::vector<std::uint8_t>>& tags) {
    const nb::gil_scoped_acquire acquire;
    nb::list by_piece;
    for (const auto& one : tags) {
      by_piece.append(nb::bytes(reinterpret_cast<const char*>(one.data()), one.size()));
    }
    rows.tag(by_piece);
  };
  return transport;
}

nb::bytes answer_one(const nb::bytes& common, const nb::bytes& own, const Inputs& inputs,
                     const nb::bytes& tags, int threads) {
  std::vector<std::byte> out;
  run(nb::none(), [&](Monitor&) {
    const std::shared_ptr<const Prepared> prepared = inputs.read();
    const Dataset& data = prepared->loaded().data;
    const std::vector<std::uint64_t> keys = row_keys(data);
    const std::span<const std::uint8_t> own_tags(
        reinterpret_cast<const std::uint8_t*>(tags.c_str()), tags.size());
    out = answer_piece(from_python(common), from_python(own),
                       {0, data.scores, data.votes.rows() == 0 ? nullptr : &data.votes, keys},
                       own_tags, threads);
  });
  return to_python(out);
}

void report_pass(Monitor& monitor, double share, const std::string& what) {
  if (!monitor.report(share, what)) throw Error(ErrorCode::cancelled, "stopped on request");
}

/// Methods that are one fit each, in the same passes.
void fit_together(RowWorker& worker, const std::vector<MethodSpec>& methods,
                  const FitOptions& options, Monitor& monitor, std::vector<PyCalibrator>& fitted) {
  std::vector<std::unique_ptr<Solver>> solvers(methods.size());
  std::vector<TaggedSolver> all;
  for (std::size_t j = 0; j < methods.size(); ++j) {
    if (methods[j].automatic != Automatic::no) continue;
    solvers[j] = std::make_unique<Solver>(methods[j], worker.info(), options);
    all.push_back({solvers[j].get(), all_tags()});
  }
  for (int passes = 1; pass(all, worker); ++passes) {
    report_pass(monitor, -1.0, "pass " + std::to_string(passes));
  }
  for (std::size_t j = 0; j < methods.size(); ++j) {
    if (solvers[j]) fitted[j].loaded.calibrator = solvers[j]->result();
  }
}

std::vector<PyCalibrator> fit_rows(PyRows& rows, const std::vector<std::string>& names,
                                   const FitOptions& options, const MethodSettings& settings,
                                   const std::string& input, const nb::object& progress) {
  std::vector<PyCalibrator> fitted(names.size());
  run(progress, [&](Monitor& monitor) {
    RowWorker& worker = rows.worker();
    monitor.warn(cautions_before(names, worker.info().rows, worker.info().classes));
    std::vector<MethodSpec> methods;
    for (const std::string& name : names) {
      methods.push_back(with_settings(parse_method(name), settings));
    }
    fit_together(worker, methods, options, monitor, fitted);
    for (std::size_t j = 0; j < methods.size(); ++j) {
      if (methods[j].automatic != Automatic::no) {
        const auto told = [&](double share) {
          report_pass(monitor, share, "fitting " + methods[j].name);
          return true;
        };
        fitted[j].loaded.calibrator = fit_auto(methods[j], worker, options, told).calibrator;
      }
      io::CalibratorInfo info;
      info.rows = worker.info().rows;
      info.score_kind = input;
      info.evidence = std::string(to_string(worker.info().evidence));
      info.seed = options.seed;
      fitted[j].loaded.info = info;
    }
  });
  return fitted;
}

bool is_automatic(const std::string& method) {
  return parse_method(method).automatic != Automatic::no;
}

nb::bytes evaluate_rows(PyRows& rows, const std::optional<PyCalibrator>& calibrator,
                        const MetricOptions& options, const nb::object& progress) {
  std::vector<std::byte> out;
  run(progress, [&](Monitor&) {
    RowWorker& worker = rows.worker();
    MetricsTask task;
    task.options = options;
    task.calibrator = calibrator ? calibrator->loaded.calibrator
                                 : Solver(parse_method("uncalibrated"), worker.info()).result();
    const std::vector<RowTask> tasks{{all_tags(), std::move(task)}};
    out = to_bytes(std::get<EvaluationSums>(worker.work(tasks).front()));
  });
  return to_python(out);
}

}  // namespace

PyRows::PyRows(std::size_t pieces, nb::object run_all, nb::object keep_tags,
               std::vector<std::string> class_names)
    : run(std::move(run_all)), tag(std::move(keep_tags)) {
  python::run(nb::none(), [&](Monitor&) {
    rows_ = std::make_unique<RowsInPieces>(pieces, transport_of(*this), std::move(class_names));
  });
}

void bind_rows(nb::module_& module) {
  nb::class_<PyRows>(module, "RowsInPieces")
      .def(nb::init<std::size_t, nb::object, nb::object, std::vector<std::string>>(),
           nb::arg("pieces"), nb::arg("run"), nb::arg("tag"), nb::arg("class_names"))
      .def_prop_ro("rows", [](PyRows& self) { return self.worker().info().rows; })
      .def_prop_ro("classes", [](PyRows& self) { return self.worker().info().classes; })
      .def_prop_ro("evidence", [](PyRows& self) {
        return std::string(to_string(self.worker().info().evidence));
      });
  module.def("answer_piece", &answer_one, nb::arg("common"), nb::arg("own"), nb::arg("rows"),
             nb::arg("tags"), nb::arg("threads"));
  module.def("fit_rows", &fit_rows, nb::arg("rows"), nb::arg("methods"), nb::arg("options"),
             nb::arg("settings"), nb::arg("input"), nb::arg("progress").none());
  module.def("is_automatic", &is_automatic, nb::arg("method"));
  module.def("evaluate_rows", &evaluate_rows, nb::arg("rows"), nb::arg("calibrator").none(),
             nb::arg("options"), nb::arg("progress").none());
}

}  // namespace credence::python
