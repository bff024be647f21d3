// Real data and golden values for tests. CREDENCE_REAL_DATA names a directory with data/<set>/ and
// golden/; the files are not part of this tree (their licences differ), so tests skip without them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "credence/matrix.hpp"

namespace credence::real_data {

inline constexpr const char* kSets[] = {"chaosnli-roberta-base-s0", "cifar10h-lenet5",
                                        "cifar10h-vgg16", "dod-h-ens"};

/// Parameters of a test on every set in either gauge, and its name.
inline auto sets_and_gauges() {
  return testing::Combine(testing::ValuesIn(kSets), testing::Values("log_probs", "raw"));
}
inline constexpr auto set_and_gauge = [](const auto& info) {
  std::string name =
      std::string(std::get<0>(info.param)) + "_" + std::string(std::get<1>(info.param));
  std::ranges::replace(name, '-', '_');
  return name;
};

/// The directory, when it is there.
inline std::optional<std::filesystem::path> root() {
  const char* path = std::getenv("CREDENCE_REAL_DATA");
  if (path == nullptr || *path == '\0') return std::nullopt;
  if (!std::filesystem::is_directory(std::filesystem::path(path) / "golden")) return std::nullopt;
  return path;
}

inline bool required() {
  const char* value = std::getenv("CREDENCE_REQUIRE_REAL_DATA");
  return value != nullptr && std::string(value) == "1";
}

/// First line of every test on real data.
#define CREDENCE_NEEDS_REAL_DATA()                                                           \
  do {                                                                                       \
    if (!::credence::real_data::root()) {                                                    \
      if (::credence::real_data::required()) {                                               \
        FAIL() << "CREDENCE_REQUIRE_REAL_DATA=1, but CREDENCE_REAL_DATA names no directory " \
                  "with golden/ in it";                                                      \
      }                                                                                      \
      GTEST_SKIP() << "CREDENCE_REAL_DATA names no directory with data/ and golden/ in it";  \
    }                                                                                        \
  } while (false)

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A C-ordered 2-D .npy of float32, float64, int32 or int64 in the machine's byte order. The tests
/// read it on their own, so that a slip in the library's reader cannot hide.
inline Matrix<double> read_npy(const std::filesystem::path& path) {
  const std::string bytes = read_bytes(path);
  const std::size_t header_size =
      static_cast<unsigned char>(bytes.at(8)) + 256U * static_cast<unsigned char>(bytes.at(9));
  const std::string header = bytes.substr(10, header_size);
  char type[3] = {};
  std::size_t rows = 0, cols = 0;
  if (bytes[6] != 1 || std::sscanf(header.c_str(),
                                   "{'descr': '<%2[fi48]', 'fortran_order': False, "
                                   "'shape': (%zu, %zu)",
                                   type, &rows, &cols) != 3) {
    throw std::runtime_error(path.string() + ": unexpected header " + header);
  }
  Matrix<double> result(rows, cols);
  const std::size_t width = type[1] == '4' ? 4 : 8, count = rows * cols;
  if (bytes.size() != 10 + header_size + count * width) {
    throw std::runtime_error(path.string() + ": the size does not fit the header");
  }
  const char* data = bytes.data() + 10 + header_size;
  const auto convert = [&]<class T>(T value) {
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(&value, data + i * sizeof(T), sizeof(T));
      result.data()[i] = static_cast<double>(value);
    }
  };
  const std::string_view kind = type;
  if (kind == "f4") convert(float{});
  if (kind == "f8") convert(double{});
  if (kind == "i4") convert(std::int32_t{});
  if (kind == "i8") convert(std::int64_t{});
  return result;
}

/// One set: logits and counts, the rows to fit on and the others to evaluate on, golden values.
struct Set {
  std::string name;
  Matrix<double> logits, counts;
  std::vector<std::size_t> calibration, evaluation;
  nlohmann::json golden;
};

inline Set load(const std::string& name) {
  const std::filesystem::path base = *root();
  Set set{.name = name,
          .logits = read_npy(base / "data" / name / "logits.npy"),
          .counts = read_npy(base / "data" / name / "counts.npy"),
          .calibration = {},
          .evaluation = {},
          .golden = nlohmann::json::parse(read_bytes(base / "golden" / (name + ".json")))};
  std::ifstream rows(base / "golden" / (name + ".calibration_rows.txt"));
  std::vector<bool> taken(set.logits.rows(), false);
  for (std::size_t row; rows >> row;) {
    set.calibration.push_back(row);
    taken.at(row) = true;
  }
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (!taken[i]) set.evaluation.push_back(i);
  }
  return set;
}

inline Matrix<double> select(const Matrix<double>& from, const std::vector<std::size_t>& rows) {
  Matrix<double> result(rows.size(), from.cols());
  for (std::size_t j = 0; j < rows.size(); ++j) {
    std::copy_n(from.row(rows[j]).begin(), from.cols(), result.row(j).begin());
  }
  return result;
}

}  // namespace credence::real_data
