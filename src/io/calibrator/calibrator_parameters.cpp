#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/overloaded.hpp"
#include "credence/error.hpp"
#include "io/calibrator/calibrator_json.hpp"

namespace credence::io {
namespace {

Json list(Params values) { return Json(std::vector<double>(values.begin(), values.end())); }

Json inverses(Params values) {
  Json result = Json::array();
  for (const double value : values) result.push_back(1.0 / value);
  return result;
}

void append(std::vector<double>& theta, const std::vector<double>& more) {
  theta.insert(theta.end(), more.begin(), more.end());
}

/// Inverse temperatures may sit on their bounds, and 1e-2 is not a binary fraction.
constexpr double kBoundSlack = 1e-9;

void check_inverse_temperature(const JsonNode& node, double inverse) {
  constexpr double kLow = (1.0 - kBoundSlack) / kMaxTemperature;
  constexpr double kHigh = (1.0 + kBoundSlack) / kMinTemperature;
  if (!(inverse >= kLow && inverse <= kHigh)) {
    node.fail(fmt::format("{} is outside [{}, {}], the inverses of the temperatures allowed",
                          json_number(inverse), 1.0 / kMaxTemperature, 1.0 / kMinTemperature));
  }
}

/// The temperature beside an inverse temperature is there for people; it must not say otherwise.
void check_temperature(const JsonNode& node, double temperature, double inverse) {
  // 1 / b is rounded once when written and the product once here.
  if (!(std::abs(temperature * inverse - 1.0) <= 4.0 * std::numeric_limits<double>::epsilon())) {
    node.fail(fmt::format("{} is not 1 / {}", json_number(temperature), json_number(inverse)),
              "the inverse temperature is what counts; correct this value or remove its key");
  }
}

void check_unit_interval(const JsonNode& node, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] >= 0.0 && values[i] <= 1.0)) {
      node[i].fail(json_number(values[i]) + " is outside [0, 1]");
    }
  }
}

/// Thresholds rise strictly; the levels between them never fall.
void check_ascending(const JsonNode& node, std::span<const double> values, bool strictly) {
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] > values[i - 1] || (!strictly && values[i] == values[i - 1])) continue;
    node[i].fail(fmt::format("{} after {}; expected ascending values", json_number(values[i]),
                             json_number(values[i - 1])));
  }
}

/// How many numbers a map has; 0 stands for "any odd number" of the isotonic map.
std::size_t theta_size(const MapSpec& map, std::size_t classes) {
  return std::visit(core::Overloaded{
                        [](const Identity&) { return std::size_t{0}; },
                        [](const Temperature&) { return std::size_t{1}; },
                        [&](const ClassTemperatures&) { return classes; },
                        [&](const DiagonalAffine&) { return 2 * classes; },
                        [&](const MatrixAffine&) { return classes * classes + classes; },
                        [](const AdaptiveTemperature&) { return std::size_t{5}; },
                        [](const TopLabelIsotonic&) { return std::size_t{0}; },
                        [](const TopLabelHistogram& m) { return static_cast<std::size_t>(m.bins); },
                    },
                    map);
}

void check_theta(const MapSpec& map, Params theta, std::size_t classes) {
  const bool isotonic = std::holds_alternative<TopLabelIsotonic>(map);
  const std::size_t expected = theta_size(map, classes);
  if (isotonic ? theta.size() % 2 == 0 : theta.size() != expected) {
    throw Error(ErrorCode::model,
                fmt::format("calibrator: map '{}' with {} parameters; expected {}", map_name(map),
                            theta.size(),
                            isotonic ? std::string("an odd number") : std::to_string(expected)));
  }
  const auto bad = std::find_if_not(theta.begin(), theta.end(),
                                    [](double value) { return std::isfinite(value); });
  if (bad != theta.end()) {
    throw Error(ErrorCode::model, fmt::format("calibrator: parameter {} of map '{}' is {}",
                                              bad - theta.begin(), map_name(map), *bad));
  }
}

}  // namespace

Json parameters_to_json(const MapSpec& map, Params theta, std::size_t classes) {
  check_theta(map, theta, classes);
  Json out = Json::object();
  std::visit(core::Overloaded{
                 [](const Identity&) {},
                 [&](const Temperature&) {
                   out["inverse_temperature"] = theta[0];
                   out["temperature"] = 1.0 / theta[0];
                 },
                 [&](const ClassTemperatures&) {
                   out["inverse_temperatures"] = list(theta);
                   out["temperatures"] = inverses(theta);
                 },
                 [&](const DiagonalAffine&) {
                   out["weights"] = list(theta.first(classes));
                   out["bias"] = list(theta.last(classes));
                 },
                 [&](const MatrixAffine&) {
                   Json& weights = out["weights"] = Json::array();
                   for (std::size_t k = 0; k < classes; ++k) {
                     weights.push_back(list(theta.subspan(k * classes, classes)));
                   }
                   out["bias"] = list(theta.last(classes));
                 },
                 [&](const AdaptiveTemperature&) {
                   out["weights"] = list(theta.first(4));
                   out["bias"] = theta[4];
                 },
                 [&](const TopLabelIsotonic&) {
                   out["thresholds"] = list(theta.first(theta.size() / 2));
                   out["values"] = list(theta.last(theta.size() / 2 + 1));
                 },
                 [&](const TopLabelHistogram&) {
                   Json& values = out["values"] = Json::array();
                   for (const double value : theta) {
                     values.push_back(value < 0.0 ? Json(nullptr) : Json(value));
                   }
                 },
             },
             map);
  return out;
}

std::vector<double> parameters_from_json(const MapSpec& map, const JsonNode& node,
                                         std::size_t classes) {
  std::vector<double> theta;
  std::visit(
      core::Overloaded{
          [&](const Identity&) { node.keys({}); },
          [&](const Temperature&) {
            node.keys({"inverse_temperature"}, {"temperature"});
            theta = {node["inverse_temperature"].number()};
            check_inverse_temperature(node["inverse_temperature"], theta[0]);
            if (node.has("temperature")) {
              check_temperature(node["temperature"], node["temperature"].number(), theta[0]);
            }
          },
          [&](const ClassTemperatures&) {
            node.keys({"inverse_temperatures"}, {"temperatures"});
            const JsonNode inverse = node["inverse_temperatures"];
            theta = inverse.numbers(classes);
            for (std::size_t k = 0; k < classes; ++k)
              check_inverse_temperature(inverse[k], theta[k]);
            if (!node.has("temperatures")) return;
            const JsonNode plain = node["temperatures"];
            const auto temperatures = plain.numbers(classes);
            for (std::size_t k = 0; k < classes; ++k) {
              check_temperature(plain[k], temperatures[k], theta[k]);
            }
          },
          [&](const DiagonalAffine&) {
            node.keys({"weights", "bias"});
            theta = node["weights"].numbers(classes);
            append(theta, node["bias"].numbers(classes));
          },
          [&](const MatrixAffine&) {
            node.keys({"weights", "bias"});
            const JsonNode weights = node["weights"];
            if (weights.array_size() != classes) {
              weights.fail(
                  fmt::format("expected {} rows, found {}", classes, weights.array_size()));
            }
            for (std::size_t k = 0; k < classes; ++k) append(theta, weights[k].numbers(classes));
            append(theta, node["bias"].numbers(classes));
          },
          [&](const AdaptiveTemperature&) {
            node.keys({"weights", "bias"});
            theta = node["weights"].numbers(4);
            theta.push_back(node["bias"].number());
          },
          [&](const TopLabelIsotonic&) {
            node.keys({"thresholds", "values"});
            const JsonNode thresholds = node["thresholds"], values = node["values"];
            const std::size_t steps = values.array_size();
            if (steps == 0) values.fail("expected at least 1 number, found 0");
            theta = thresholds.numbers(steps - 1);
            const auto levels = values.numbers(steps);
            check_unit_interval(thresholds, theta);
            check_ascending(thresholds, theta, true);
            check_unit_interval(values, levels);
            check_ascending(values, levels, false);
            append(theta, levels);
          },
          [&](const TopLabelHistogram& histogram) {
            node.keys({"values"});
            const JsonNode values = node["values"];
            const auto bins = static_cast<std::size_t>(histogram.bins);
            if (values.array_size() != bins) {
              values.fail(fmt::format("expected {} numbers, found {}", bins, values.array_size()));
            }
            for (std::size_t b = 0; b < bins; ++b) {
              const JsonNode value = values[b];
              theta.push_back(value.is_null() ? -1.0 : value.number());
              if (!value.is_null() && !(theta[b] >= 0.0 && theta[b] <= 1.0)) {
                value.fail(json_number(theta[b]) + " is outside [0, 1]",
                           "an empty bin, which leaves the confidence alone, is written null");
              }
            }
          },
      },
      map);
  return theta;
}

}  // namespace credence::io
