#include "io/npy/npy.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "unit/io/files.hpp"

namespace credence::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace credence::test;

std::vector<double> values_of(const NpyArray& array) {
  Matrix<double> values(array.rows(), array.cols());
  array.read_rows(0, values.view());
  return {values.data(), values.data() + array.rows() * array.cols()};
}
std::vector<double> load(const TempDir& dir, std::string_view bytes) {
  return values_of(NpyArray(dir.write("a.npy", bytes)));
}
std::string message(const TempDir& dir, std::string_view bytes) {
  return caught([&] { NpyArray(dir.write("a.npy", bytes)); }).text;
}

std::string reversed(std::string bytes, std::size_t width) {
  for (std::size_t i = 0; i < bytes.size(); i += width) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                 bytes.begin() + static_cast<std::ptrdiff_t>(i + width));
  }
  return bytes;
}

template <class T>
struct Type {
  using type = T;
};

TEST(Npy, EveryNumberTypeInBothByteOrdersBecomesDouble) {
  const TempDir dir;
  const auto check = [&]<class T>(Type<T>, const std::string& code, std::type_identity_t<T> a,
                                  std::type_identity_t<T> b, std::type_identity_t<T> c) {
    const std::string data = raw({a, b, c});
    const auto expected =
        ElementsAre(static_cast<double>(a), static_cast<double>(b), static_cast<double>(c));
    EXPECT_THAT(load(dir, npy("<" + code, "(1, 3)", data)), expected) << code;
    EXPECT_THAT(load(dir, npy(">" + code, "(3, 1)", reversed(data, sizeof(T)))), expected) << code;
  };
  check(Type<float>{}, "f4", 1.5f, -0.1f, 3e38f);
  check(Type<double>{}, "f8", 1.5, -0.1, 1e300);
  check(Type<std::int8_t>{}, "i1", 1, -128, 127);
  check(Type<std::int16_t>{}, "i2", 1, -32768, 32767);
  check(Type<std::int32_t>{}, "i4", 1, -2147483647, 2147483647);
  check(Type<std::int64_t>{}, "i8", 1, -5000000000, 5000000000);
  check(Type<std::uint8_t>{}, "u1", 1, 0, 255);
  check(Type<std::uint16_t>{}, "u2", 1, 0, 65535);
  check(Type<std::uint32_t>{}, "u4", 1, 0, 4294967295);
  check(Type<std::uint64_t>{}, "u8", 1, 0, std::uint64_t{1} << 63);
  EXPECT_THAT(load(dir, npy("|b1", "(2,)", std::string("\x00\x01", 2))), ElementsAre(0.0, 1.0));
}

TEST(Npy, Float16CoversSubnormalsAndSpecialValues) {
  const TempDir dir;
  const std::vector<std::uint16_t> bits{0x3c00, 0xc000, 0x7bff, 0x0400, 0x0001,
                                        0x83ff, 0x8000, 0x7c00, 0xfc00, 0x7e00};
  const auto values = load(dir, npy("<f2", "(10,)", raw(std::span(bits))));
  // Table of IEEE 754 binary16: one, minus two, largest, smallest normal, smallest subnormal, ...
  EXPECT_EQ(values[0], 1.0);
  EXPECT_EQ(values[1], -2.0);
  EXPECT_EQ(values[2], 65504.0);
  EXPECT_EQ(values[3], 0x1p-14);
  EXPECT_EQ(values[4], 0x1p-24);
  EXPECT_EQ(values[5], -1023 * 0x1p-24);
  EXPECT_TRUE(values[6] == 0.0 && std::signbit(values[6]));
  EXPECT_EQ(values[7], INFINITY);
  EXPECT_EQ(values[8], -INFINITY);
  EXPECT_TRUE(std::isnan(values[9]));
}

TEST(Npy, FortranOrderGivesTheSameRows) {
  const TempDir dir;
  const NpyArray array(
      dir.write("a.npy", npy("<f4", "(2, 3)", raw({1.f, 4.f, 2.f, 5.f, 3.f, 6.f}), true)));
  EXPECT_THAT(values_of(array), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_FALSE(array.is_plain_f32());
  double last[3];
  array.read_rows(1, {last, 1, 3});
  EXPECT_THAT(last, ElementsAre(4, 5, 6));
}

TEST(Npy, AllThreeVersionsAndOldSpellingsAreRead) {
  const TempDir dir;
  const std::string data = raw({1.f, 2.f});
  for (const int version : {1, 2, 3}) {
    EXPECT_THAT(load(dir, npy("<f4", "(2,)", data, false, version)), ElementsAre(1, 2));
  }
  EXPECT_THAT(load(dir, npy("<f4", "(2L, 1L)", data)), ElementsAre(1, 2));
  EXPECT_THAT(load(dir, npy_with_header(
                            "{\"shape\":(1,2),\"fortran_order\":False,\"descr\":\"<f4\"}", data)),
              ElementsAre(1, 2));
}

TEST(Npy, PlainFloat32IsUsedInPlaceAndOutlivesTheObject) {
  const TempDir dir;
  const float* values = nullptr;
  std::shared_ptr<const void> owner;
  {
    const NpyArray array(dir.write("a.npy", npy("<f4", "(2, 1)", raw({1.f, 2.f}))));
    ASSERT_TRUE(array.is_plain_f32());
    EXPECT_FALSE(array.is_plain_f64());
    values = reinterpret_cast<const float*>(array.data());
    owner = array.owner();
  }
  EXPECT_EQ(values[1], 2.f);
}

TEST(Npy, DataThatAreNotAlignedAreStillRead) {
  const TempDir dir;
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), } \n";
  ASSERT_NE((10 + header.size()) % 4, 0u) << "this header would align the data by chance";
  const std::string bytes =
      std::string("\x93NUMPY\x01\x00", 8) + little(header.size(), 2) + header + raw({1.f, 2.f});
  const NpyArray array(dir.write("a.npy", bytes));
  EXPECT_FALSE(array.is_plain_f32());
  EXPECT_THAT(values_of(array), ElementsAre(1, 2));
}

TEST(Npy, HeaderThatClaimsMoreRowsThanBytesIsRefused) {
  const TempDir dir;
  const std::string data(40, '\0');
  EXPECT_THAT(message(dir, npy("<f4", "(1152921504606846976, 10)", data)),
              HasSubstr("larger than any file"));
  EXPECT_THAT(message(dir, npy("<f4", "(1152921504606846976, 1)", data)), HasSubstr("truncated"));
  EXPECT_THAT(message(dir, npy("<f4", "(4294967296, 4294967296)", data)),
              HasSubstr("larger than any file"));
  EXPECT_THAT(message(dir, npy("<f4", "(99999999999999999999999,)", data)),
              HasSubstr("does not fit in 64 bits"));
  EXPECT_THAT(message(dir, npy("<f4", "(11, 1)", data)),
              HasSubstr("truncated: shape (11, 1) needs 44 bytes, the file holds 40"));
}

TEST(Npy, WhatHoldsNoNumbersIsRefusedWithTheWayToSaveIt) {
  const TempDir dir;
  const std::string data(64, '\0');
  const auto refused = [&](const std::string& descr, const std::string& what) {
    const std::string text = message(dir, npy(descr, "(4,)", data));
    EXPECT_THAT(text, HasSubstr(what));
    EXPECT_THAT(text, HasSubstr("np.save(path, np.asarray(x, dtype=np.float32)"));
    EXPECT_THAT(text, HasSubstr("allow_pickle=False"));
  };
  refused("|O", "pickled Python objects");
  refused("<U5", "text");
  refused("|S5", "text");
  refused("<c8", "complex numbers");
  refused("<M8[ns]", "dates");
  refused("|V2", "bfloat16");
  refused("<f16", "extended-precision");
  refused("<q9", "an unknown type");
  EXPECT_THAT(message(dir, npy_with_header("{'descr': [('a', '<f4')], 'fortran_order': False, "
                                           "'shape': (4,), }",
                                           data)),
              HasSubstr("structured array"));
  EXPECT_THAT(message(dir, "\x80\x04\x95 pickle data"), HasSubstr("a Python pickle"));
}

TEST(Npy, ShapesThatAreNoTableAreRefused) {
  const TempDir dir;
  const std::string data(64, '\0');
  EXPECT_THAT(message(dir, npy("<f4", "()", data)), HasSubstr("a single number"));
  EXPECT_THAT(message(dir, npy("<f4", "(2, 2, 2)", data)), HasSubstr("shape (2, 2, 2)"));
  EXPECT_THAT(message(dir, npy("<f4", "(0, 4)", data)), HasSubstr("no rows"));
  EXPECT_THAT(message(dir, npy("<f4", "(0,)", data)), HasSubstr("no rows"));
  EXPECT_THAT(message(dir, npy("<f4", "(4, 0)", data)), HasSubstr("no columns"));
}

TEST(Npy, GarbageHeadersAreRefused) {
  const TempDir dir;
  const std::string data(64, '\0');
  for (const auto* header :
       {"", "{", "{}", "{'descr'}", "{'descr': '<f4'", "{'descr': '<f4', 'fortran_order': Maybe",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4", "{'descr': '', 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-4,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4,)} x",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), 'more': 1}",
        "{'descr': '<f4', 'fortran_order': False}"}) {
    EXPECT_THAT(message(dir, npy_with_header(header, data)), HasSubstr("damaged NumPy header"))
        << header;
  }
  EXPECT_THAT(message(dir, npy("<f4", "(1,)", data, false, 9)), HasSubstr("version 9"));
  EXPECT_THAT(message(dir, "\x93NUMPY"), HasSubstr("ends within its header"));
  EXPECT_THAT(message(dir, npy("<f4", "(1,)", data).substr(0, 50)),
              HasSubstr("ends within its header"));
  EXPECT_THAT(message(dir, std::string("\x93NUMPY\x02\x00", 8) + little(0xffffffff, 4)),
              HasSubstr("claims to be 4294967295 bytes long"));
  EXPECT_THAT(message(dir, "hello, world"), HasSubstr("not a NumPy"));
  EXPECT_THAT(message(dir, "x"), HasSubstr("not a NumPy"));
  EXPECT_THAT(message(dir, ""), HasSubstr("a.npy: the file is empty"));
}

TEST(Npy, MissingFilesAndDirectoriesAreNamed) {
  const TempDir dir;
  EXPECT_EQ(caught([&] { NpyArray(dir.path("none.npy")); }).code, ErrorCode::io);
  EXPECT_THAT(caught([&] { NpyArray(dir.path("")); }).text, HasSubstr("is a directory"));
}

TEST(Npy, IntegersAreExactAndMustBeWhole) {
  const TempDir dir;
  const std::int64_t large = (std::int64_t{1} << 62) + 1;
  const auto integers = [&](std::string_view bytes) {
    return NpyArray(dir.write("a.npy", bytes)).integers();
  };
  EXPECT_THAT(integers(npy("<i8", "(2,)", raw({large, -large}))), ElementsAre(large, -large));
  EXPECT_THAT(integers(npy(">i8", "(1, 1)", reversed(raw({large}), 8))), ElementsAre(large));
  EXPECT_THAT(integers(npy("<f4", "(2,)", raw({3.f, -4.f}))), ElementsAre(3, -4));
  EXPECT_THAT(caught([&] {
                integers(npy("<f4", "(2,)", raw({3.f, 0.5f})));
              }).text,
              HasSubstr("a.npy: row 1: 0.5 is not a whole number"));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(caught([&] { integers(npy("<f4", "(1,)", raw({nan}))); }).text,
              HasSubstr("not a whole number"));
  EXPECT_THAT(caught([&] { integers(npy("<u8", "(1,)", raw({~std::uint64_t{0}}))); }).text,
              HasSubstr("too large"));
  EXPECT_THAT(caught([&] {
                integers(npy("<i4", "(1, 2)", raw({1, 2})));
              }).text,
              HasSubstr("2 columns"));
}

TEST(Npy, StandardInputIsHeldInMemory) {
  const TempDir dir;
  const Redirect input(STDIN_FILENO, dir.write("a", npy("<f4", "(2,)", raw({1.f, 2.f}))), O_RDONLY);
  EXPECT_THAT(values_of(NpyArray("-")), ElementsAre(1, 2));
}

TEST(Npy, NoDamagedByteOrTruncationDoesMoreThanThrow) {
  const TempDir dir;
  survives_damage(dir, "a.npy", npy("<f4", "(2, 3)", raw({1.f, 2.f, 3.f, 4.f, 5.f, 6.f})),
                  [](const std::string& path) { values_of(NpyArray(path)); });
}

TEST(NpyPath, NamesArraysByExtensionAndMember) {
  EXPECT_TRUE(is_npy_path("a.npy"));
  EXPECT_TRUE(is_npy_path("dir.x/A.NPZ"));
  EXPECT_TRUE(is_npy_path("a.npz:logits"));
  EXPECT_FALSE(is_npy_path("a.csv"));
  EXPECT_FALSE(is_npy_path("npy"));
  EXPECT_FALSE(is_npy_path("-"));
}

}  // namespace
}  // namespace credence::io
