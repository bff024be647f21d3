#include "io/json/plain_object.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/random.hpp"

namespace credence::io {
namespace {

/// What simdjson makes of "probs", if it is an object with so many numbers there.
std::vector<double> by_simdjson(const std::string& text) {
  simdjson::dom::parser parser;
  simdjson::dom::element element;
  std::vector<double> found;
  simdjson::dom::array list;
  if (parser.parse(text).get(element) || element["probs"].get(list)) return found;
  for (const auto value : list) {
    double number = 0.0;
    if (value.get(number)) return {};
    found.push_back(number);
  }
  return found;
}

bool reads(const std::string& text, std::size_t count, std::string_view id_field = {}) {
  std::vector<double> numbers(count);
  std::string_view id;
  return read_plain_object(text, "probs", id_field, numbers, id);
}

TEST(PlainObject, NumbersAndIdAreThoseOfTheText) {
  std::vector<double> numbers(3);
  std::string_view id;
  ASSERT_TRUE(read_plain_object(R"( {"id": "a 7", "n": 3, "probs": [0.25 ,-1e-3,12] } )", "probs",
                                "id", numbers, id));
  EXPECT_EQ(numbers, (std::vector{0.25, -1e-3, 12.0}));
  EXPECT_EQ(id, "a 7");
  ASSERT_TRUE(read_plain_object(R"({"probs":[1,2,3],"id":-42})", "probs", "id", numbers, id));
  EXPECT_EQ(id, "-42");
}

TEST(PlainObject, WhateverIsNotPlainIsLeftToOthers) {
  EXPECT_TRUE(reads(R"({"probs":[1,2]})", 2));
  for (const char* text : {
           R"({"probs":[1,2]} x)",              // text behind it
           R"({"probs":[1,2],})",               // a comma too many
           R"({"probs":[1,2,]})",               //
           R"({"probs":[1 2]})",                // one too few
           R"({"probs":[1]})",                  // too few, too many numbers
           R"({"probs":[1,2,3]})",              //
           R"({"probs":[1,2],"probs":[1,2]})",  // a key twice
           R"({"a":1,"a":1,"probs":[1,2]})",    //
           R"({"probs":[01,2]})",               // numbers that JSON does not know
           R"({"probs":[1.,2]})",               //
           R"({"probs":[.5,2]})",               //
           R"({"probs":[+1,2]})",               //
           R"({"probs":[-,2]})",                //
           R"({"probs":[nan,2]})",              //
           R"({"probs":[-inf,2]})",             //
           R"({"probs":[1.e5,2]})",             //
           R"({"probs":[1e,2]})",               //
           R"({"probs":["1",2]})",              // not a number
           R"({"probs":[1e999,2]})",            // too large
           R"({"probs":[-0,2]})",               // 0 for simdjson
           R"({"probs":[12345678901234567890,2]})",
           R"({"a":{"b":1},"probs":[1,2]})",        // nested
           R"({"a":"\n","probs":[1,2]})",           // an escape
           "{\"a\":\"\xC3\xA4\",\"probs\":[1,2]}",  // not ASCII
           "{\"a\":\"\xC3\",\"probs\":[1,2]}",      // not even text
           R"({"a":"x,"probs":[1,2]})",             // an open string
           R"({"probs":[1,2])",                     // cut off
           R"({"probs":[1,)",
           R"({"probs")",
           R"([{"probs":[1,2]}])",
           "{",
           "",
       }) {
    EXPECT_FALSE(reads(text, 2)) << text;
  }
  EXPECT_FALSE(reads(R"({"probs":[1,2]})", 2, "id"));
  EXPECT_FALSE(reads(R"({"id":1.5,"probs":[1,2]})", 2, "id"));
  EXPECT_FALSE(reads(R"({"id":null,"probs":[1,2]})", 2, "id"));
}

TEST(PlainObject, DamagedTextIsReadAsSimdjsonReadsItOrNotAtAll) {
  const std::string whole = R"({"id":"x7","probs":[0.125,-3.5e-2,1e2,0,17.25],"n":-12})";
  const std::string letters = R"(0123456789.,-+eE"[]{}: x\)";
  std::size_t read = 0;
  for (std::uint64_t trial = 0; trial < 20000; ++trial) {
    std::string text = whole;
    const std::uint64_t bits = core::random_bits(11, trial, 0);
    const std::size_t place = bits % text.size();
    const char letter = letters[(bits >> 20) % letters.size()];
    if ((bits >> 40) % 3 == 0) text.erase(place, 1);
    if ((bits >> 40) % 3 == 1) text.insert(place, 1, letter);
    if ((bits >> 40) % 3 == 2) text[place] = letter;
    std::vector<double> numbers(5);
    std::string_view id;
    if (!read_plain_object(text, "probs", "id", numbers, id)) continue;
    ++read;
    const std::vector<double> expected = by_simdjson(text);
    ASSERT_EQ(numbers, expected) << text;
    for (std::size_t k = 0; k < 5; ++k) {
      EXPECT_EQ(std::signbit(numbers[k]), std::signbit(expected[k])) << text;
    }
  }
  EXPECT_GT(read, 1000u);
}

}  // namespace
}  // namespace credence::io
