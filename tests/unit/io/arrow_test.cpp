#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <memory>

#include "credence/memory.hpp"
#include "errors.hpp"

namespace credence::io {
namespace {

using credence::test::error_of;
using ::testing::HasSubstr;
using ::testing::IsNan;

/// A producer of one batch; counts what was given back.
class Producer {
 public:
  void add(const char* name, const char* format, std::vector<const void*> buffers,
           std::int64_t nulls = 0) {
    ArrowSchema& schema = schemas_.emplace_back();
    schema.format = format;
    schema.name = name;
    ArrowArray& array = arrays_.emplace_back();
    buffers_.push_back(std::move(buffers));
    array.length = rows;
    array.null_count = nulls;
    array.n_buffers = static_cast<std::int64_t>(buffers_.back().size());
    array.buffers = buffers_.back().data();
  }
  ArrowSchema& schema(std::size_t i) { return schemas_[i]; }
  ArrowArray& array(std::size_t i) { return arrays_[i]; }

  ArrowArrayStream stream() {
    ArrowArrayStream out{};
    out.get_schema = [](ArrowArrayStream* self, ArrowSchema* schema) {
      return of(self).describe(schema);
    };
    out.get_next = [](ArrowArrayStream* self, ArrowArray* array) { return of(self).next(array); };
    out.get_last_error = [](ArrowArrayStream*) { return "out of luck"; };
    out.release = [](ArrowArrayStream* self) {
      ++of(self).released;
      self->release = nullptr;
    };
    out.private_data = this;
    return out;
  }

  std::int64_t rows = 2;
  int batches = 1, failure = 0, released = 0;

 private:
  static Producer& of(ArrowArrayStream* stream) {
    return *static_cast<Producer*>(stream->private_data);
  }
  int describe(ArrowSchema* schema) {
    for (ArrowSchema& child : schemas_) schema_pointers_.push_back(&child);
    schema->format = "+s";
    schema->n_children = static_cast<std::int64_t>(schemas_.size());
    schema->children = schema_pointers_.data();
    schema->private_data = this;
    schema->release = [](ArrowSchema* self) {
      ++static_cast<Producer*>(self->private_data)->released;
      self->release = nullptr;
    };
    return 0;
  }
  int next(ArrowArray* array) {
    if (failure != 0) return failure;
    if (batches-- == 0) {
      array->release = nullptr;
      return 0;
    }
    if (array_pointers_.empty()) {
      for (ArrowArray& child : arrays_) array_pointers_.push_back(&child);
    }
    array->length = rows;
    array->n_children = static_cast<std::int64_t>(arrays_.size());
    array->children = array_pointers_.data();
    array->private_data = this;
    array->release = [](ArrowArray* self) {
      ++static_cast<Producer*>(self->private_data)->released;
      self->release = nullptr;
    };
    return 0;
  }

  std::deque<ArrowSchema> schemas_;
  std::deque<ArrowArray> arrays_;
  std::deque<std::vector<const void*>> buffers_;
  std::vector<ArrowSchema*> schema_pointers_;
  std::vector<ArrowArray*> array_pointers_;
};

std::string text(const Table& table, std::size_t row, std::size_t column) {
  std::string buffer;
  return std::string(table.text(row, column, buffer));
}

TEST(Arrow, NumbersTextAndGapsAreReadInPlace) {
  const std::int32_t numbers[] = {-7, 9};
  const unsigned char second_missing[] = {0b01};
  const std::int32_t ends[] = {0, 3, 6};
  const unsigned char bits[] = {0b10};
  Producer producer;
  producer.add("n", "i", {second_missing, numbers}, 1);
  producer.add("t", "u", {nullptr, ends, "catdog"});
  producer.add("b", "b", {nullptr, bits});
  producer.batches = 2;
  ArrowArrayStream stream = producer.stream();
  {
    const auto table = import_arrow(&stream, "votes");
    EXPECT_EQ(stream.release, nullptr) << "the stream is taken over";
    ASSERT_EQ(table->rows(), 4u);
    EXPECT_TRUE(table->is_number(0) && table->is_number(2) && !table->is_number(1));
    EXPECT_EQ(text(*table, 2, 0), "-7");
    EXPECT_EQ(text(*table, 3, 0), "");
    EXPECT_EQ(text(*table, 1, 1), "dog");
    EXPECT_EQ(text(*table, 1, 2), "1");
    double column[4];
    table->numbers(0, 0, 4, column, 1);
    EXPECT_EQ(column[2], -7.0);
    EXPECT_THAT(column[1], IsNan());
  }
  EXPECT_EQ(producer.released, 4) << "stream, schema and both batches are given back";
}

TEST(Arrow, ViewsHoldShortTextThemselvesAndPointToLongText) {
  const std::string longer = "a text of more than twelve bytes";
  unsigned char views[32] = {};
  const std::int32_t short_length = 3, long_length = static_cast<std::int32_t>(longer.size());
  std::memcpy(views, &short_length, 4);
  std::memcpy(views + 4, "cat", 3);
  std::memcpy(views + 16, &long_length, 4);
  std::memcpy(views + 20, longer.data(), 4);
  Producer producer;
  producer.add("t", "vu", {nullptr, views, longer.data()});
  ArrowArrayStream stream = producer.stream();
  const auto table = import_arrow(&stream, "votes");
  EXPECT_EQ(text(*table, 0, 0), "cat");
  EXPECT_EQ(text(*table, 1, 0), longer);
}

TEST(Arrow, CategoriesAreTheirTextAndAnIndexBeyondThemIsBlank) {
  const std::int8_t index[] = {1, 5};
  const std::int32_t ends[] = {0, 3, 6};
  const void* words[] = {nullptr, ends, "catdog"};
  ArrowSchema dictionary_schema{};
  dictionary_schema.format = "u";
  ArrowArray dictionary{};
  dictionary.length = 2;
  dictionary.n_buffers = 3;
  dictionary.buffers = words;
  Producer producer;
  producer.add("c", "c", {nullptr, index});
  producer.schema(0).dictionary = &dictionary_schema;
  producer.array(0).dictionary = &dictionary;
  ArrowArrayStream stream = producer.stream();
  const auto table = import_arrow(&stream, "votes");
  EXPECT_FALSE(table->is_number(0));
  EXPECT_EQ(text(*table, 0, 0), "dog");
  EXPECT_EQ(text(*table, 1, 0), "");
}

TEST(Arrow, AnUnnamedIndexOfADataFrameIsLeftOut) {
  const std::int64_t values[] = {1, 2};
  Producer producer;
  producer.add("a", "l", {nullptr, values});
  producer.add("__index_level_0__", "l", {nullptr, values});
  ArrowArrayStream stream = producer.stream();
  EXPECT_THAT(import_arrow(&stream, "votes")->names(), ::testing::ElementsAre("a"));
}

TEST(Arrow, FailuresAndStrangeColumnsAreErrorsAndEverythingIsGivenBack) {
  const std::int64_t values[] = {1, 2};
  Producer dates;
  dates.add("when", "tsu:", {nullptr, values});
  ArrowArrayStream stream = dates.stream();
  EXPECT_THAT(error_of([&] { import_arrow(&stream, "votes"); }).what(),
              HasSubstr("neither numbers nor text"));
  EXPECT_EQ(dates.released, 2);
  Producer broken;
  broken.add("n", "l", {nullptr, values});
  broken.failure = 5;
  stream = broken.stream();
  EXPECT_THAT(error_of([&] { import_arrow(&stream, "votes"); }).what(), HasSubstr("out of luck"));
  EXPECT_THAT(error_of([&] { import_arrow(&stream, "votes"); }).what(), HasSubstr("used up"));
}

}  // namespace
}  // namespace credence::io
