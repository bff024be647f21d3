// The tables of methods and metrics.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "credence/methods.hpp"
#include "credence/metrics.hpp"

namespace credence::python {
namespace {

nb::list methods() {
  nb::list all;
  for (const Method& method : kMethods) {
    nb::dict one;
    one["id"] = nb::cast(method.id);
    one["target"] = nb::cast(target_name(method.target));
    one["map"] = nb::cast(map_name(method.map));
    one["needs"] = nb::cast(to_string(needs(method.target)));
    one["summary"] = nb::cast(method.summary);
    all.append(one);
  }
  for (const AutomaticMethod& method : kAutomaticMethods) {
    nb::dict one;
    one["id"] = nb::cast(method.id);
    one["target"] = nb::none();
    one["map"] = nb::none();
    one["needs"] = nb::cast(to_string(Evidence::voted));
    one["summary"] = nb::cast(method.summary);
    all.append(one);
  }
  return all;
}

nb::list metrics() {
  nb::list all;
  for (const Metric& metric : metric_table()) {
    nb::dict one;
    one["name"] = nb::cast(metric.name);
    one["better"] = metric.better == Direction::neither ? nb::object(nb::none())
                                                        : nb::cast(to_string(metric.better));
    one["needs"] = nb::cast(to_string(metric.needs));
    one["monte_carlo"] = metric.monte_carlo;
    one["interval"] = metric.interval;
    one["definition"] = nb::cast(metric.definition);
    one["meaning"] = nb::cast(metric.meaning);
    all.append(one);
  }
  return all;
}

}  // namespace

void bind_catalogue(nb::module_& module) {
  module.def("methods", &methods);
  module.def("metrics", &metrics);
}

}  // namespace credence::python
