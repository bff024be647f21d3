#include "io/scores/score_reader.hpp"

#include <cmath>
#include <thread>

#include "unit/io/score_rows.hpp"

namespace credence::io {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace credence::test;

Caught refused(const ScoreFile& file) {
  return caught([&] { read_score_rows(file); });
}
Caught refused(const std::string& path) { return refused(ScoreFile{.path = path}); }

TEST(ScoreReader, NpyStreamsTheSameRowsInEveryLayoutAndBlockSize) {
  const TempDir dir;
  const std::string c_order = npy("<f4", "(3, 2)", raw({1.f, 2.f, 3.f, 4.f, 5.f, 6.f}));
  const std::string fortran = npy("<f8", "(3, 2)", raw({1., 3., 5., 2., 4., 6.}), true);
  dir.write("c.npy", c_order);
  dir.write("f.npy", fortran);
  for (const bool compress : {false, true}) {
    dir.write(compress ? "p.npz" : "s.npz",
              zip({{"c.npy", c_order, compress, true}, {"f.npy", fortran, compress, true}}));
  }
  for (const auto* name : {"c.npy", "f.npy", "s.npz:c", "s.npz:f", "p.npz:c", "p.npz:f"}) {
    for (const std::size_t step : {1, 2, 3, 10}) {
      const ScoreRows all = read_score_rows({.path = dir.path(name)}, step);
      EXPECT_EQ(all.cols, 2u) << name;
      EXPECT_THAT(all.values, ElementsAre(1, 2, 3, 4, 5, 6)) << name;
      EXPECT_THAT(all.ids, IsEmpty());
    }
    EXPECT_EQ(open_scores({.path = dir.path(name)})->rows(), 3u);
  }
}

TEST(ScoreReader, LargeRowsCrossBufferBoundaries) {
  const TempDir dir;
  std::vector<float> values(700 * 1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const std::string bytes = npy("<f4", "(700, 1000)", raw(std::span<const float>(values)));
  dir.write("a.npy", bytes);
  dir.write("a.npz", zip({{"a.npy", bytes, true}}));
  for (const auto* name : {"a.npy", "a.npz"}) {
    const ScoreRows all = read_score_rows({.path = dir.path(name)}, 300);
    ASSERT_EQ(all.values.size(), values.size());
    EXPECT_TRUE(std::equal(values.begin(), values.end(), all.values.begin())) << name;
  }
}

TEST(ScoreReader, DamagedArchiveIsFoundBeforeTheLastRowIsGiven) {
  const TempDir dir;
  const std::string array = npy("<f4", "(2, 2)", raw({1.f, 2.f, 3.f, 4.f}));
  for (const bool compress : {false, true}) {
    std::string bytes = zip({{"x.npy", array, compress}});
    bytes[bytes.find("PK\x01\x02") + 16] ^= 1;
    EXPECT_THAT(refused(dir.write("a.npz", bytes)).text, HasSubstr("checksum"));
  }
}

TEST(ScoreReader, EveryFormIsRecognisedOnStandardInput) {
  const TempDir dir;
  const std::string array = npy("<f4", "(2, 2)", raw({1.f, 2.f, 3.f, 4.f}));
  const std::string fortran = npy("<f4", "(2, 2)", raw({1.f, 3.f, 2.f, 4.f}), true);
  const std::string text = "1,2\n3,4\n";
  const std::string json = "{\"logits\":[1,2]}\n{\"logits\":[3,4]}\n";
  for (const std::string& bytes :
       {array, fortran, text, json, gzip(text), gzip(array),
        "\n [" + json.substr(0, 16) + "," + json.substr(17, 16) + "]", "\xef\xbb\xbf" + json}) {
    const Redirect input(STDIN_FILENO, dir.write("in", bytes), O_RDONLY);
    EXPECT_THAT(read_score_rows("-").values, ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(read_score_rows(dir.path("in")).values, ElementsAre(1, 2, 3, 4));
  }
}

TEST(ScoreReader, NpyStreamThatEndsEarlyOrClaimsTooMuchIsRefused) {
  const TempDir dir;
  const auto message = [&](const std::string& bytes) {
    const Redirect input(STDIN_FILENO, dir.write("in", bytes), O_RDONLY);
    return refused("-").text;
  };
  const std::string data = raw({1.f, 2.f, 3.f});
  EXPECT_THAT(message(npy("<f4", "(1152921504606846, 2)", data)),
              HasSubstr("standard input: truncated: the header promises"));
  EXPECT_THAT(message(npy("<f4", "(2, 1152921504606846)", data)), HasSubstr("truncated"));
  EXPECT_THAT(message(npy("<f4", "(2, 2)", data)), HasSubstr("end in row 1"));
  EXPECT_THAT(message(npy("<f4", "(2, 2)", data, true)), HasSubstr("truncated"));
  EXPECT_THAT(message(npy("<f4", "(2, 2)", data).substr(0, 60)), HasSubstr("within its header"));
}

TEST(ScoreReader, PipeNeedNotBeClosedForTheLastRowOfAnArray) {
  const TempDir dir;
  const std::string fifo = dir.path("pipe");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const int keeps_it_open = ::open(fifo.c_str(), O_RDWR);
  const std::string bytes = npy("<f4", "(1, 2)", raw({1.f, 2.f}));
  ASSERT_EQ(::write(keeps_it_open, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  const Redirect input(STDIN_FILENO, fifo, O_RDONLY);
  EXPECT_THAT(read_score_rows("-").values, ElementsAre(1, 2));
  ::close(keeps_it_open);
}

TEST(ScoreReader, NamedPipeIsOpenedOnce) {
  const TempDir dir;
  const std::string fifo = dir.path("pipe.npy");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const auto feed = [&] { dir.write("pipe.npy", npy("<f8", "(1, 2)", raw({1., 2.}))); };
  std::thread for_reader(feed);
  EXPECT_THAT(read_score_rows(fifo).values, ElementsAre(1, 2));
  for_reader.join();
  std::thread for_load(feed);
  EXPECT_EQ(load_scores({.path = fifo}, LoadAs::float32).f32(0, 1), 2.f);
  for_load.join();
}

TEST(ScoreReader, UnknownNameAndBadNpyAreErrors) {
  const TempDir dir;
  EXPECT_EQ(refused(dir.path("none.npy")).code, ErrorCode::io);
  EXPECT_EQ(refused(dir.path("none.csv")).code, ErrorCode::io);
  EXPECT_EQ(refused(std::string()).code, ErrorCode::usage);
  EXPECT_THAT(refused(dir.write("a.npy", "1,2\n")).text, HasSubstr("not a NumPy"));
  EXPECT_THAT(refused(dir.write("a.npy", "")).text, HasSubstr("empty"));
  EXPECT_THAT(refused(dir.write("b.zip", zip({{"x.npy", "x"}}))).text,
              HasSubstr("without the name .npz"));
}

TEST(ScoreReader, NoDamagedByteOrTruncationDoesMoreThanThrow) {
  const TempDir dir;
  const auto open = [](const std::string& path) { read_score_rows(path); };
  const std::string array = npy("<f2", "(3, 2)", "abcdefghijkl");
  survives_damage(dir, "a.npy", array, open);
  survives_damage(dir, "a.npz", zip({{"x.npy", array, true, true}}), open);
  survives_damage(dir, "s.npz", zip({{"x.npy", array, false, true}}), open);
  survives_damage(dir, "array", npy("<f4", "(2, 2)", "abcdefghijklmnop"), open);
  survives_damage(dir, "a.csv", "id,cat,\"the \"\"dog\"\"\"\nx,1.5,-2e-3\n\"y\",nan,inf\n", open);
  survives_damage(dir, "a.csv.gz", gzip("id,cat,dog\nx,1.5,-2e-3\ny,nan,inf\n"), open);
  survives_damage(dir, "a.jsonl",
                  "{\"uid\":\"a\",\"logits\":[1.5,-2]}\n{\"uid\":3,\"logits\":[1,2]}", open);
  survives_damage(dir, "b.json",
                  "[{\"logits\":{\"c\":1,\"d\":2}},\n{\"logits\":{\"d\":1,\"c\":2}}]", open);
}

}  // namespace
}  // namespace credence::io
