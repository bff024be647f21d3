#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "credence/error.hpp"
#include "io/calibrator/calibrator_json.hpp"
#include "map/about.hpp"

namespace credence::io {
namespace {

Json list(Params values) { return Json(std::vector<double>(values.begin(), values.end())); }

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

/// The key of the temperatures that stand beside inverse ones for people to read.
std::string_view beside(const map::Block& block) {
  constexpr std::string_view kInverse = "inverse_";
  const bool inverse = block.numbers == map::Numbers::inverse_temperatures;
  return inverse ? block.name.substr(kInverse.size()) : std::string_view();
}

void check_theta(const MapSpec& map, Params theta, std::size_t classes) {
  std::size_t expected = 0;
  for (const map::Block& block : map::blocks_of(map, theta.size(), classes)) {
    expected += block.size();
  }
  if (theta.size() != expected) {
    throw Error(ErrorCode::model,
                fmt::format("calibrator: map '{}' with {} parameters; expected {}", map_name(map),
                            theta.size(), expected));
  }
  const auto bad = std::find_if_not(theta.begin(), theta.end(),
                                    [](double value) { return std::isfinite(value); });
  if (bad != theta.end()) {
    throw Error(ErrorCode::model, fmt::format("calibrator: parameter {} of map '{}' is {}",
                                              bad - theta.begin(), map_name(map), *bad));
  }
}

Json numbers_to_json(const map::Block& block, Params values) {
  if (block.shape.empty()) return Json(values[0]);
  if (block.shape.size() == 2) {
    Json rows = Json::array();
    for (std::size_t r = 0; r < block.shape[0]; ++r) {
      rows.push_back(list(values.subspan(r * block.shape[1], block.shape[1])));
    }
    return rows;
  }
  if (block.numbers != map::Numbers::bin_values) return list(values);
  Json bins = Json::array();
  for (const double value : values) bins.push_back(value < 0.0 ? Json(nullptr) : Json(value));
  return bins;
}

/// Bins without examples are null.
std::vector<double> bins_from_json(const JsonNode& node, std::size_t count) {
  if (node.array_size() != count) {
    node.fail(fmt::format("expected {} numbers, found {}", count, node.array_size()));
  }
  std::vector<double> values;
  for (std::size_t b = 0; b < count; ++b) {
    const JsonNode value = node[b];
    values.push_back(value.is_null() ? -1.0 : value.number());
    if (!value.is_null() && !(values[b] >= 0.0 && values[b] <= 1.0)) {
      value.fail(json_number(values[b]) + " is outside [0, 1]",
                 "an empty bin, which leaves the confidence alone, is written null");
    }
  }
  return values;
}

std::vector<double> table_from_json(const JsonNode& node, std::size_t rows, std::size_t columns) {
  if (node.array_size() != rows) {
    node.fail(fmt::format("expected {} rows, found {}", rows, node.array_size()));
  }
  std::vector<double> values;
  for (std::size_t r = 0; r < rows; ++r) append(values, node[r].numbers(columns));
  return values;
}

/// Every row of a table of shares adds up to 1.
void check_shares(const JsonNode& node, const std::vector<double>& values, std::size_t columns) {
  for (std::size_t row = 0; row * columns < values.size(); ++row) {
    double sum = 0.0;
    for (std::size_t k = 0; k < columns; ++k) {
      const double share = values[row * columns + k];
      if (!(share >= 0.0 && share <= 1.0)) {
        node[row][k].fail(fmt::format("{} is outside [0, 1]", json_number(share)));
      }
      sum += share;
    }
    // A few roundings of K numbers that were divided by their sum.
    if (std::abs(sum - 1.0) > 1e-9) {
      node[row].fail(fmt::format("shares that add up to {} instead of 1", json_number(sum)));
    }
  }
}

std::vector<double> numbers_from_json(const map::Block& block, const JsonNode& node) {
  if (block.numbers == map::Numbers::bin_values) return bins_from_json(node, block.size());
  if (block.shape.empty()) return {node.number()};
  if (block.shape.size() == 2) return table_from_json(node, block.shape[0], block.shape[1]);
  return node.numbers(block.size());
}

void check_numbers(const map::Block& block, const JsonNode& node,
                   const std::vector<double>& values) {
  switch (block.numbers) {
    case map::Numbers::inverse_temperatures:
      for (std::size_t i = 0; i < values.size(); ++i) {
        check_inverse_temperature(block.shape.empty() ? node : node[i], values[i]);
      }
      break;
    case map::Numbers::thresholds:
    case map::Numbers::levels:
      check_unit_interval(node, values);
      check_ascending(node, values, block.numbers == map::Numbers::thresholds);
      break;
    case map::Numbers::shares:
      check_shares(node, values, block.shape.back());
      break;
    case map::Numbers::any:
    case map::Numbers::bin_values:
      break;
  }
}

/// Temperatures beside inverse ones must not contradict them.
void check_beside(const map::Block& block, const JsonNode& node,
                  const std::vector<double>& inverses) {
  const std::vector<double> temperatures =
      block.shape.empty() ? std::vector{node.number()} : node.numbers(inverses.size());
  for (std::size_t i = 0; i < inverses.size(); ++i) {
    check_temperature(block.shape.empty() ? node : node[i], temperatures[i], inverses[i]);
  }
}

/// How long the block is whose length the data decided; 0 where there is none.
std::size_t count_steps(const MapSpec& map, const JsonNode& node) {
  const std::string_view open = map::open_block(map);
  if (open.empty()) return 0;
  const std::size_t steps = node[open].array_size();
  if (steps == 0) node[open].fail("expected at least 1 number, found 0");
  return steps;
}

}  // namespace

Json parameters_to_json(const MapSpec& map, Params theta, std::size_t classes) {
  check_theta(map, theta, classes);
  Json out = Json::object();
  for (const map::Block& block : map::blocks_of(map, theta.size(), classes)) {
    const Params values = theta.first(block.size());
    theta = theta.subspan(block.size());
    out[std::string(block.name)] = numbers_to_json(block, values);
    if (beside(block).empty()) continue;
    std::vector<double> temperatures;
    for (const double inverse : values) temperatures.push_back(1.0 / inverse);
    out[std::string(beside(block))] = numbers_to_json(block, temperatures);
  }
  return out;
}

std::vector<double> parameters_from_json(const MapSpec& map, const JsonNode& node,
                                         std::size_t classes) {
  std::vector<std::string_view> required, optional;
  // The names do not depend on how many steps there are.
  for (const map::Block& block : map::blocks(map, classes, 1)) {
    required.push_back(block.name);
    if (!beside(block).empty()) optional.push_back(beside(block));
  }
  node.keys(required, optional);
  std::vector<double> theta;
  for (const map::Block& block : map::blocks(map, classes, count_steps(map, node))) {
    const std::vector<double> values = numbers_from_json(block, node[block.name]);
    check_numbers(block, node[block.name], values);
    if (!beside(block).empty() && node.has(beside(block))) {
      check_beside(block, node[beside(block)], values);
    }
    append(theta, values);
  }
  return theta;
}

}  // namespace credence::io
