#include "credence/fit.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>
#include <variant>

#include "bindings.hpp"
#include "calibrator.hpp"
#include "credence/aligned_calibrator.hpp"
#include "credence/auto_fit.hpp"
#include "credence/second_order.hpp"
#include "credence/settings.hpp"
#include "inputs.hpp"
#include "work.hpp"

namespace credence::python {
namespace {

void require_annotations(const MethodSpec& method, const Inputs& inputs) {
  if (inputs.has_votes() || method.needs() == Evidence::none) return;
  throw Error(ErrorCode::usage,
              "method '" + method.name + "' learns from annotations and none were given",
              "give votes, or labels= when only majority labels are known");
}

/// Done before anybody could want to stop it.
bool is_quick(const MethodSpec& method, const Dataset& data) {
  constexpr std::size_t kFewNumbers = std::size_t{1} << 20U;
  return method.automatic == Automatic::no && data.scores.size() <= kFewNumbers &&
         std::ranges::all_of(method.stages, [](const auto& stage) {
           return std::holds_alternative<Temperature>(stage.map) ||
                  std::holds_alternative<TopLabelIsotonic>(stage.map) ||
                  std::holds_alternative<TopLabelHistogram>(stage.map);
         });
}

PyCalibrator fit_calibrator(const std::string& name, const Inputs& inputs, FitOptions options,
                            const MethodSettings& settings, bool second_order,
                            const nb::object& progress) {
  const MethodSpec method = with_settings(parse_method(name), settings);
  require_annotations(method, inputs);
  PyCalibrator result;
  std::shared_ptr<const Prepared> prepared;
  if (inputs.are_arrays()) run_here([&] { prepared = inputs.read_to_fit(method, options.threads); });
  const auto work = [&](Monitor& monitor) {
    if (!prepared) prepared = inputs.read_to_fit(method, options.threads);
    const io::LoadedDataset& loaded = prepared->loaded();
    const io::DatasetFiles& files = inputs.files;
    require_evidence(method, loaded.data, files.votes.empty() ? files.labels : files.votes);
    monitor.warn(cautions_before(method, loaded.data.rows(), loaded.data.classes_count()));
    options.progress = [&monitor](const FitProgress& state) {
      char text[96];
      std::snprintf(text, sizeof text, "pass %d  loss %.7f  gradient %.0e", state.pass, state.loss,
                    state.gradient_norm);
      return monitor.report(-1.0, text);
    };
    if (method.automatic == Automatic::no) {
      result.loaded.calibrator = fit(method, loaded.data, options);
    } else {
      result.loaded.calibrator = fit_auto(method, loaded.data, options, [&](double share) {
                                   return monitor.report(share, "fitting candidates");
                                 }).calibrator;
    }
    if (second_order) {
      result.loaded.calibrator.second_order =
          fit_second_order(result.loaded.calibrator, loaded.data, options);
    }
    result.loaded.info = prepared->info();
    result.loaded.info.seed = options.seed;
    result.notes = loaded.join.notes;
  };
  if (prepared && progress.is_none() && is_quick(method, prepared->as_read().data)) {
    Monitor nobody;
    run_here([&] { work(nobody); });
  } else {
    run(progress, work);
  }
  return result;
}

}  // namespace

void bind_fit(nb::module_& module) {
  module.def("fit", &fit_calibrator, nb::arg("method"), nb::arg("inputs"), nb::arg("options"),
             nb::arg("settings"), nb::arg("second_order"), nb::arg("progress").none());
}

}  // namespace credence::python
