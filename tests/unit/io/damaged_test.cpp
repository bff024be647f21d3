// Compressed files that were damaged: what gzip or unzip would refuse is refused.
#include <algorithm>
#include <random>

#include "credence/io.hpp"
#include "io/npy/npy.hpp"
#include "unit/io/files.hpp"

namespace credence::io {
namespace {

using ::testing::HasSubstr;
using namespace credence::test;

/// Whether zlib, the reference, reads a whole gzip file (members, then zeros) without complaint.
bool zlib_accepts(const std::string& bytes) {
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out(1 << 16, '\0');
  bool good = true, whole = false;
  while (good && stream.avail_in > 0) {
    if (whole) {
      const char* const rest = bytes.data() + bytes.size() - stream.avail_in;
      if (*rest == 0) {
        good = std::all_of(rest, rest + stream.avail_in, [](char c) { return c == 0; });
        break;
      }
      inflateReset(&stream);
    }
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    whole = status == Z_STREAM_END;
    good = whole || status == Z_OK;
  }
  inflateEnd(&stream);
  return good && whole;
}

/// One byte changed, bytes cut off, appended, inserted or taken out.
std::string damaged(std::string bytes, std::mt19937& random) {
  const std::size_t at = random() % bytes.size();
  const std::size_t count = 1 + random() % 9;
  switch (random() % 5) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
      break;
    case 1:
      bytes.resize(bytes.size() - std::min(count, bytes.size() - 1));
      break;
    case 2:
      bytes.append(count, static_cast<char>(random() % 3));
      break;
    case 3:
      bytes.insert(at, count, static_cast<char>(random()));
      break;
    default:
      bytes.erase(at, count);
  }
  return bytes;
}

std::vector<double> all_scores(const std::string& path) {
  const ScoreTable table = load_scores({.path = path}, LoadAs::as_stored);
  std::vector<double> values;
  for (std::size_t i = 0; i < table.rows * table.cols; ++i) {
    values.push_back(table.f64.data() != nullptr ? table.f64.data()[i]
                                                 : static_cast<double>(table.f32.data()[i]));
  }
  return values;
}

std::string some_array(bool fortran = false) {
  std::mt19937 random(1);
  std::vector<float> values;
  for (int i = 0; i < 300; ++i) values.push_back(static_cast<float>(random() % 1000) / 7.f);
  return npy("<f4", "(100, 3)", raw(std::span<const float>(values)), fortran);
}

std::string some_text(bool json) {
  std::mt19937 random(2);
  std::string text = json ? "" : "a,b,c\n";
  for (int i = 0; i < 100; ++i) {
    const std::string cells = std::to_string(random() % 100) + "," +
                              std::to_string(random() % 100) + "," + std::to_string(random() % 9);
    text += json ? "{\"logits\":[" + cells + "]}\n" : cells + "\n";
  }
  return text;
}

TEST(DamagedFiles, GzipThatZlibRefusesIsRefusedInEveryFormat) {
  const TempDir dir;
  std::mt19937 random(3);
  const std::pair<std::string, std::string> kinds[] = {{"a.npy.gz", some_array()},
                                                       {"f.npy.gz", some_array(true)},
                                                       {"a.csv.gz", some_text(false)},
                                                       {"a.jsonl.gz", some_text(true)}};
  for (const auto& [name, content] : kinds) {
    const std::string whole = gzip(content);
    dir.write(name, whole);
    const std::vector<double> truth = all_scores(dir.path(name));
    int refused = 0;
    for (int i = 0; i < 400; ++i) {
      const std::string bytes = damaged(whole, random);
      std::filesystem::remove(dir.path(name));
      dir.write(name, bytes);
      if (!zlib_accepts(bytes)) {
        EXPECT_THROW(all_scores(dir.path(name)), Error) << name << " " << i;
        ++refused;
        continue;
      }
      // A harmless change: of the time in the header, or zeros behind the end.
      EXPECT_EQ(all_scores(dir.path(name)), truth) << name << " " << i;
    }
    EXPECT_GT(refused, 300) << name;
  }
}

TEST(DamagedFiles, GzipTrailerIsVerifiedFromStandardInputToo) {
  const TempDir dir;
  const std::string whole = gzip(some_array());
  for (const std::size_t lost : {std::size_t{1}, std::size_t{4}, std::size_t{8}}) {
    const std::string path = dir.write("a.npy.gz", whole.substr(0, whole.size() - lost));
    const Redirect standard_input(STDIN_FILENO, path, O_RDONLY);
    EXPECT_THAT(caught([&] { all_scores("-"); }).text, HasSubstr("ends early")) << lost;
  }
}

TEST(DamagedFiles, BytesAfterAnArrayAreRefusedPackedOrNot) {
  const TempDir dir;
  for (const bool fortran : {false, true}) {
    const std::string array = some_array(fortran);
    for (const std::string& more : {std::string("\0", 1), some_array()}) {
      const std::string kinds[] = {dir.write("a.npy", array + more),
                                   dir.write("a.npy.gz", gzip(array + more)),
                                   dir.write("s.npz", zip({{"x.npy", array + more}})),
                                   dir.write("d.npz", zip({{"x.npy", array + more, true}}))};
      for (const std::string& path : kinds) {
        EXPECT_THAT(caught([&] { all_scores(path); }).text, HasSubstr("bytes after the end"))
            << path;
      }
      for (const std::string& path : {kinds[0], kinds[2], kinds[3]}) {
        EXPECT_THAT(caught([&] { NpyArray{path}; }).text, HasSubstr("bytes after the end"));
      }
    }
  }
}

TEST(DamagedFiles, MemberAfterZerosIsRefusedAsGzipDoes) {
  const TempDir dir;
  const std::string member = gzip("1,2\n3,4\n");
  EXPECT_EQ(all_scores(dir.write("two.csv.gz", member + member)).size(), 8u);
  EXPECT_EQ(all_scores(dir.write("padded.csv.gz", member + std::string(512, '\0'))).size(), 4u);
  EXPECT_THAT(caught([&] {
                all_scores(dir.write("b.csv.gz", member + std::string(9, '\0') + member));
              }).text,
              HasSubstr("unexpected bytes after the gzip stream"));
}

// Of an archive nothing may change but what has no bearing on the bytes of its members: times,
// attributes, the system that made it, comments.
TEST(DamagedFiles, ArchiveThatIsReadAtAllGivesTheTrueArray) {
  const TempDir dir;
  std::mt19937 random(4);
  for (const bool compress : {false, true}) {
    const std::string whole = zip({{"x.npy", some_array(), compress, true},
                                   {"y.npy", npy("<f4", "(2, 1)", raw({1.f, 2.f})), compress}});
    const std::string path = dir.path("a.npz");
    dir.write("a.npz", whole);
    const std::vector<double> truth = all_scores(path + ":x");
    int accepted = 0;
    for (int i = 0; i < 400; ++i) {
      std::filesystem::remove(path);
      dir.write("a.npz", damaged(whole, random));
      try {
        EXPECT_EQ(all_scores(path + ":x"), truth) << i;
        ++accepted;
      } catch (const Error&) {
      }
    }
    // Times, attributes and versions are 2 * 20 of at least 700 bytes, and a fifth are changes of
    // single bytes.
    EXPECT_LT(accepted, 40);
  }
}

TEST(DamagedFiles, DamageInAnotherMemberIsFoundAsUnzipDoes) {
  const TempDir dir;
  for (const bool compress : {false, true}) {
    std::string bytes = zip({{"x.npy", some_array(), compress}, {"y.npy", some_array(), compress}});
    bytes[bytes.find("y.npy") + 200] ^= 1;
    const std::string path = dir.write("a.npz", bytes);
    EXPECT_THAT(caught([&] { all_scores(path + ":x"); }).text, HasSubstr("damaged .npz"));
    EXPECT_THAT(caught([&] { NpyArray(path + ":x"); }).text, HasSubstr("damaged .npz"));
  }
}

TEST(DamagedFiles, ArrayNamedTwiceInAnArchiveIsRefused) {
  const TempDir dir;
  for (const char* second : {"x.npy", "x"}) {
    const std::string path =
        dir.write("a.npz", zip({{"x.npy", some_array()}, {second, some_array(true)}}));
    EXPECT_THAT(caught([&] { all_scores(path + ":x"); }).text, HasSubstr("two arrays named"));
  }
}

}  // namespace
}  // namespace credence::io
