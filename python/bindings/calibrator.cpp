#include "calibrator.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "credence/settings.hpp"
#include "credence/options.hpp"
#include "credence/second_order.hpp"
#include "inputs.hpp"
#include "prediction.hpp"
#include "work.hpp"

namespace credence::python {
namespace {

template <class T>
nb::object predict(const PyCalibrator& model, const Inputs& inputs, int threads,
                   const nb::object& progress) {
  Output<T> output;
  const auto work = [&](Monitor& monitor) {
    output = Prediction<T>(model, inputs, threads, monitor).run();
  };
  if (progress.is_none() && inputs.are_arrays()) {
    Monitor nobody;
    run_here([&] { work(nobody); });
  } else {
    run(progress, work);
  }
  return to_numpy(std::move(output.values), output.rows, output.columns);
}

nb::object predict_any(const PyCalibrator& model, const Inputs& inputs, bool float32, int threads,
                       const nb::object& progress) {
  return float32 ? predict<float>(model, inputs, threads, progress)
                 : predict<double>(model, inputs, threads, progress);
}

nb::list stages_of(const PyCalibrator& self) {
  nb::list stages;
  for (const Stage* each : self.loaded.calibrator.all_stages()) {
    const Stage& stage = *each;
    nb::dict one;
    one["target"] = nb::cast(target_name(stage.target));
    one["map"] = nb::cast(map_name(stage.map));
    one["parameters"] = stage.theta.size();
    one["stop"] = nb::cast(in_words(stage.report.stop));
    one["passes"] = stage.report.passes;
    one["loss"] = stage.report.loss;
    one["gradient_norm"] = stage.report.gradient_norm;
    one["notes"] = nb::cast(stage.report.notes);
    stages.append(one);
  }
  return stages;
}

nb::list members_of(const PyCalibrator& self) {
  nb::list members;
  for (const Member& member : self.loaded.calibrator.members) {
    nb::dict one;
    one["method"] = nb::cast(member.method);
    one["weight"] = member.weight;
    members.append(one);
  }
  return members;
}

nb::object number_or_none(const std::optional<double>& value) {
  return value ? nb::object(nb::float_(*value)) : nb::object(nb::none());
}

nb::dict line_of(const LogLine& line, const FitReport& report) {
  nb::dict one;
  one["intercept"] = line.intercept;
  one["slope"] = line.slope;
  one["stop"] = nb::cast(in_words(report.stop));
  one["passes"] = report.passes;
  one["gradient_norm"] = report.gradient_norm;
  return one;
}

nb::object second_order_of_model(const PyCalibrator& self) {
  const std::optional<SecondOrder>& model = self.loaded.calibrator.second_order;
  if (!model) return nb::none();
  nb::dict all;
  all["concentration"] = line_of(model->concentration, model->concentration_report);
  all["disagreement"] = line_of(model->disagreement, model->disagreement_report);
  all["rows"] = model->rows;
  all["dm_nll"] = model->dm_nll;
  all["multinomial_nll"] = model->multinomial_nll;
  all["observed_disagreement"] = model->observed_disagreement;
  return all;
}

using Array = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Concentration and disagreement of rows of probabilities, two columns; with `next_votes` the low
/// and the high ends of the shares of so many votes as well, K columns each.
nb::object certainties_in_numpy(const PyCalibrator& self, const Array& given, int next_votes,
                                double level) {
  const std::optional<SecondOrder>& model = self.loaded.calibrator.second_order;
  if (!model) {
    throw Error(ErrorCode::model, "the calibrator does not say how sure it is",
                "fit it again with ‹second_order=True›");
  }
  const Rows probabilities(given.data(), given.shape(0), given.shape(1));
  const NextVotes next{next_votes, level};
  const std::size_t columns = certainty_columns(probabilities.cols(), next);
  auto values = make_large_array<double>(probabilities.rows() * columns);
  const MutRows out(values.get(), probabilities.rows(), columns);
  for (std::size_t i = 0; i < probabilities.rows(); ++i) {
    certainty_row(*model, probabilities.row(i), next, out.row(i));
  }
  return to_numpy(std::move(values), probabilities.rows(), columns);
}

nb::object selection_of(const PyCalibrator& self) {
  const std::optional<Selection>& selection = self.loaded.calibrator.selection;
  if (!selection) return nb::none();
  nb::list candidates;
  for (const CandidateReport& one : selection->candidates) {
    nb::dict candidate;
    candidate["method"] = nb::cast(one.method);
    candidate["parameters"] = one.parameters;
    candidate["nll"] = number_or_none(one.nll);
    candidate["standard_error"] = one.standard_error;
    candidate["behind"] = one.behind;
    candidate["behind_standard_error"] = one.behind_error;
    candidate["weight"] = one.weight;
    candidate["problem"] = nb::cast(one.problem);
    candidates.append(candidate);
  }
  nb::dict all;
  all["folds"] = selection->folds;
  all["nll"] = number_or_none(selection->nll);
  all["standard_error"] = selection->standard_error;
  all["baseline"] = nb::cast(selection->baseline);
  all["gain"] = selection->gain;
  all["gain_standard_error"] = selection->gain_error;
  all["harm_probability"] = selection->harm;
  all["notes"] = nb::cast(selection->notes);
  all["candidates"] = candidates;
  return all;
}

nb::dict info_of(const PyCalibrator& self) {
  const io::CalibratorInfo& info = self.loaded.info;
  nb::dict facts;
  facts["rows"] = info.rows;
  facts["score_kind"] = nb::cast(info.score_kind);
  facts["evidence"] = nb::cast(info.evidence);
  facts["votes_per_example"] = info.votes_per_example;
  facts["seed"] = info.seed;
  facts["fingerprint"] = nb::cast(info.fingerprint);
  return facts;
}

}  // namespace

void bind_calibrator(nb::module_& module) {
  nb::class_<PyCalibrator>(module, "Calibrator")
      .def_static(
          "from_json",
          [](const std::string& text, const std::string& origin) {
            return PyCalibrator{io::calibrator_from_json(text, origin), {}};
          },
          nb::arg("text"), nb::arg("origin"))
      .def_static(
          "load",
          [](const std::string& path) {
            return PyCalibrator{io::load_calibrator(path), {}};
          },
          nb::arg("path"))
      .def("to_json", &PyCalibrator::json)
      .def(
          "save",
          [](const PyCalibrator& self, const std::string& path) {
            io::write_text(path, self.json());
          },
          nb::arg("path"))
      .def("predict", &predict_any, nb::arg("inputs"), nb::arg("float32"), nb::arg("threads"),
           nb::arg("progress").none())
      .def_prop_ro("method", [](const PyCalibrator& self) { return self.loaded.calibrator.method; })
      .def_prop_ro(
          "gauge",
          [](const PyCalibrator& self) {
            return std::string(to_string(self.loaded.calibrator.gauge));
          })
      .def_prop_ro("classes",
                   [](const PyCalibrator& self) { return self.loaded.calibrator.classes; })
      .def_prop_ro("class_count",
                   [](const PyCalibrator& self) { return self.loaded.calibrator.class_count; })
      .def_prop_ro("temperature",
                   [](const PyCalibrator& self) { return self.loaded.calibrator.temperature(); })
      .def_prop_ro("stages", &stages_of)
      .def_prop_ro("members", &members_of)
      .def_prop_ro("selection", &selection_of)
      .def_prop_ro("second_order", &second_order_of_model)
      .def("certainties", &certainties_in_numpy, nb::arg("probabilities"), nb::arg("next_votes"),
           nb::arg("level"))
      .def_prop_ro("info", &info_of)
      .def_prop_ro("notes",
                   [](const PyCalibrator& self) { return render(self.notes, Speech::python); });
}

}  // namespace credence::python
