// Files that are wrong in one place each, and the place that the message must name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "core/random.hpp"
#include "credence/error.hpp"
#include "credence/io.hpp"
#include "io/json/json_text.hpp"

namespace credence::io {
namespace {

/// Ten classes; stages: temperature, class temperatures, diagonal, matrix, adaptive, isotonic,
/// histogram.
Json good() {
  const auto stage = [](const Json& target, const Json& map, const Json& parameters) {
    return Json{{"target", target},
                {"map", map},
                {"parameters", parameters},
                {"report", Json::parse(R"({"stop": "converged", "passes": 5, "loss": 0.5,
                                           "gradient_norm": 1e-13, "notes": []})")}};
  };
  const Json ten(std::vector<double>(10, 0.5)), twos(std::vector<double>(10, 2.0));
  Json root = Json::parse(R"({"format": "credence-calibrator", "version": 1, "credence": "0.1.0",
      "method": "test", "gauge": "log_probs", "classes": null, "class_count": 10, "stages": [],
      "protocol": {"seed": 42, "rows": 100, "score_kind": "logits", "evidence": "distributions",
                   "votes_per_example": 5}, "fingerprint": "ff"})");
  Json& stages = root["stages"];
  stages.push_back(stage({{"name", "annotators"}}, {{"name", "temperature"}},
                         {{"inverse_temperature", 0.5}, {"temperature", 2.0}}));
  stages.push_back(stage({{"name", "sampled"}, {"draws", 1}}, {{"name", "class-temperatures"}},
                         {{"inverse_temperatures", ten}, {"temperatures", twos}}));
  stages.push_back(
      stage({{"name", "voted"}}, {{"name", "diagonal"}}, {{"weights", ten}, {"bias", ten}}));
  stages.push_back(stage({{"name", "voted"}}, {{"name", "matrix"}, {"lambda", 0.1}, {"mu", 0.1}},
                         {{"weights", std::vector<Json>(10, ten)}, {"bias", ten}}));
  stages.push_back(stage({{"name", "smoothed-fixed"}, {"epsilon", 0.1}},
                         {{"name", "adaptive"}, {"l2", 0.1}},
                         {{"weights", {1, 2, 3, 4}}, {"bias", 5}}));
  stages.push_back(stage({{"name", "annotators"}}, {{"name", "isotonic"}},
                         {{"thresholds", {0.25, 0.5}}, {"values", {0.25, 0.5, 1}}}));
  stages.push_back(stage({{"name", "annotators"}}, {{"name", "histogram"}, {"bins", 3}},
                         {{"values", {nullptr, 0.5, 1}}}));
  return root;
}

std::string complaint(const std::string& text) {
  try {
    calibrator_from_json(text, "model.json");
  } catch (const Error& error) {
    const std::string message = error.what();
    // A file of another kind, or a calibrator with a mistake in it.
    const bool is_other_file = message.find("not valid JSON") != std::string::npos ||
                               message.find("not a calibrator file") != std::string::npos ||
                               message.starts_with("model.json: format: expected");
    EXPECT_EQ(error.code(), is_other_file ? ErrorCode::format : ErrorCode::model) << message;
    return message;
  }
  return "no error";
}

TEST(MalformedCalibrator, TheStartingPointIsGood) {
  EXPECT_EQ(complaint(to_json_text(good())), "no error");
}

struct Case {
  std::function<void(Json&)> spoil;
  std::string message;
};

#define AT(pointer) root[nlohmann::ordered_json::json_pointer(pointer)]
#define SPOIL(statement) [](Json& root) { statement; }

const Case kCases[] = {
    // What kind of file it is.
    {SPOIL(root = Json::array()), "model.json: not a calibrator file: no key 'format'"},
    {SPOIL(root.erase("format")), "model.json: not a calibrator file: no key 'format'"},
    {SPOIL(AT("/format") = "onnx"),
     "model.json: format: expected \"credence-calibrator\", found \"onnx\""},
    {SPOIL(AT("/version") = 3),
     "model.json: version: version 3 is newer than this program, which reads up to 2"},
    {SPOIL(AT("/version") = 3; AT("/new_key") = 1),
     "model.json: version: version 3 is newer than this program, which reads up to 2"},
    {SPOIL(AT("/version") = "1"),
     "model.json: version: expected a whole number from 1 to 9007199254740992, found \"1\""},
    {SPOIL(AT("/version") = 0),
     "model.json: version: expected a whole number from 1 to 9007199254740992, found 0"},
    {SPOIL(root.erase("version")), "model.json: key 'version' is missing"},
    // Keys.
    {SPOIL(AT("/colour") = "red"), "model.json: unknown key 'colour'"},
    {SPOIL(AT("/extra") = 1), "model.json: extra: expected an object"},
    {SPOIL(root.erase("gauge")), "model.json: key 'gauge' is missing"},
    {SPOIL(AT("/stages/0/map/lamda") = 1), "model.json: stages[0].map: unknown key 'lamda'"},
    {SPOIL(AT("/stages/3/map").erase("mu")), "model.json: stages[3].map: key 'mu' is missing"},
    {SPOIL(AT("/stages/0/note") = 1), "model.json: stages[0]: unknown key 'note'"},
    {SPOIL(AT("/stages/0/report/los") = 1),
     "model.json: stages[0].report: unknown key 'los'; did you mean 'loss'?"},
    {SPOIL(AT("/protocol").erase("seed")), "model.json: protocol: key 'seed' is missing"},
    // Names and types.
    {SPOIL(AT("/gauge") = "log_prob"),
     "model.json: gauge: unknown name 'log_prob'; did you mean 'log_probs'?"},
    {SPOIL(AT("/method") = 7), "model.json: method: expected a string, found 7"},
    {SPOIL(AT("/stages/0/target/name") = "anotators"),
     "model.json: stages[0].target.name: unknown name 'anotators'; did you mean 'annotators'?"},
    {SPOIL(AT("/stages/0/map/name") = "spline"),
     "model.json: stages[0].map.name: unknown name 'spline'"},
    {SPOIL(AT("/stages/0/map") = "temperature"),
     "model.json: stages[0].map: key 'name' is missing"},
    {SPOIL(AT("/stages/0/report/stop") = "gave_up"),
     "model.json: stages[0].report.stop: unknown name 'gave_up'"},
    {SPOIL(AT("/stages/0/report/passes") = -1),
     "model.json: stages[0].report.passes: expected a whole number from 0 to 2147483647, found -1"},
    {SPOIL(AT("/stages/0/report/loss") = "low"),
     "model.json: stages[0].report.loss: expected a number, found \"low\""},
    {SPOIL(AT("/stages/0/report/notes") = Json::array({1})),
     "model.json: stages[0].report.notes[0]: expected a string, found 1"},
    {SPOIL(AT("/stages") = Json::object()),
     "model.json: stages: expected an array, found an object"},
    {SPOIL(AT("/stages") = Json::array()),
     "model.json: stages: expected at least 1 stage, found 0"},
    {SPOIL(AT("/stages/0") = nullptr), "model.json: stages[0]: expected an object, found null"},
    {SPOIL(AT("/protocol/rows") = 1.5),
     "model.json: protocol.rows: expected a whole number from 0 to 9007199254740992, found 1.5"},
    {SPOIL(AT("/protocol/votes_per_example") = nullptr),
     "model.json: protocol.votes_per_example: expected a number, found null"},
    {SPOIL(AT("/fingerprint") = 5), "model.json: fingerprint: expected a string, found 5"},
    // Classes.
    {SPOIL(AT("/class_count") = 1),
     "model.json: class_count: expected a whole number from 2 to 4294967295, found 1"},
    {SPOIL(AT("/class_count") = 1e18),
     "model.json: class_count: expected a whole number from 2 to 4294967295, found 1e+18"},
    {SPOIL(AT("/classes") = Json::array({"a", "b"})),
     "model.json: classes: expected 10 names, found 2"},
    {SPOIL(AT("/classes") = Json(std::vector<std::string>(10, "a"))),
     "model.json: classes[1]: class name 'a' given twice"},
    // Options.
    {SPOIL(AT("/stages/1/target/draws") = 0),
     "model.json: stages[1].target.draws: expected a whole number from 1 to 2147483647, found 0"},
    {SPOIL(AT("/stages/4/target/epsilon") = 1.5),
     "model.json: stages[4].target.epsilon: 1.5 is outside [0, 1]"},
    {SPOIL(AT("/stages/3/map/lambda") = -1), "model.json: stages[3].map.lambda: -1 is outside"},
    {SPOIL(AT("/stages/6/map/bins") = 0),
     "model.json: stages[6].map.bins: expected a whole number from 1 to 2147483647, found 0"},
    // Parameters: sizes.
    {SPOIL(AT("/stages/2/parameters/weights").erase(9)),
     "model.json: stages[2].parameters.weights: expected 10 numbers, found 9"},
    {SPOIL(AT("/stages/2/parameters/bias") = 1),
     "model.json: stages[2].parameters.bias: expected 10 numbers, found 1"},
    {SPOIL(AT("/stages/1/parameters/inverse_temperatures").push_back(0.5)),
     "model.json: stages[1].parameters.inverse_temperatures: expected 10 numbers, found 11"},
    {SPOIL(AT("/stages/3/parameters/weights").erase(0)),
     "model.json: stages[3].parameters.weights: expected 10 rows, found 9"},
    {SPOIL(AT("/stages/3/parameters/weights/4").erase(0)),
     "model.json: stages[3].parameters.weights[4]: expected 10 numbers, found 9"},
    {SPOIL(AT("/stages/4/parameters/weights").push_back(1)),
     "model.json: stages[4].parameters.weights: expected 4 numbers, found 5"},
    {SPOIL(AT("/stages/5/parameters/thresholds").push_back(0.75)),
     "model.json: stages[5].parameters.thresholds: expected 2 numbers, found 3"},
    {SPOIL(AT("/stages/5/parameters/values") = Json::array()),
     "model.json: stages[5].parameters.values: expected at least 1 number, found 0"},
    {SPOIL(AT("/stages/6/map/bins") = 15),
     "model.json: stages[6].parameters.values: expected 15 numbers, found 3"},
    // Parameters: values.
    {SPOIL(AT("/stages/2/parameters/weights/3") = nullptr),
     "model.json: stages[2].parameters.weights[3]: expected a number, found null"},
    {SPOIL(AT("/stages/2/parameters/weights/3") = "0.5"),
     "model.json: stages[2].parameters.weights[3]: expected a number, found \"0.5\""},
    {SPOIL(AT("/stages/0/parameters/inverse_temperature") = 0.0),
     "model.json: stages[0].parameters.inverse_temperature: 0 is outside [0.001, 100]"},
    {SPOIL(AT("/stages/0/parameters/inverse_temperature") = 100.1),
     "model.json: stages[0].parameters.inverse_temperature: 100.1 is outside [0.001, 100]"},
    {SPOIL(AT("/stages/1/parameters/inverse_temperatures/7") = -1),
     "model.json: stages[1].parameters.inverse_temperatures[7]: -1 is outside [0.001, 100]"},
    {SPOIL(AT("/stages/0/parameters/temperature") = 2.001),
     "model.json: stages[0].parameters.temperature: 2.001 is not 1 / 0.5"},
    {SPOIL(AT("/stages/1/parameters/temperatures/2") = 3),
     "model.json: stages[1].parameters.temperatures[2]: 3 is not 1 / 0.5"},
    {SPOIL(AT("/stages/5/parameters/thresholds/1") = 0.125),
     "model.json: stages[5].parameters.thresholds[1]: 0.125 after 0.25; expected ascending values"},
    {SPOIL(AT("/stages/5/parameters/thresholds/1") = 0.25),
     "model.json: stages[5].parameters.thresholds[1]: 0.25 after 0.25; expected ascending values"},
    {SPOIL(AT("/stages/5/parameters/values/1") = 0.125),
     "model.json: stages[5].parameters.values[1]: 0.125 after 0.25; expected ascending values"},
    {SPOIL(AT("/stages/5/parameters/values/2") = 1.5),
     "model.json: stages[5].parameters.values[2]: 1.5 is outside [0, 1]"},
    {SPOIL(AT("/stages/6/parameters/values/0") = -1),
     "model.json: stages[6].parameters.values[0]: -1 is outside [0, 1]"},
    {SPOIL(AT("/stages/0/parameters").erase("inverse_temperature")),
     "model.json: stages[0].parameters: key 'inverse_temperature' is missing"},
};

TEST(MalformedCalibrator, EveryWrongPlaceIsNamed) {
  for (const Case& one : kCases) {
    Json root = good();
    one.spoil(root);
    EXPECT_THAT(complaint(to_json_text(root)), testing::StartsWith(one.message));
  }
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(MalformedCalibrator, WrongTextIsPlacedToo) {
  const std::string text = to_json_text(good());
  EXPECT_EQ(complaint(with(text, "\"gauge\"", "\"method\": \"ts\", \"gauge\"")),
            "model.json: method: key given twice");
  EXPECT_EQ(complaint(with(text, "\"lambda\": 0.1", "\"lambda\": 1e999")),
            "model.json: stages[3].map.lambda: number out of the range of float64");
  EXPECT_THAT(complaint(with(text, "\"lambda\": 0.1", "\"lambda\": NaN")),
              testing::MatchesRegex("model.json: line [0-9]+, column [0-9]+: not valid JSON.*"));
  EXPECT_THAT(complaint(text.substr(0, text.size() / 2)),
              testing::MatchesRegex("model.json: line [0-9]+, column [0-9]+: not valid JSON.*"));
  EXPECT_THAT(complaint(""), testing::StartsWith("model.json: line 1, column 0: not valid JSON"));
  EXPECT_EQ(complaint(with(text, "\"fingerprint\"",
                           "\"extra\": {\"x\": " + std::string(100, '[') + std::string(100, ']') +
                               "}, \"fingerprint\"")),
            "model.json: nested more than 64 levels deep");
}

TEST(MalformedCalibrator, NoTruncationIsTakenForAWholeFile) {
  std::string text = to_json_text(good());
  text.pop_back();  // the final line break may be missing
  EXPECT_EQ(complaint(text), "no error");
  for (std::size_t length = 0; length < text.size(); length += 13) {
    EXPECT_NE(complaint(text.substr(0, length)), "no error");
  }
}

TEST(MalformedCalibrator, SpoiltBytesEndInAnErrorOfOursOrAGoodFile) {
  const std::string text = to_json_text(good());
  constexpr std::string_view kBytes = "{}[],:\"\\-+.0123456789eEnulltrue \n\t\x01\xff";
  for (std::uint64_t trial = 0; trial < 3000; ++trial) {
    std::string spoilt = text;
    for (std::uint64_t edit = 0; edit <= trial % 3; ++edit) {
      const std::uint64_t bits = core::random_bits(17, trial, edit);
      spoilt[bits % spoilt.size()] = kBytes[(bits >> 40) % kBytes.size()];
    }
    complaint(spoilt);  // any exception but Error fails the test; so does a sanitizer
  }
}

TEST(MalformedCalibrator, RedundantTemperaturesMayBeLeftOut) {
  Json root = good();
  AT("/stages/0/parameters").erase("temperature");
  AT("/stages/1/parameters").erase("temperatures");
  EXPECT_EQ(complaint(to_json_text(root)), "no error");
}

TEST(MalformedCalibrator, EqualLevelsAndAdditionsUnderExtraAreGood) {
  Json root = good();
  AT("/stages/5/parameters/values/1") = 0.25;
  AT("/extra") = Json{{"format", 2}, {"anything", {1, {2, nullptr}}}};
  EXPECT_EQ(complaint(to_json_text(root)), "no error");
}

TEST(MalformedCalibrator, TemperaturesOnTheirBoundsAreGood) {
  for (const double inverse : {1.0 / kMinTemperature, 1.0 / kMaxTemperature, 1e2, 1e-3}) {
    Json root = good();
    AT("/stages/0/parameters") = Json{{"inverse_temperature", inverse}};
    EXPECT_EQ(complaint(to_json_text(root)), "no error");
  }
}

}  // namespace
}  // namespace credence::io
