// Lists beside the data: groups, classes, rows.
#include <gmock/gmock.h>

#include "unit/io/join_files.hpp"

namespace credence::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class JoinLists : public Join {};

TEST_F(JoinLists, GroupsComeOnePerRowOrById) {
  npy_scores();
  files_.groups = npy<std::int64_t>("g.npy", {7, 3, 7}, 0);
  EXPECT_THAT(load().data.groups, ElementsAre(0, 1, 0));
  files_.groups = text("g.txt", "p1\np2\np1\n");
  EXPECT_THAT(load().data.groups, ElementsAre(0, 1, 0));
  files_.groups = text("g.txt", "patient\np1\np1\np2\n");
  EXPECT_THAT(load().data.groups, ElementsAre(0, 0, 1));
  files_.groups = text("g.csv", "id,group\n2,a\n0,b\n1,a\n");
  EXPECT_THAT(load().data.groups, ElementsAre(0, 1, 1));
  scores(text("s.csv", "id,a,b\nx,1,0\ny,0,1\n"));
  files_.groups = text("g.csv", "id,patient\ny,p\nx,q\nz,q\n");
  EXPECT_THAT(load().data.groups, ElementsAre(0, 1));
}

TEST_F(JoinLists, GroupsFollowTheSelection) {
  npy_scores();
  files_.groups = text("g.txt", "a\nb\nc\n");
  files_.skip_rows = text("skip.txt", "0\n");
  EXPECT_THAT(load().data.groups, ElementsAre(0, 1));
}

TEST_F(JoinLists, BadGroupsAreErrors) {
  npy_scores();
  files_.groups = text("g.txt", "a\nb\n");
  EXPECT_THAT(why(), HasSubstr("has 2 rows of groups"));
  files_.groups = text("g.txt", "a\n\nb\n");
  EXPECT_THAT(why(), HasSubstr("g.txt:2: blank group"));
  files_.groups = text("g.csv", "foo,bar\n1,2\n");
  EXPECT_THAT(why(), HasSubstr("no columns id and group among foo, bar"));
  files_.groups = text("g.csv", "id,group\n0,a\n2,a\n");
  EXPECT_THAT(why(), HasSubstr("no group for row 1"));
}

TEST_F(JoinLists, SameDataInAnotherFormatHaveTheSameFingerprint) {
  scores(npy<float>("s.npy", {1.5f, 0.25f, -2, 3}, 2));
  files_.votes = npy<std::int64_t>("v.npy", {3, 1, 0, 2}, 2);
  const std::string print = load().data.fingerprint();
  scores(text("s.csv", "1.5,0.25\n-2,3\n"));
  files_.votes = text("v.csv", "3,1\n0,2\n");
  EXPECT_EQ(load().data.fingerprint(), print);
  scores(text("s.jsonl", "{\"logits\": [1.5, 0.25]}\n{\"logits\": [-2, 3]}\n"));
  files_.votes = text("v.csv", "task,worker,label\n0,a,0\n0,b,0\n1,a,1\n0,c,1\n0,d,0\n1,b,1\n");
  EXPECT_EQ(load().data.fingerprint(), print);
}

TEST_F(JoinLists, ClassListsComeFromTextOrFile) {
  EXPECT_THAT(read_class_list("e, n,c"), ElementsAre("e", "n", "c"));
  EXPECT_THAT(read_class_list(text("c.txt", "cat\nbig dog\n\n")), ElementsAre("cat", "big dog"));
  EXPECT_THAT(read_class_list(text("d.txt", "a,b,c\n")), ElementsAre("a", "b", "c"));
  EXPECT_THAT(read_class_list(text("f.txt", "a, really\nb\n")), ElementsAre("a, really", "b"));
  EXPECT_THROW(read_class_list("missing.txt"), Error);
  EXPECT_THROW(read_class_list("a,a"), Error);
  EXPECT_THROW(read_class_list("a,,b"), Error);
  EXPECT_THROW(read_class_list(text("g.txt", "")), Error);
}

TEST_F(JoinLists, RowListsComeFromTextOrArray) {
  EXPECT_THAT(read_row_list(text("r.txt", "# split\n3\n\n1, 2\n")), ElementsAre(3, 1, 2));
  EXPECT_THAT(read_row_list(npy<std::int32_t>("r.npy", {5, 4}, 0)), ElementsAre(5, 4));
  EXPECT_THROW(read_row_list(text("r.txt", "1.5\n")), Error);
  EXPECT_THROW(read_row_list(path("missing")), Error);
}

}  // namespace
}  // namespace credence::io
