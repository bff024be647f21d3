#include "io/npy/npz.hpp"

#include "io/npy/npy.hpp"
#include "unit/io/files.hpp"

namespace credence::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace credence::test;

const std::string kX = npy("<f4", "(2,)", raw({1.f, 2.f}));
const std::string kY = npy("<f8", "(1, 2)", raw({3.0, 4.0}));

std::vector<double> values(const std::string& path) {
  const NpyArray array(path);
  Matrix<double> all(array.rows(), array.cols());
  array.read_rows(0, all.view());
  return {all.data(), all.data() + array.rows() * array.cols()};
}

TEST(Npz, MembersAreReadStoredAndDeflatedWithAndWithoutZip64) {
  const TempDir dir;
  for (const bool compress : {false, true}) {
    for (const bool zip64 : {false, true}) {
      const std::string path =
          dir.write("a.npz", zip({{"x.npy", kX, compress, zip64}, {"y.npy", kY, compress, zip64}}));
      EXPECT_THAT(values(path + ":x"), ElementsAre(1, 2));
      EXPECT_THAT(values(path + ":y.npy"), ElementsAre(3, 4));
    }
  }
}

TEST(Npz, OnlyMemberNeedsNoNameAndSeveralAreListed) {
  const TempDir dir;
  EXPECT_THAT(values(dir.write("one.npz", zip({{"arr_0.npy", kX}}))), ElementsAre(1, 2));
  const std::string two = dir.write("two.npz", zip({{"x.npy", kX}, {"y.npy", kY}}));
  const auto unnamed = caught([&] { NpyArray{two}; });
  EXPECT_THAT(unnamed.text, HasSubstr("holds 2 arrays: x, y"));
  EXPECT_THAT(unnamed.text, HasSubstr("two.npz:x"));
  const auto unknown = caught([&] { NpyArray(two + ":z"); });
  EXPECT_THAT(unknown.text, HasSubstr("no array named 'z'"));
  EXPECT_THAT(unknown.text, HasSubstr("it holds: x, y"));
}

TEST(Npz, CommentAfterTheArchiveIsAllowed) {
  const TempDir dir;
  std::string bytes = zip({{"x.npy", kX}});
  bytes.replace(bytes.size() - 2, 2, little(5, 2));
  EXPECT_THAT(values(dir.write("a.npz", bytes + "hello")), ElementsAre(1, 2));
}

TEST(Npz, WrongChecksumIsFoundInBothStorageForms) {
  const TempDir dir;
  std::string stored = zip({{"x.npy", kX}});
  stored[stored.find("NUMPY") + 100] ^= 1;
  EXPECT_THAT(caught([&] { values(dir.write("a.npz", stored)); }).text, HasSubstr("checksum"));
  std::string packed = zip({{"x.npy", kX, true}});
  packed[packed.find("PK\x01\x02") + 16] ^= 1;
  EXPECT_THAT(caught([&] { values(dir.write("a.npz", packed)); }).text, HasSubstr("checksum"));
}

TEST(Npz, ClaimedSizesAreNotBelieved) {
  const TempDir dir;
  const auto with_claim = [](std::string bytes, std::size_t field, std::uint64_t value) {
    return bytes.replace(bytes.find("PK\x01\x02") + field, 4, little(value, 4));
  };
  const std::string stored = zip({{"x.npy", kX}}), packed = zip({{"x.npy", kX, true}});
  // Fields of the directory entry: packed size at 20, size at 24, offset at 42.
  for (const auto& bytes : {with_claim(stored, 20, 0xfffffff0), with_claim(stored, 24, 0xfffffff0),
                            with_claim(packed, 20, 0xfffffff0), with_claim(packed, 24, 0xfffffff0),
                            with_claim(packed, 24, 10), with_claim(stored, 42, 0xfffffff0),
                            with_claim(stored, 42, 7)}) {
    EXPECT_THAT(caught([&] { values(dir.write("a.npz", bytes)); }).text, HasSubstr("damaged .npz"));
  }
}

TEST(Npz, ArchivesThatAreCutOffOrEncryptedOrOtherwiseCompressedAreRefused) {
  const TempDir dir;
  const std::string whole = zip({{"x.npy", kX}});
  EXPECT_THAT(caught([&] { values(dir.write("a.npz", whole.substr(0, 100))); }).text,
              HasSubstr("no end record"));
  EXPECT_THAT(caught([&] { values(dir.write("a.npz", zip({}))); }).text, HasSubstr("no arrays"));
  const std::size_t entry = whole.find("PK\x01\x02");
  std::string secret = whole;
  secret[entry + 8] |= 1;
  EXPECT_THAT(caught([&] { values(dir.write("a.npz", secret)); }).text, HasSubstr("encrypted"));
  std::string lzma = whole;
  lzma[entry + 10] = 14;
  EXPECT_THAT(caught([&] { values(dir.write("a.npz", lzma)); }).text, HasSubstr("method 14"));
  EXPECT_THAT(caught([&] { values(dir.write("b.npz", kX) + ":x"); }).text,
              HasSubstr("not an .npz archive"));
}

TEST(Npz, NoDamagedByteOrTruncationDoesMoreThanThrow) {
  const TempDir dir;
  for (const bool compress : {false, true}) {
    survives_damage(dir, "a.npz", zip({{"x.npy", kX, compress, true}, {"y.npy", kY, compress}}),
                    [](const std::string& path) { values(path + ":x"); });
  }
}

TEST(NpzPath, SplitsAtTheLastNpzColon) {
  EXPECT_EQ(split_npz_path("a.npz:x").file, "a.npz");
  EXPECT_EQ(split_npz_path("a.npz:x").member, "x");
  EXPECT_EQ(split_npz_path("c:/a.NPZ:x:y").member, "x:y");
  EXPECT_EQ(split_npz_path("c:/a.npy").file, "c:/a.npy");
  EXPECT_EQ(split_npz_path("").file, "");
}

}  // namespace
}  // namespace credence::io
