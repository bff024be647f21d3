// Lists, structures and maps of Arrow tables as scores and votes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <limits>
#include <memory>
#include <numeric>

#include "credence/io.hpp"
#include "errors.hpp"

namespace credence::io {
namespace {

using credence::test::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A column, put together by hand; keeps what its buffers point to.
struct Node {
  std::string name, format;
  std::vector<std::vector<unsigned char>> memory;
  std::vector<const void*> buffers;
  std::deque<Node> children;
  std::shared_ptr<Node> dictionary;
  std::int64_t length = 0, nulls = 0, offset = 0;
  ArrowSchema schema{};
  ArrowArray array{};
  std::vector<ArrowSchema*> child_schemas;
  std::vector<ArrowArray*> child_arrays;

  template <class T>
  Node& buffer(const std::vector<T>& values) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
    memory.emplace_back(bytes, bytes + values.size() * sizeof(T));
    return *this;
  }
  Node& valid(std::vector<int> flags) {
    unsigned char bits = 0;
    for (std::size_t i = 0; i < flags.size(); ++i) {
      bits = static_cast<unsigned char>(bits | (flags[i] << i));
      nulls += 1 - flags[i];
    }
    memory.insert(memory.begin(), std::vector<unsigned char>{bits});
    return *this;
  }
  void link() {
    child_schemas.clear();
    child_arrays.clear();
    for (Node& child : children) {
      child.link();
      child_schemas.push_back(&child.schema);
      child_arrays.push_back(&child.array);
    }
    buffers.clear();
    if (nulls == 0) buffers.push_back(nullptr);
    for (const auto& bytes : memory) buffers.push_back(bytes.data());
    schema.format = format.c_str();
    schema.name = name.c_str();
    schema.n_children = static_cast<std::int64_t>(children.size());
    schema.children = child_schemas.data();
    array.length = length;
    array.null_count = nulls;
    array.offset = offset;
    array.n_buffers = static_cast<std::int64_t>(buffers.size());
    array.buffers = buffers.data();
    array.n_children = schema.n_children;
    array.children = child_arrays.data();
    if (!dictionary) return;
    dictionary->link();
    schema.dictionary = &dictionary->schema;
    array.dictionary = &dictionary->array;
  }
};

template <class T>
Node numbers(const char* format, const std::vector<T>& values, std::string name = "item") {
  Node node;
  node.name = std::move(name);
  node.format = format;
  node.length = static_cast<std::int64_t>(values.size());
  node.buffer(values);
  return node;
}

Node texts(const std::vector<std::string>& values, std::string name = "item") {
  std::vector<std::int32_t> ends{0};
  std::string all;
  for (const std::string& value : values) {
    all += value;
    ends.push_back(static_cast<std::int32_t>(all.size()));
  }
  Node node = numbers("u", ends, std::move(name));
  node.length = static_cast<std::int64_t>(values.size());
  node.buffer(std::vector<char>(all.begin(), all.end()));
  return node;
}

template <class Offset>
Node lists(const char* format, const std::vector<Offset>& offsets, Node items, std::string name) {
  Node node = numbers(format, offsets, std::move(name));
  node.length = static_cast<std::int64_t>(offsets.size()) - 1;
  node.children.push_back(std::move(items));
  return node;
}

Node fixed_lists(std::int64_t size, Node items, std::string name) {
  Node node;
  node.name = std::move(name);
  node.format = "+w:" + std::to_string(size);
  node.length = items.length / size;
  node.children.push_back(std::move(items));
  return node;
}

Node structure(std::vector<Node> fields, std::string name = "item") {
  Node node;
  node.name = std::move(name);
  node.format = "+s";
  node.length = fields[0].length;
  for (Node& field : fields) node.children.push_back(std::move(field));
  return node;
}

Node categories(const std::vector<std::int8_t>& index, const std::vector<std::string>& words,
                std::string name = "item") {
  Node node = numbers("c", index, std::move(name));
  node.dictionary = std::make_shared<Node>(texts(words));
  return node;
}

/// The columns as a table; every column is as long as the first. Given `times` over, in batches.
class TestTable {
 public:
  explicit TestTable(std::vector<Node> columns, int times = 1)
      : root_(std::make_shared<Node>(structure(std::move(columns), ""))), left_(times) {
    root_->link();
    ArrowArrayStream stream{};
    stream.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
      *out = static_cast<TestTable*>(self->private_data)->root_->schema;
      out->release = [](ArrowSchema* schema) { schema->release = nullptr; };
      return 0;
    };
    stream.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
      auto& table = *static_cast<TestTable*>(self->private_data);
      *out = table.root_->array;
      out->release = nullptr;
      if (table.left_-- > 0) out->release = [](ArrowArray* array) { array->release = nullptr; };
      return 0;
    };
    stream.get_last_error = [](ArrowArrayStream*) -> const char* { return ""; };
    stream.release = [](ArrowArrayStream* self) { self->release = nullptr; };
    stream.private_data = this;
    given_ = std::make_shared<Given>();
    given_->table = import_arrow(&stream, "table");
  }
  std::shared_ptr<Given> given() const { return given_; }

 private:
  std::shared_ptr<Node> root_;
  int left_;
  std::shared_ptr<Given> given_;
};

ScoreTable scores_of(const TestTable& table, const std::string& field = {}) {
  return load_scores(
      {.path = "scores", .kind = ScoreKind::logits, .scores_field = field, .given = table.given()},
      LoadAs::float32);
}

VoteFile vote_file(const TestTable& table, const std::string& field = {}) {
  VoteFile file;
  file.path = "votes";
  file.votes_field = field;
  file.given = table.given();
  return file;
}

std::vector<double> row_of(const VoteTable& table, std::size_t i) {
  std::vector<double> counts(table.votes.classes(), 0.0);
  const VoteRow row = table.votes.row(i);
  for (std::size_t e = 0; e < row.classes.size(); ++e) counts[row.classes[e]] += row.weights[e];
  return counts;
}

std::vector<float> values(const ScoreTable& table) {
  return {table.f32.data(), table.f32.data() + table.f32.size()};
}

const std::vector<float> kSix{1, 2, 3, 4, 5, 6};

TEST(NestedScores, EveryKindOfListGivesTheSameNumbers) {
  const TestTable small({lists<std::int32_t>("+l", {0, 3, 6}, numbers("f", kSix), "logits")});
  const TestTable large({lists<std::int64_t>("+L", {0, 3, 6}, numbers("f", kSix), "logits")});
  const TestTable fixed({fixed_lists(3, numbers("f", kSix), "logits")});
  for (const TestTable* table : {&small, &large, &fixed}) {
    const ScoreTable scores = scores_of(*table);
    EXPECT_EQ(scores.rows, 2u);
    EXPECT_EQ(scores.cols, 3u);
    EXPECT_EQ(values(scores), kSix);
    EXPECT_TRUE(scores.classes.empty());
  }
}

TEST(NestedScores, ListsNeedNotStandInOrderNorStartTheirBuffer) {
  // A slice of a longer column: the first row is not ours.
  Node sliced = lists<std::int32_t>(
      "+l", {0, 2, 5, 8}, numbers("f", std::vector<float>{9, 9, 1, 2, 3, 4, 5, 6}), "logits");
  sliced.offset = 1;
  sliced.length = 2;
  EXPECT_EQ(values(scores_of(TestTable({std::move(sliced)}))), kSix);
  Node fixed = fixed_lists(3, numbers("f", std::vector<float>{9, 9, 9, 1, 2, 3, 4, 5, 6}), "x");
  fixed.offset = 1;
  fixed.length = 2;
  EXPECT_EQ(values(scores_of(TestTable({std::move(fixed)}))), kSix);
}

TEST(NestedScores, BatchesFollowOneAnotherAndIdsComeAlong) {
  const TestTable table({texts({"a", "b"}, "id"), texts({"x", "y"}, "remark"),
                         fixed_lists(3, numbers("f", kSix), "logits")},
                        2);
  const ScoreTable scores = scores_of(table);
  EXPECT_EQ(scores.rows, 4u);
  EXPECT_THAT(scores.ids, ElementsAre("a", "b", "a", "b"));
  EXPECT_EQ(scores.f32(3, 2), 6.0f);
}

TEST(NestedScores, NullsAndRaggedListsAreNamedWithColumnAndRow) {
  const TestTable missing(
      {lists<std::int32_t>("+l", {0, 3, 3}, numbers("f", kSix), "logits").valid({1, 0})});
  EXPECT_THAT(error_of([&] { scores_of(missing); }).what(),
              HasSubstr("table: row 1: column 'logits' is null"));
  const TestTable hole({fixed_lists(3, numbers("f", kSix).valid({1, 1, 1, 1, 0, 1}), "logits")});
  EXPECT_THAT(error_of([&] { scores_of(hole); }).what(),
              HasSubstr("row 1: column 'logits' is null at item 1"));
  const TestTable ragged({lists<std::int32_t>("+l", {0, 3, 5}, numbers("f", kSix), "logits")});
  EXPECT_THAT(error_of([&] { scores_of(ragged); }).what(),
              HasSubstr("row 1: column 'logits' lists 2 numbers; the first row has 3"));
  const TestTable beyond({lists<std::int32_t>("+l", {0, 3, 9}, numbers("f", kSix), "logits")});
  EXPECT_THAT(error_of([&] { scores_of(beyond); }).what(), HasSubstr("damaged"));
}

TEST(NestedScores, TheColumnIsNamedWhereSeveralCouldBeMeant) {
  const TestTable table({fixed_lists(3, numbers("f", kSix), "first"),
                         fixed_lists(2, numbers("f", std::vector<float>{1, 2, 3, 4}), "second")});
  EXPECT_THAT(error_of([&] { scores_of(table); }).what(), HasSubstr("first, second"));
  EXPECT_EQ(scores_of(table, "second").cols, 2u);
  const auto unknown = error_of([&] { scores_of(table, "third"); });
  EXPECT_THAT(unknown.what(), HasSubstr("no column named 'third'"));
  EXPECT_THAT(unknown.hint(), HasSubstr("first, second"));
}

TEST(NestedScores, CountsBesideColumnsOfScoresAreNotTakenForScores) {
  const std::vector<std::int32_t> counts{1, 2, 3, 4};
  const TestTable table({numbers("f", std::vector<float>{1, 2}, "cat"),
                         numbers("f", std::vector<float>{3, 4}, "dog"),
                         fixed_lists(2, numbers("i", counts), "votes")});
  const ScoreTable scores = scores_of(table);
  EXPECT_THAT(scores.classes, ElementsAre("cat", "dog"));
  EXPECT_EQ(scores.f32(1, 1), 4.0f);
}

TEST(NestedVotes, CountsPerClassAreAMatrix) {
  const std::vector<std::int32_t> counts{5, 0, 1, 0, 2, 2};
  const TestTable table({texts({"a", "b"}, "uid"), fixed_lists(3, numbers("i", counts), "votes")});
  const VoteTable votes = load_votes(vote_file(table));
  EXPECT_EQ(row_of(votes, 0), (std::vector<double>{5, 0, 1}));
  EXPECT_EQ(row_of(votes, 1), (std::vector<double>{0, 2, 2}));
  EXPECT_THAT(votes.ids, ElementsAre("a", "b"));
  EXPECT_EQ(votes.form, "count matrix");
}

TEST(NestedVotes, LabelsMayBeNumbersTextOrCategories) {
  const std::vector<std::int32_t> ends{0, 2, 5};
  const TestTable whole(
      {lists("+l", ends, numbers("i", std::vector<std::int32_t>{0, 1, 1, 1, 0}), "labels")});
  const TestTable text({lists("+l", ends, texts({"cat", "dog", "dog", "dog", "cat"}), "labels")});
  const TestTable category(
      {lists("+l", ends, categories({1, 0, 0, 0, 1}, {"dog", "cat"}), "annotations")});
  for (const TestTable* table : {&whole, &text, &category}) {
    const VoteTable votes = load_votes(vote_file(*table));
    EXPECT_EQ(row_of(votes, 0), (std::vector<double>{1, 1}));
    EXPECT_EQ(row_of(votes, 1), (std::vector<double>{1, 2}));
  }
  EXPECT_THAT(load_votes(vote_file(category)).classes, ElementsAre("cat", "dog"));
}

TEST(NestedVotes, StructuresNameAnnotatorAndLabel) {
  const TestTable table({lists<std::int32_t>(
      "+l", {0, 2, 3},
      structure({texts({"ann", "bob", "ann"}, "annotator"), texts({"cat", "dog", "dog"}, "label")}),
      "annotations")});
  const VoteTable votes = load_votes(vote_file(table));
  EXPECT_EQ(votes.annotators, 2u);
  EXPECT_EQ(row_of(votes, 0), (std::vector<double>{1, 1}));
  EXPECT_EQ(row_of(votes, 1), (std::vector<double>{0, 1}));
  const TestTable twice({lists<std::int32_t>(
      "+l", {0, 2}, structure({texts({"ann", "ann"}, "annotator"), texts({"cat", "dog"}, "label")}),
      "annotations")});
  EXPECT_THAT(error_of([&] { load_votes(vote_file(twice)); }).what(),
              HasSubstr("annotator 'ann' answers a second time"));
}

TEST(NestedVotes, MapsAndStructuresOfCountsNameTheClasses) {
  Node map =
      lists<std::int32_t>("+m", {0, 2, 3},
                          structure({texts({"dog", "cat", "dog"}, "key"),
                                     numbers("l", std::vector<std::int64_t>{3, 1, 4}, "value")},
                                    "entries"),
                          "votes");
  Node fields = structure({numbers("l", std::vector<std::int64_t>{1, 0}, "cat").valid({1, 0}),
                           numbers("l", std::vector<std::int64_t>{3, 4}, "dog")},
                          "votes");
  for (Node* node : {&map, &fields}) {
    const VoteTable votes = load_votes(vote_file(TestTable({std::move(*node)})));
    EXPECT_THAT(votes.classes, ElementsAre("cat", "dog"));
    EXPECT_EQ(row_of(votes, 0), (std::vector<double>{1, 3}));
    EXPECT_EQ(row_of(votes, 1), (std::vector<double>{0, 4}));
  }
}

TEST(NestedVotes, NullsRaggedListsAndAWrongNumberOfClassesAreNamed) {
  const std::vector<std::int32_t> counts{5, 0, 1, 0, 2, 2};
  const TestTable empty(
      {lists<std::int32_t>("+l", {0, 3, 3}, numbers("i", counts), "votes").valid({1, 0})});
  EXPECT_THAT(error_of([&] { load_votes(vote_file(empty)); }).what(),
              HasSubstr("votes: row 1: no votes"));
  const TestTable hole({fixed_lists(3, numbers("i", counts).valid({1, 1, 1, 1, 0, 1}), "votes")});
  EXPECT_THAT(error_of([&] { load_votes(vote_file(hole)); }).what(),
              HasSubstr("row 1: column 'votes' is null at item 1"));
  const TestTable ragged({lists<std::int32_t>("+l", {0, 3, 5}, numbers("i", counts), "votes")});
  EXPECT_THAT(error_of([&] { load_votes(vote_file(ragged)); }).what(),
              HasSubstr("row 1: column 'votes' lists 2 numbers, the rows before list 3"));
  VoteFile file = vote_file(ragged);
  file.expected_classes = 4;
  EXPECT_THAT(error_of([&] { load_votes(file); }).what(),
              HasSubstr("lists 3 numbers but there are 4 classes"));
}

TEST(NestedVotes, ScoresAndVotesOfOneTableAreJoined) {
  const std::vector<std::int32_t> counts{5, 0, 1, 0, 2, 2};
  const TestTable table({texts({"a", "b"}, "uid"), fixed_lists(3, numbers("f", kSix), "logits"),
                         fixed_lists(3, numbers("i", counts), "votes")});
  DatasetFiles files;
  files.scores = {.path = "scores", .given = table.given()};
  files.votes = "votes";
  files.given_votes = table.given();
  const LoadedDataset loaded = load_dataset(files);
  EXPECT_EQ(loaded.data.rows(), 2u);
  EXPECT_EQ(loaded.join.joined_by, "id");
}

}  // namespace
}  // namespace credence::io
