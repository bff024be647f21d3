#include "bindings.hpp"

NB_MODULE(_core, module) {
  module.doc() = "The engine of Credence. Use the package 'credence', which explains itself.";
  module.attr("version") = CREDENCE_VERSION;
  // PyTorch 2 holds on to modules until after the interpreter has ended; that is no leak of ours.
  nanobind::set_leak_warnings(false);
  using namespace credence::python;
  bind_errors(module);
  bind_options(module);
  bind_inputs(module);
  bind_tables(module);
  bind_calibrator(module);
  bind_fit(module);
  bind_panel(module);
  bind_solver(module);
  bind_row_arrays(module);
  bind_evaluate(module);
  bind_compare(module);
  bind_rows(module);
  bind_studies(module);
  bind_simulate(module);
  bind_report(module);
  bind_catalogue(module);
}
