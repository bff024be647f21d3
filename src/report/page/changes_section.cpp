// What a calibrator changes besides the confidence: decisions.
#include <fmt/format.h>

#include <cmath>

#include "report/page/sections.hpp"
#include "report/page/words.hpp"

namespace credence::report {
namespace {

bool keeps_predictions(const MethodRecord& method) { return method.changed_predictions == 0.0; }

/// The best that changes no prediction; the model as it is does not count.
const MethodRecord* best_that_keeps(const SplitRecord& split) {
  for (const MethodRecord& method : split.methods) {
    const bool candidate = !method.oracle && method.name != "uncalibrated";
    if (candidate && keeps_predictions(method) && method.metric("nll").value) return &method;
  }
  return nullptr;
}

}  // namespace

void changes_section(Html& html, const Results& results) {
  const MethodRecord& chosen = results.chosen();
  if (!chosen.changed_predictions || chosen.name == "uncalibrated") return;
  html.open("section", {{"id", "changes"}, {"aria-labelledby", "changes-title"}});
  html.element("h2", "Changed predictions", {{"id", "changes-title"}});
  html.open("p").name(chosen.name);
  if (keeps_predictions(chosen)) {
    html.text(" keeps every prediction of your model: only the confidence changes.");
  } else {
    const std::size_t rows = results.first().evaluation_rows;
    const auto changed = static_cast<std::size_t>(
        std::lround(*chosen.changed_predictions * static_cast<double>(rows)));
    html.text(fmt::format(" changes the predicted class of {} of {} ({}).", counted(changed),
                          counted(rows, "test example"),
                          percent_text(*chosen.changed_predictions)));
    if (const MethodRecord* keeping = best_that_keeps(results.first())) {
      html.text(" The best method that keeps every prediction is ").name(keeping->name);
      html.text(fmt::format(" (nll {}, against {}).",
                            value_text("nll", keeping->metric("nll").value),
                            value_text("nll", chosen.metric("nll").value)));
    }
  }
  html.close().close();
}

}  // namespace credence::report
