// How sure the predictions are, as a calibrator file says it.
#include <fmt/format.h>

#include <cmath>

#include "credence/error.hpp"
#include "io/calibrator/calibrator_json.hpp"

namespace credence::io {
namespace {

constexpr std::uint64_t kMostRows = std::uint64_t{1} << 53;
/// Far beyond what the prior of the fit lets happen.
constexpr double kMostOfLine = 1e3;

Json line_to_json(const LogLine& line, const FitReport& report) {
  if (!std::isfinite(line.intercept) || !std::isfinite(line.slope)) {
    throw Error(ErrorCode::model, "calibrator: the fit of the second order is not finite",
                "nothing is written; fit without ‹second_order›");
  }
  return {{"intercept", line.intercept}, {"slope", line.slope}, {"report", report_to_json(report)}};
}

double number_of_line(const JsonNode& node) {
  const double value = node.number();
  if (!(std::abs(value) <= kMostOfLine)) {
    node.fail(fmt::format("{} is outside [{}, {}]", json_number(value), -kMostOfLine, kMostOfLine));
  }
  return value;
}

LogLine line_from_json(const JsonNode& node, FitReport& report) {
  node.keys({"intercept", "slope", "report"});
  report = report_from_json(node["report"]);
  return {number_of_line(node["intercept"]), number_of_line(node["slope"])};
}

}  // namespace

Json second_order_to_json(const SecondOrder& model) {
  return {{"concentration", line_to_json(model.concentration, model.concentration_report)},
          {"disagreement", line_to_json(model.disagreement, model.disagreement_report)},
          {"rows", model.rows},
          {"dm_nll", model.dm_nll},
          {"multinomial_nll", model.multinomial_nll},
          {"observed_disagreement", model.observed_disagreement}};
}

SecondOrder second_order_from_json(const JsonNode& node) {
  node.keys({"concentration", "disagreement", "rows", "dm_nll", "multinomial_nll",
             "observed_disagreement"});
  SecondOrder model;
  model.concentration = line_from_json(node["concentration"], model.concentration_report);
  model.disagreement = line_from_json(node["disagreement"], model.disagreement_report);
  model.rows = node["rows"].integer(0, kMostRows);
  model.dm_nll = node["dm_nll"].number();
  model.multinomial_nll = node["multinomial_nll"].number();
  model.observed_disagreement = node["observed_disagreement"].number();
  return model;
}

}  // namespace credence::io
