#include "io/json/json_lines.hpp"

#include "unit/io/files.hpp"

namespace credence::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace credence::test;

// The ids of all objects with the lines where they start.
std::vector<std::string> ids_of(const std::string& path) {
  JsonLines json(path);
  std::vector<std::string> ids;
  for (simdjson::dom::object object; json.next(object);) {
    ids.push_back(json_id(object.at_key("id"), json.path(), json.line()) + "@" +
                  std::to_string(json.line()));
  }
  return ids;
}

TEST(JsonLines, OneObjectPerLineBlankLinesSkipped) {
  const TempDir dir;
  EXPECT_THAT(ids_of(dir.write("a.jsonl", "{\"id\":\"a\"}\n\n  {\"id\": 7}\r\n{\"id\":8.0}")),
              ElementsAre("a@1", "7@3", "8@4"));
  EXPECT_THAT(ids_of(dir.write("a.jsonl.gz", gzip("{\"id\":1}\n"))), ElementsAre("1@1"));
  EXPECT_THAT(ids_of(dir.write("u.jsonl", "{\"id\":18446744073709551615}\n")),
              ElementsAre("18446744073709551615@1"));
}

TEST(JsonLines, TopLevelArrayInAnyLayout) {
  const TempDir dir;
  EXPECT_THAT(ids_of(dir.write("a.json", "[{\"id\":1},{\"id\":2}]")), ElementsAre("1@1", "2@1"));
  EXPECT_THAT(ids_of(dir.write("b.json",
                               "\n[\n {\n  \"id\": \"}\\\"{\",\n  \"x\": {\"y\": [1]}\n }\n ,\n"
                               "{\"id\":2}\n]\n\n")),
              ElementsAre("}\"{@3", "2@8"));
  EXPECT_THAT(ids_of(dir.write("c.json", "[]\n")), ElementsAre());
}

TEST(JsonLines, MalformedArraysAreRefusedWithTheLine) {
  const TempDir dir;
  const auto message = [&](std::string_view text) {
    return caught([&] { ids_of(dir.write("a.json", text)); }).text;
  };
  EXPECT_THAT(message("[{\"id\":1}\n{\"id\":2}]"), HasSubstr("a.json:2: not valid JSON"));
  EXPECT_THAT(message("[{\"id\":1},\n"), HasSubstr("never closed"));
  EXPECT_THAT(message("[{\"id\":1},]"), HasSubstr("comma before the end"));
  EXPECT_THAT(message("[{\"id\":1}] x"), HasSubstr("after the end"));
  EXPECT_THAT(message("[\n{\"id\":{\n"), HasSubstr("a.json:2: an object starts here"));
  EXPECT_THAT(message("[1, 2]"), HasSubstr("expected an object, found '1, 2]'"));
}

TEST(JsonLines, MalformedLineIsAnErrorWithPathAndLine) {
  const TempDir dir;
  const auto bad = caught([&] { ids_of(dir.write("a.jsonl", "{\"id\":1}\n{\"id\":\n")); });
  EXPECT_EQ(bad.code, ErrorCode::format);
  EXPECT_THAT(bad.text, HasSubstr("a.jsonl:2: not valid JSON"));
  EXPECT_THAT(caught([&] { ids_of(dir.write("a.jsonl", "{\"id\":1} {\"id\":2}\n")); }).text,
              HasSubstr("a.jsonl:1: not valid JSON"));
  EXPECT_THAT(caught([&] { ids_of(dir.write("b.jsonl", "{\"id\":1}\n3\n")); }).text,
              HasSubstr("b.jsonl:2: expected an object, found a whole number"));
  EXPECT_THAT(caught([&] { ids_of(dir.write("c.jsonl", "{\"id\":NaN}\n")); }).text,
              HasSubstr("JSON has no NaN"));
}

TEST(JsonLines, IdMustBeAStringOrAWholeNumber) {
  const TempDir dir;
  for (const auto* id : {"null", "[1]", "1.5", "true", "{}", "1e300"}) {
    const auto error =
        caught([&] { ids_of(dir.write("a.jsonl", std::string("{\"id\":") + id + "}\n")); });
    EXPECT_THAT(error.text, HasSubstr("a.jsonl:1: the id is")) << id;
  }
}

TEST(JsonLines, KeyGivenTwiceIsRefusedAtEveryDepth) {
  const TempDir dir;
  for (const auto* record : {R"({"id":1,"id":2})", R"({"id":1,"a":{"id":1,"b":2,"id":3}})",
                             R"({"id":1,"a":[[{"id":1,"id":1}]]})", "{\"id\":1,\"\\u0069d\":2}"}) {
    const auto error =
        caught([&] { ids_of(dir.write("a.jsonl", std::string("{\"id\":7}\n") + record + "\n")); });
    EXPECT_THAT(error.text, HasSubstr("a.jsonl:2: key 'id' given twice")) << record;
  }
}

}  // namespace
}  // namespace credence::io
