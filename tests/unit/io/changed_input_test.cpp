// Files that change while, or after, they are read.
#include <sys/stat.h>

#include "credence/io.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/npy/npy.hpp"
#include "io/scores/score_reader.hpp"
#include "unit/io/files.hpp"

namespace credence::io {
namespace {

using ::testing::HasSubstr;
using namespace credence::test;

class Watched {
 public:
  Watched() { watch_inputs(true); }
  ~Watched() { watch_inputs(false); }
};

void append(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::app) << bytes;
}

/// Another time, as a writer would leave it: clocks of file systems may tick only every 10 ms.
void set_time(const std::string& path, long seconds) {
  const timespec times[2] = {{seconds, 0}, {seconds, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

TEST(ChangedInput, FileThatGrowsOrIsRewrittenBeforeItsEndIsRefused) {
  const TempDir dir;
  const std::string path = dir.write("a.csv", std::string(3 << 20, 'x'));
  for (const bool grows : {true, false}) {
    const auto source = open_bytes(path);
    std::string bytes(1 << 20, '\0');
    source->read(bytes.data(), bytes.size());
    if (grows) append(path, "y");
    if (!grows) set_time(path, 1000);
    EXPECT_THAT(caught([&] { read_to_end(*source); }).text, HasSubstr("changed while"));
  }
}

TEST(ChangedInput, ArrayReadRowByRowMustBeTheSameAtItsEnd) {
  const TempDir dir;
  const std::string path = dir.write("a.npy", npy("<f4", "(2, 2)", raw({1.f, 2.f, 3.f, 4.f})));
  const auto reader = open_scores({.path = path});
  Matrix<double> row(1, 2);
  EXPECT_EQ(reader->read(row.view(), nullptr), 1u);
  set_time(path, 1000);
  EXPECT_THAT(caught([&] { reader->read(row.view(), nullptr); }).text, HasSubstr("changed while"));
}

TEST(ChangedInput, NothingIsWrittenOnceAWatchedInputHasChanged) {
  const Watched watched;
  const TempDir dir;
  const std::string path = dir.write("a.npy", npy("<f4", "(1, 2)", raw({1.f, 2.f})));
  const ScoreTable table = load_scores({.path = path}, LoadAs::float32);
  EXPECT_NO_THROW(write_text(dir.path("first.txt"), "result"));
  set_time(path, 1000);
  EXPECT_THAT(caught([&] { write_text(dir.path("second.txt"), "result"); }).text,
              HasSubstr("a.npy: the file changed while it was being read"));
  EXPECT_EQ(dir.entries(), 2u) << "the input and the first output";
}

TEST(ChangedInput, InputReplacedByAnotherFileIsNoticedAndOneDeletedIsNot) {
  const Watched watched;
  const TempDir dir;
  const std::string a = dir.write("a.csv", "1,2\n"), b = dir.write("b.csv", "1,2\n");
  set_time(a, 1000);
  set_time(b, 1000);
  load_scores({.path = a}, LoadAs::float32);
  std::filesystem::rename(b, a);
  EXPECT_THROW(check_inputs(), Error);
  std::filesystem::remove(a);
  EXPECT_NO_THROW(check_inputs());
}

TEST(ChangedInput, ProgramMayReplaceItsOwnInput) {
  const Watched watched;
  const TempDir dir;
  const std::string path = dir.write("a.csv", "1,2\n");
  load_scores({.path = path}, LoadAs::float32);
  write_text(path, "3,4\n5,6\n");
  EXPECT_NO_THROW(write_text(dir.path("b.csv"), "result"));
}

TEST(ChangedInput, ArraysAreMappedOnlyWhileInputsAreWatched) {
  const TempDir dir;
  const std::string path = dir.write("a.npy", npy("<f4", "(1, 2)", raw({1.f, 2.f})));
  {
    const NpyArray held(path);
    EXPECT_EQ(mapped_input_at(held.data()), nullptr);
    std::filesystem::resize_file(path, 0);
    EXPECT_EQ(held.numbers().data[3], std::byte{0x3f}) << "the first byte of 1.f that is not 0";
  }
  dir.write("a.npy", npy("<f4", "(1, 2)", raw({1.f, 2.f})));
  const Watched watched;
  const NpyArray mapped(path);
  EXPECT_EQ(std::string(mapped_input_at(mapped.data())), path);
  EXPECT_EQ(mapped_input_at(&path), nullptr);
}

}  // namespace
}  // namespace credence::io
