#include "io/json/json_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/random.hpp"
#include "credence/error.hpp"

namespace credence::io {
namespace {

std::string message_of(const std::string& text) {
  try {
    parse_json(text, "f.json", "a test wrote it");
  } catch (const Error& error) {
    const std::string message = error.what();
    const bool is_json = message.find("not valid JSON") == std::string::npos;
    EXPECT_EQ(error.code(), is_json ? ErrorCode::model : ErrorCode::format) << message;
    return message;
  }
  return "no error";
}

TEST(JsonText, NumbersAreTheShortestThatRoundTrip) {
  EXPECT_EQ(json_number(0.1), "0.1");
  EXPECT_EQ(json_number(1.0 / 3.0), "0.3333333333333333");
  EXPECT_EQ(json_number(1.0), "1");
  EXPECT_EQ(json_number(1e300), "1e+300");
  EXPECT_EQ(json_number(5e-324), "5e-324");
  EXPECT_EQ(json_number(-0.0), "-0.0");
}

TEST(JsonText, NumbersThatAreNotFiniteAreNull) {
  EXPECT_EQ(json_number(NAN), "null");
  EXPECT_EQ(json_number(INFINITY), "null");
  EXPECT_EQ(to_json_line(Json{{"loss", -INFINITY}}), R"({"loss": null})");
}

TEST(JsonText, EveryFiniteDoubleComesBackBitForBit) {
  Json numbers = Json::array({-0.0, std::numeric_limits<double>::max(),
                              std::numeric_limits<double>::denorm_min(), 9007199254740993.0,
                              18446744073709551616.0, 123456789012345680.0});
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const std::uint64_t bits = core::random_bits(1, i, 0);
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (std::isfinite(value)) numbers.push_back(value);
  }
  const Json back = parse_json(to_json_text(numbers), "numbers", "a test wrote it");
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto expected = numbers[i].get<double>(), found = back[i].get<double>();
    ASSERT_EQ(std::memcmp(&expected, &found, sizeof expected), 0) << expected;
  }
}

TEST(JsonText, MatricesAreOneRowPerLineAndSmallObjectsOneLine) {
  const Json value{{"name", "x"},
                   {"options", {{"a", 1}, {"b", 0.5}}},
                   {"weights", {{1.5, 2}, {3, 4}}},
                   {"none", Json::array()},
                   {"empty", Json::object()}};
  EXPECT_EQ(to_json_text(value), R"({
  "name": "x",
  "options": {"a": 1, "b": 0.5},
  "weights": [
    [1.5, 2],
    [3, 4]
  ],
  "none": [],
  "empty": {}
}
)");
}

TEST(JsonText, ListsOfNumbersStayOnOneLineAndLongListsOfWordsDoNot) {
  Json numbers = Json::array(), words = Json::array();
  for (int i = 0; i < 100; ++i) {
    numbers.push_back(i);
    words.push_back("word");
  }
  EXPECT_EQ(to_json_text(numbers).find('\n'), to_json_text(numbers).size() - 1);
  for (const std::string& text : {to_json_text(words), to_json_text(Json{{"words", words}})}) {
    std::size_t start = 0;
    for (std::size_t end; (end = text.find('\n', start)) != std::string::npos; start = end + 1) {
      EXPECT_LE(end - start, 100U);
    }
  }
}

TEST(JsonText, BytesThatAreNotUtf8AreReplacedRatherThanWritten) {
  const std::string text =
      to_json_line(Json("a\xff"
                        "b\"\n"));
  EXPECT_EQ(text,
            "\"a\xEF\xBF\xBD"
            "b\\\"\\n\"");
}

TEST(JsonText, MalformedTextIsPlaced) {
  EXPECT_EQ(message_of("{\n  \"a\": 1,\n  \"b\" 2\n}").substr(0, 40),
            "f.json: line 3, column 7: not valid JSON");
  EXPECT_NE(message_of("").find("f.json: line 1, column 0: not valid JSON"), std::string::npos);
  EXPECT_NE(message_of("[1, 2"), "no error");
  EXPECT_NE(message_of("[1] 2"), "no error");
  EXPECT_NE(message_of("[NaN]"), "no error");
  EXPECT_NE(message_of("\"\xff\""), "no error");
}

TEST(JsonText, KeysGivenTwiceAreNamedByTheirPath) {
  EXPECT_EQ(message_of(R"({"a": [0, {"b": 1, "c": {}, "b": 2}]})"),
            "f.json: a[1].b: key given twice");
  EXPECT_EQ(message_of(R"({"a": 1, "a": 1})"), "f.json: a: key given twice");
  EXPECT_EQ(message_of(R"({"a": {"a": 1}, "b": [{"a": 1}, {"a": 1}]})"), "no error");
}

TEST(JsonText, NumbersBeyondDoubleAreNamedByTheirPath) {
  EXPECT_EQ(message_of(R"({"a": [0, [1], 1e999]})"),
            "f.json: a[2]: number out of the range of float64");
  EXPECT_EQ(message_of(R"({"a": {"b": -1e999}})"),
            "f.json: a.b: number out of the range of float64");
}

TEST(JsonText, DeepNestingIsRefusedBeforeItCostsStack) {
  EXPECT_EQ(message_of(std::string(64, '[') + std::string(64, ']')), "no error");
  EXPECT_EQ(message_of(std::string(65, '[') + std::string(65, ']')),
            "f.json: nested more than 64 levels deep");
  EXPECT_EQ(message_of(std::string(10'000'000, '[')), "f.json: nested more than 64 levels deep");
  std::string objects;
  for (int i = 0; i < 1'000'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(message_of(objects), "f.json: nested more than 64 levels deep");
}

TEST(JsonText, ObjectsWithTooManyKeysAreRefusedEarly) {
  std::string text = "{";
  for (int i = 0; i < 1'000'000; ++i) text += "\"" + std::to_string(i) + "\":0,";
  EXPECT_EQ(message_of(text), "f.json: 10000: more than 10000 keys in one object");
}

}  // namespace
}  // namespace credence::io
