// The parts of the Python module; these files alone know nanobind.
#pragma once

#include <nanobind/nanobind.h>

namespace credence::python {

namespace nb = nanobind;

void bind_errors(nb::module_& module);
void bind_inputs(nb::module_& module);
void bind_tables(nb::module_& module);
void bind_calibrator(nb::module_& module);
void bind_options(nb::module_& module);
void bind_fit(nb::module_& module);
void bind_panel(nb::module_& module);
void bind_solver(nb::module_& module);
void bind_row_arrays(nb::module_& module);
void bind_evaluate(nb::module_& module);
void bind_compare(nb::module_& module);
void bind_rows(nb::module_& module);
void bind_studies(nb::module_& module);
void bind_simulate(nb::module_& module);
void bind_report(nb::module_& module);
void bind_catalogue(nb::module_& module);

}  // namespace credence::python
